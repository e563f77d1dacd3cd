# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels whose weights are packed for an instruction set, over images stored as planes.

One module a kernel: its device ops, and ``lower``, which gives None for what the kernel cannot do.
"""
