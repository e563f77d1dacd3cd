/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* ranvier model, and what all commands say without a model. */

#include <errno.h>

#include <zephyr/sys/util.h>
#include <zephyr/ztest.h>

#include <ranvier/status.h>

#include "console.h"
#include "ranvier_digits.h"
#include "ranvier_other.h"

static void before(void *fixture)
{
	ARG_UNUSED(fixture);
	console_open(ranvier_digits, sizeof(ranvier_digits));
	console_open(ranvier_other, sizeof(ranvier_other));
}

static void after(void *fixture)
{
	ARG_UNUSED(fixture);
	console_close_all();
}

ZTEST(ranvier_shell_model, test_list)
{
	const char *output = console_expect("ranvier model list", 0,
					    "0 digits: lanes realtime,normal; jobs 0, completed 0");

	ARG_UNUSED(output);
	console_expect("ranvier model list", 0, "1 other: lanes realtime,normal;");
}

ZTEST(ranvier_shell_model, test_info_by_name_and_number)
{
	console_expect("ranvier model info digits", 0, "0 digits 1.0.0, packed for");
	console_expect("ranvier model info digits", 0, "10 labels");
	console_expect("ranvier model info digits", 0, "input 0: int8[1,28,28,1], 784 bytes");
	console_expect("ranvier model info digits", 0, "output 0: int8[1,10], 10 bytes");
	console_expect("ranvier model info 1", 0,
		       "1 other 1.0.0, packed for generic, inputs kept, "
		       "on the accelerator");
	console_expect("ranvier model info 0x1", 0, "1 other");
}

ZTEST(ranvier_shell_model, test_unknown_models_and_lanes)
{
	console_expect("ranvier model info nobody", RNV_ENOENT, "try: ranvier model list");
	console_expect("ranvier model info 2", RNV_ENOENT, "no model \"2\"");
	console_expect("ranvier model info -1", RNV_ENOENT, "no model \"-1\"");
	console_expect("ranvier model bind nobody 0", RNV_ENOENT, "no model");
	console_expect("ranvier model bind digits fastest", RNV_EINVAL,
		       "try one of realtime,normal,best-effort, or 0 to 2");
	console_expect("ranvier model bind digits 3", RNV_EINVAL, "no lane \"3\"");
	console_expect("ranvier model unbind digits real", RNV_EINVAL, "no lane \"real\"");
}

ZTEST(ranvier_shell_model, test_wrong_numbers_of_arguments)
{
	console_expect("ranvier model info", -EINVAL, "wrong parameter count");
	console_expect("ranvier model info digits digits", -EINVAL, "wrong parameter count");
	console_expect("ranvier model bind digits", -EINVAL, "wrong parameter count");
	console_expect("ranvier model unbind digits", -EINVAL, "wrong parameter count");
	console_expect("ranvier model list all", -EINVAL, "wrong parameter count");
}

ZTEST(ranvier_shell_model, test_bind_and_unbind)
{
	console_expect("ranvier model unbind digits realtime", 0, "digits: lanes normal");
	console_expect("ranvier model unbind 0 1", 0, "digits: lanes none");
	console_expect("ranvier job submit digits", RNV_ESTATE,
		       "digits is bound to no lane; try: ranvier model bind digits LANE");
	console_expect("ranvier model bind digits normal", 0, "digits: lanes normal");
	console_expect("ranvier job submit digits realtime", RNV_ESTATE,
		       "try: ranvier model bind digits 0");
	console_expect("ranvier model bind digits 0", 0, "digits: lanes realtime,normal");
}

ZTEST(ranvier_shell_model, test_lane_with_too_small_an_arena)
{
	console_expect("ranvier model bind digits best-effort", RNV_ENOMEM,
		       "lane best effort has 512; raise CONFIG_RANVIER_LANE_..._ARENA_SIZE");
	console_expect("ranvier model bind digits \"best effort\"", RNV_ENOMEM,
		       "needs an arena of");
}

ZTEST(ranvier_shell_model, test_lane_with_jobs_is_not_unbound)
{
	console_run("ranvier job submit digits normal", 0);
	console_expect("ranvier model unbind digits normal", RNV_EBUSY, "has jobs in lane normal");
	(void)console_wait_for_jobs();
	console_run("ranvier model unbind digits normal", 0);
}

ZTEST(ranvier_shell_model, test_without_models)
{
	console_close_all();
	console_expect("ranvier model list", 0, "no model is open");
	console_expect("ranvier model info 0", RNV_ENOENT, "no model");
	console_expect("ranvier job submit digits", RNV_ENOENT, "no model");
	console_expect("ranvier prof last", 0, "nothing was profiled");
	console_expect("ranvier prof hist", 0, "nothing was profiled");
	console_expect("ranvier mem", 0, "lane realtime: arena 9408");
	console_run("ranvier lane", 0);
}

ZTEST_SUITE(ranvier_shell_model, NULL, NULL, before, after, NULL);
