# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""A model and its runs to look at in a browser: a page, and the local server that shows it."""
