/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "console.h"

#include <string.h>

#include <zephyr/kernel.h>
#include <zephyr/shell/shell.h>
#include <zephyr/shell/shell_dummy.h>
#include <zephyr/ztest.h>

#include <ranvier/zephyr/runtime.h>

const char *console_run(const char *command, int expected)
{
	const struct shell *sh = shell_backend_dummy_get_ptr();
	const char *output;
	size_t size;
	int result;

	zassert_true(WAIT_FOR(shell_ready(sh), 1000000, k_msleep(1)), "the shell does not start");
	shell_backend_dummy_clear_output(sh);
	result = shell_execute_cmd(sh, command);
	output = shell_backend_dummy_get_output(sh, &size);
	zassert_equal(result, expected, "%s: %d\n%s", command, result, output);
	return output;
}

const char *console_expect(const char *command, int expected, const char *text)
{
	const char *output = console_run(command, expected);

	zassert_not_null(strstr(output, text), "%s: no \"%s\" in\n%s", command, text, output);
	return output;
}

const char *console_wait_for_jobs(void)
{
	const char *output;

	for (int i = 0; i < 500; i++) {
		output = console_run("ranvier job list", 0);
		if (strstr(output, ": queued") == NULL && strstr(output, ": running") == NULL &&
		    strstr(output, ": at the") == NULL) {
			return output;
		}
		k_msleep(10);
	}
	zassert_unreachable("jobs do not end:\n%s", output);
	return output;
}

void console_open(const uint8_t *package, uint32_t bytes)
{
	const struct rnv_model_config config = {
		.data = package,
		.bytes = bytes,
		.lanes = BIT(RNV_LANE_REALTIME) | BIT(RNV_LANE_NORMAL),
	};
	uint32_t model;

	zassert_ok(rnv_runtime_model_open(&config, &model, NULL));
}

void console_close_all(void)
{
	struct rnv_sched *sched = rnv_runtime_sched();
	uint32_t model;

	while ((model = rnv_model_next(sched, RNV_NO_HANDLE)) != RNV_NO_HANDLE) {
		zassert_ok(rnv_zephyr_drain(rnv_runtime_driver(), model, RNV_DRAIN_CANCEL,
					    K_SECONDS(10)));
		zassert_ok(rnv_model_close(sched, model));
	}
}
