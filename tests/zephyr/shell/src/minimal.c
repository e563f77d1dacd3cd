/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Without profiler and accelerator, and with too little memory for a job. */

#include <string.h>

#include <zephyr/shell/shell.h>
#include <zephyr/ztest.h>

#include <ranvier/status.h>

#include "console.h"
#include "ranvier_digits.h"

ZTEST(ranvier_shell_minimal, test_too_small_a_buffer)
{
	console_open(ranvier_digits, sizeof(ranvier_digits));
	console_expect("ranvier job submit digits", RNV_ENOMEM,
		       "digits needs 800 bytes for inputs and outputs, "
		       "CONFIG_RANVIER_SHELL_BUFFER_SIZE is 64");
	console_expect("ranvier job list", 0, "the shell has submitted no job");
	console_close_all();
}

ZTEST(ranvier_shell_minimal, test_no_accelerator)
{
	console_expect("ranvier npu", RNV_ENOENT, "CONFIG_RANVIER_NPU_SIM=y");
	console_expect("ranvier npu suspend", RNV_ENOENT, "this build has no accelerator");
}

ZTEST(ranvier_shell_minimal, test_no_profiler)
{
	console_expect("ranvier prof on", RNV_EINVAL, "no command \"prof\"");
}

ZTEST(ranvier_shell_minimal, test_critical_sections_are_not_measured)
{
	const char *output = console_expect("ranvier lane", 0, "0 realtime: ");

	zassert_is_null(strstr(output, "critical"), "%s", output);
}

ZTEST_SUITE(ranvier_shell_minimal, NULL, NULL, NULL, NULL, NULL);
