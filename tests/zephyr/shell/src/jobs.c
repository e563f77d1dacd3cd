/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * ranvier job. The test's thread is more urgent than the lanes', so a job that was submitted stays
 * queued until the test sleeps.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zephyr/sys/util.h>
#include <zephyr/ztest.h>

#include <ranvier/status.h>

#include "console.h"
#include "ranvier_digits.h"
#include "ranvier_other.h"

/*
 * What the host's interpreter has for inputs from x = x * 1664525 + 1013904223 (mod 2^32), upper
 * bytes, beginning with the seed: zlib.crc32() of the ten scores.
 */
#define SEED_0   "outputs crc 0x5ed2e1f8; top-1 8 \"8\", value 127"
#define SEED_307 "outputs crc 0x649ad2cf; top-1 8 \"8\", value 101"

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

/* Submit, and return the job's number. */
static uint32_t submit(const char *command)
{
	const char *output = console_expect(command, 0, "job ");
	const char *job = strstr(output, "job ");

	return (uint32_t)strtoul(job + strlen("job "), NULL, 10);
}

/* Where a job is in the list, once all are complete. */
static const char *find(uint32_t job)
{
	const char *output = console_wait_for_jobs();
	char begin[32];
	const char *line;

	(void)snprintf(begin, sizeof(begin), "job %u of ", job);
	line = strstr(output, begin);
	zassert_not_null(line, "no %s in\n%s", begin, output);
	return line;
}

static void expect_result(uint32_t job, const char *result, const char *outputs)
{
	const char *line = find(job);

	zassert_not_null(strstr(line, result), "no %s in\n%s", result, line);
	zassert_not_null(strstr(line, outputs), "no %s in\n%s", outputs, line);
}

ZTEST(ranvier_shell_job, test_result)
{
	uint32_t job = submit("ranvier job submit digits");

	console_expect("ranvier job list", 0, "of digits in lane normal: queued");
	expect_result(job, "of digits in lane normal: ok (0) after ", SEED_0);
}

ZTEST(ranvier_shell_job, test_seed_and_lane)
{
	uint32_t job = submit("ranvier job submit digits realtime --seed 307");

	expect_result(job, "of digits in lane realtime: ok (0) after ", SEED_307);
	job = submit("ranvier job submit 0 --seed 0x133 0");
	expect_result(job, "of digits in lane realtime: ok (0) after ", SEED_307);
}

/* The same network without labels. */
ZTEST(ranvier_shell_job, test_second_model)
{
	uint32_t job = submit("ranvier job submit other --seed 307");

	expect_result(job, "of other in lane normal: ok",
		      "outputs crc 0x649ad2cf; top-1 8, value 101");
}

ZTEST(ranvier_shell_job, test_deadline)
{
	uint32_t late = submit("ranvier job submit digits realtime 0");
	uint32_t early = submit("ranvier job submit digits normal 60000");
	const char *line;
	const char *word;

	expect_result(late, ", too late", SEED_0);
	line = find(early);
	word = strstr(line, ", too late");
	zassert_true(word == NULL || word > strchr(line, '\n'), "%s", line);
}

ZTEST(ranvier_shell_job, test_cancel)
{
	uint32_t job = submit("ranvier job submit digits");
	char command[40];

	(void)snprintf(command, sizeof(command), "ranvier job cancel %u", job);
	console_run(command, 0);
	expect_result(job, "cancelled (-125) after ", "never started");
	console_expect(command, RNV_ENOENT, "or it is complete; try: ranvier job list");
}

ZTEST(ranvier_shell_job, test_cancel_of_no_job)
{
	console_expect("ranvier job cancel 77777777", RNV_ENOENT, "no job 77777777");
	console_expect("ranvier job cancel first", RNV_EINVAL, "job: \"first\" is not a number");
	console_expect("ranvier job cancel 4294967296", RNV_EINVAL, "is not a number from 0 to");
	console_expect("ranvier job cancel", -EINVAL, "wrong parameter count");
}

ZTEST(ranvier_shell_job, test_full_lane)
{
	uint32_t job = submit("ranvier job submit digits normal");

	console_expect("ranvier job submit digits normal", RNV_EAGAIN, "lane normal is full");
	expect_result(job, "ok (0)", SEED_0);
}

/* CONFIG_RANVIER_SHELL_JOBS is 3; results make room for new jobs, the oldest first. */
ZTEST(ranvier_shell_job, test_all_jobs_under_way)
{
	uint32_t first = submit("ranvier job submit digits realtime");
	uint32_t last;

	(void)submit("ranvier job submit digits realtime");
	last = submit("ranvier job submit digits realtime");
	console_expect("ranvier job submit digits realtime", RNV_EAGAIN,
		       "all 3 jobs of the shell are under way; try: ranvier job list");
	expect_result(first, "ok (0)", SEED_0);
	expect_result(last, "ok (0)", SEED_0);
	for (int i = 0; i < 3; i++) {
		last = submit("ranvier job submit other");
		expect_result(last, "of other", "ok (0)");
	}
	zassert_is_null(strstr(console_wait_for_jobs(), "of digits"));
}

ZTEST(ranvier_shell_job, test_wrong_arguments)
{
	console_expect("ranvier job submit", -EINVAL, "wrong parameter count");
	console_expect("ranvier job submit nobody", RNV_ENOENT, "no model \"nobody\"");
	console_expect("ranvier job submit digits fast", RNV_EINVAL, "no lane \"fast\"");
	console_expect("ranvier job submit digits 0 soon", RNV_EINVAL,
		       "deadline: \"soon\" is not a number");
	console_expect("ranvier job submit digits 0 -5", RNV_EINVAL, "deadline: \"-5\"");
	console_expect("ranvier job submit digits --seed", RNV_EINVAL,
		       "seed: \"\" is not a number");
	console_expect("ranvier job submit digits --seed x", RNV_EINVAL, "seed: \"x\"");
	console_expect("ranvier job submit digits 0 5 6", RNV_EINVAL, "cannot use \"6\"");
	console_expect("ranvier job submit digits best-effort", RNV_ESTATE, "not bound");
	console_expect("ranvier job list all", -EINVAL, "wrong parameter count");
}

/* What is listed does not need the model any more. */
ZTEST(ranvier_shell_job, test_result_outlives_the_model)
{
	uint32_t job = submit("ranvier job submit digits");

	expect_result(job, "ok (0)", SEED_0);
	console_close_all();
	expect_result(job, "of digits in lane normal: ok (0)",
		      "outputs crc 0x5ed2e1f8; top-1 8, value 127");
}

ZTEST_SUITE(ranvier_shell_job, NULL, NULL, before, after, NULL);
