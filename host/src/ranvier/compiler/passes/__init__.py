# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Passes: each module does one thing to a graph, in ``run(graph)``, and says how often it did."""
