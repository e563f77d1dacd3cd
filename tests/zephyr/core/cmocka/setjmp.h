/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Wanted by cmocka alone; Zephyr's minimal C library has none. */
