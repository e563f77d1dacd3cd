# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What a package needs and what it took, to look at: pages, charts, tables, graphs; comparisons."""
