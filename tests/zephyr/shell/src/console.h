/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef TESTS_ZEPHYR_SHELL_CONSOLE_H_
#define TESTS_ZEPHYR_SHELL_CONSOLE_H_

#include <stdint.h>

/** Execute a command, demand what it returns, and return what it printed. */
const char *console_run(const char *command, int expected);

/** The same, and demand a text in what it printed. */
const char *console_expect(const char *command, int expected, const char *text);

/** Wait until the shell's jobs are complete; returns `ranvier job list`. */
const char *console_wait_for_jobs(void);

/** Open the package in slot 0 or 1, and bind it to the lanes realtime and normal. */
void console_open(const uint8_t *package, uint32_t bytes);

/** Close all models. */
void console_close_all(void);

#endif /* TESTS_ZEPHYR_SHELL_CONSOLE_H_ */
