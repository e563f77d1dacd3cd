/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* All other commands: version, ops, mem, lane, stack, npu, prof. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <zephyr/shell/shell.h>
#include <zephyr/sys/util.h>
#include <zephyr/ztest.h>

#include <ranvier/port.h>
#include <ranvier/prof.h>
#include <ranvier/status.h>
#include <ranvier/zephyr/critical.h>
#include <ranvier/zephyr/runtime.h>

#include "console.h"
#include "ranvier_digits.h"
#include "ranvier_other.h"

static void before(void *fixture)
{
	ARG_UNUSED(fixture);
	rnv_prof_reset(rnv_runtime_prof());
	console_open(ranvier_digits, sizeof(ranvier_digits));
	console_open(ranvier_other, sizeof(ranvier_other));
}

static void after(void *fixture)
{
	ARG_UNUSED(fixture);
	rnv_prof_enable(rnv_runtime_prof(), 0);
	console_close_all();
}

ZTEST(ranvier_shell_parts, test_help)
{
	console_expect("ranvier", SHELL_CMD_HELP_PRINTED, "Subcommands:");
	console_expect("ranvier job", SHELL_CMD_HELP_PRINTED, "submit");
	console_expect("ranvier job --help", SHELL_CMD_HELP_PRINTED, "submit");
}

ZTEST(ranvier_shell_parts, test_unknown_commands)
{
	console_expect("ranvier nonsense", RNV_EINVAL,
		       "ranvier: no command \"nonsense\"; try: ranvier --help");
	console_expect("ranvier job start digits 0", RNV_EINVAL,
		       "job: no command \"start\"; try: ranvier job --help");
	console_expect("ranvier model show", RNV_EINVAL, "model: no command \"show\"");
	console_expect("ranvier prof first", RNV_EINVAL, "prof: no command \"first\"");
	console_expect("ranvier npu restart", RNV_EINVAL,
		       "npu: no command \"restart\"; try: ranvier npu --help");
}

ZTEST(ranvier_shell_parts, test_version)
{
	console_expect("ranvier version", 0, "format 1 and ABI 1");
	console_expect("ranvier version", 0, CONFIG_BOARD_TARGET);
	console_expect("ranvier version x", -EINVAL, "wrong parameter count");
}

ZTEST(ranvier_shell_parts, test_ops)
{
	const char *output = console_expect("ranvier ops", 0, "  1 CONV_2D_S8");

	zassert_not_null(strstr(output, "  8 SOFTMAX_S8"), "%s", output);
	zassert_is_null(strstr(output, "RESIZE_NEAREST"), "not linked, but listed");
}

ZTEST(ranvier_shell_parts, test_mem)
{
	const char *output = console_expect("ranvier mem", 0, "model digits: flash ");

	zassert_not_null(strstr(output, "model other: flash "), "%s", output);
	zassert_not_null(strstr(output, "inputs and outputs 794"), "%s", output);
	zassert_not_null(strstr(output, "lane best effort: arena 512, at most used 0"), "%s",
			 output);
}

ZTEST(ranvier_shell_parts, test_lane)
{
	struct rnv_lane_stats stats;
	char text[40];

	console_run("ranvier job submit digits realtime", 0);
	console_expect("ranvier lane realtime", 0, "queued 1, at most");
	(void)console_wait_for_jobs();
	zassert_ok(rnv_lane_stats_get(rnv_runtime_sched(), RNV_LANE_REALTIME, &stats));
	zassert_true(stats.completed > 0U);
	(void)snprintf(text, sizeof(text), "completed %u, missed %u,", stats.completed,
		       stats.missed);
	console_expect("ranvier lane 0", 0, text);
	zassert_not_null(strstr(console_run("ranvier lane", 0), "2 best effort: arena 512"));
	console_expect("ranvier lane 3", RNV_EINVAL, "no lane \"3\"");
	console_expect("ranvier lane 0 1", -EINVAL, "wrong parameter count");
}

