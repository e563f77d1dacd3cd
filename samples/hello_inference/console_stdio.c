/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "console.h"

#include <inttypes.h>
#include <stdio.h>

void console_text(const char *text)
{
	(void)fputs(text, stdout);
}

void console_number(int32_t value)
{
	(void)printf("%" PRId32, value);
}

void console_hex(uint32_t value)
{
	(void)printf("0x%08" PRIx32, value);
}
