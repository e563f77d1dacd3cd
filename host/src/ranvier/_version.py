# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The version, in one place; the build reads it from here."""

__version__ = "0.1.0"
