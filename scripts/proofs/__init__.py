# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What check_proofs.py reads and computes; independent of the compiler."""
