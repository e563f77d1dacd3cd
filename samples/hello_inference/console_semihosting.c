/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "console.h"

#include <baremetal/semihosting.h>

void console_text(const char *text)
{
	rnv_semihost_puts(text);
}

void console_number(int32_t value)
{
	rnv_semihost_put_i32(value);
}

void console_hex(uint32_t value)
{
	rnv_semihost_put_hex(value);
}