/* The core's own sections are short; with two of this test, the outer one is the longest. */
ZTEST(ranvier_shell_parts, test_longest_critical_section)
{
	const uint32_t wait_us = 2000;
	const uint32_t core_cycles = rnv_critical_longest();
	const uint64_t hz = rnv_cycles_per_second();
	uint32_t outer;
	uint32_t inner;
	uint32_t cycles;
	char text[64];

	zassert_true(core_cycles < hz / 1000U, "%u cycles", core_cycles);
	outer = rnv_critical_enter();
	inner = rnv_critical_enter();
	k_busy_wait(wait_us / 2U);
	rnv_critical_exit(inner);
	k_busy_wait(wait_us / 2U);
	rnv_critical_exit(outer);
	cycles = rnv_critical_longest();
	zassert_true(cycles >= hz * wait_us / USEC_PER_SEC * 9U / 10U, "%u cycles", cycles);
	zassert_true(cycles < hz * wait_us / USEC_PER_SEC * 2U, "%u cycles", cycles);
	(void)snprintf(text, sizeof(text), "longest critical section: %u cycles", cycles);
	console_expect("ranvier lane", 0, text);
}

ZTEST(ranvier_shell_parts, test_stack)
{
	const char *output = console_expect("ranvier stack", 0, "ranvier_0: used ");

	zassert_not_null(strstr(output, "ranvier_npu_sim: used "), "%s", output);
}

ZTEST(ranvier_shell_parts, test_npu_state)
{
	console_expect("ranvier npu", 0, "ready");
	console_expect("ranvier npu resume", RNV_ESTATE, "it is not suspended; try: ranvier npu");
	console_expect("ranvier npu recover", RNV_ESTATE, "it is not quarantined");
	console_run("ranvier npu suspend", 0);
	console_expect("ranvier npu", 0, "suspended");
	console_expect("ranvier npu suspend", RNV_ESTATE, "suspended already");
	console_run("ranvier npu resume", 0);
	console_expect("ranvier npu", 0, "ready");
	console_expect("ranvier npu suspend now", -EINVAL, "wrong parameter count");
}

/* Steps of the second model are marked for the accelerator; suspended, they run on the CPU. */
ZTEST(ranvier_shell_parts, test_npu_counters)
{
	struct rnv_npu_info first;
	struct rnv_npu_info info;

	rnv_npu_info_get(rnv_runtime_npu(), &first);
	console_run("ranvier job submit other", 0);
	zassert_not_null(strstr(console_wait_for_jobs(), "outputs crc 0x5ed2e1f8"));
	rnv_npu_info_get(rnv_runtime_npu(), &info);
	zassert_true(info.completed > first.completed);

	console_run("ranvier npu suspend", 0);
	console_run("ranvier job submit other", 0);
	zassert_not_null(strstr(console_wait_for_jobs(), "CPU fallbacks 9"), "%s",
			 console_wait_for_jobs());
	console_run("ranvier npu resume", 0);
	rnv_npu_info_get(rnv_runtime_npu(), &first);
	zassert_equal(info.requests, first.requests);
}

ZTEST(ranvier_shell_parts, test_profiler_off)
{
	console_run("ranvier job submit digits", 0);
	(void)console_wait_for_jobs();
	console_expect("ranvier prof last", 0, "nothing was profiled; try: ranvier prof on");
	console_expect("ranvier prof hist digits", 0, "nothing was profiled");
	console_expect("ranvier prof dump", 0, "RNVT 00000000");
}

ZTEST(ranvier_shell_parts, test_profiler)
{
	const char *output;

	console_expect("ranvier prof on", 0, "on");
	console_run("ranvier job submit digits", 0);
	(void)console_wait_for_jobs();
	console_expect("ranvier prof dump", RNV_ESTATE, "is on; try: ranvier prof off");
	console_run("ranvier prof off", 0);
	output = console_expect("ranvier prof last digits", 0, "digits, in cycles, ");
	zassert_not_null(strstr(output, "CONV_2D") != NULL ? output : strstr(output, "CONV_P"),
			 "%s", output);
	zassert_is_null(strstr(output, "other"), "%s", output);
	zassert_not_null(strstr(output, "only 8 of 10 steps are profiled"), "%s", output);
	output = console_expect("ranvier prof hist", 0, "digits: completed 1, failed 0, missed 0");
	zassert_not_null(strstr(output, "response us: min "), "%s", output);
	zassert_not_null(strstr(output, "other: completed 0"), "%s", output);
	output = console_expect("ranvier prof dump", 0, "RNVT 00000000 524e5654");
	zassert_not_null(strstr(output, "RNVT 00000020 "), "%s", output);
	output = console_expect("ranvier prof last nobody", RNV_ENOENT, "no model");
	zassert_is_null(strstr(output, "cycles"), "%s", output);
	console_expect("ranvier prof hist nobody", RNV_ENOENT, "no model");
	console_expect("ranvier prof on on", -EINVAL, "wrong parameter count");
}

ZTEST_SUITE(ranvier_shell_parts, NULL, NULL, before, after, NULL);
