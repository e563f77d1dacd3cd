# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Devices: links, requests, updates, jobs, the shell, and the simulated device."""
