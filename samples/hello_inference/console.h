/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef CONSOLE_H_
#define CONSOLE_H_

#include <stdint.h>

/** @file @brief What the sample prints with; the build chooses the file that implements it. */

/** Print a zero-terminated string. */
void console_text(const char *text);

/** Print a number in decimal. */
void console_number(int32_t value);

/** Print a number as 0x and eight hexadecimal digits. */
void console_hex(uint32_t value);

#endif /* CONSOLE_H_ */
