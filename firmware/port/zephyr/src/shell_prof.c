/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* ranvier prof */

#include <zephyr/kernel.h>

#include <ranvier/port.h>
#include <ranvier/prof.h>
#include <ranvier/zephyr/runtime.h>

#include "shell_internal.h"

static int cmd_on(const struct shell *sh, size_t argc, char **argv)
{
	ARG_UNUSED(argc);
	ARG_UNUSED(argv);
	rnv_prof_enable(rnv_runtime_prof(), 1);
	shell_print(sh, "on");
	return 0;
}

static int cmd_off(const struct shell *sh, size_t argc, char **argv)
{
	ARG_UNUSED(argc);
	ARG_UNUSED(argv);
	rnv_prof_enable(rnv_runtime_prof(), 0);
	shell_print(sh, "off; what was counted stays");
	return 0;
}

/* Whether a step ran; the end of the steps is another code. */
static int print_step(const struct shell *sh, const struct rnv_model_info *info, uint16_t number)
{
	const struct rnv_package *pkg = info->pkg;
	struct rnv_prof_step step;
	const char *op;
	int status =
		rnv_prof_step_get(rnv_runtime_prof(), rnv_shell_slot(info->model), number, &step);

	if (status != RNV_OK) {
		return status;
	}
	if (step.runs == 0U && step.npu_runs == 0U) {
		return 0;
	}
	op = rnv_op_name(pkg->ops[pkg->steps[number].op].code);
	if (step.runs > 0U) {
		shell_print(sh, "%4u %-24s %6u %10u %10u %10u %10u", number, op, step.runs,
			    step.last_cycles, step.min_cycles,
			    (uint32_t)(step.total_cycles / step.runs), step.max_cycles);
	}
	if (step.npu_runs > 0U) {
		shell_print(sh, "%4u %-24s %6u on the accelerator, at most %u", number, op,
			    step.npu_runs, step.npu_max_cycles);
	}
	return 1;
}

static bool print_steps(const struct shell *sh, const struct rnv_model_info *info)
{
	bool any = false;
	uint16_t number = 0;
	int status;

	shell_print(sh, "%s, in cycles, %u a second", rnv_shell_name(info->pkg),
		    rnv_cycles_per_second());
	shell_print(sh, "step %-24s %6s %10s %10s %10s %10s", "op", "runs", "last", "min", "mean",
		    "max");
	while (number < info->pkg->step_count && (status = print_step(sh, info, number)) >= 0) {
		any = any || status > 0;
		number++;
	}
	if (number < info->pkg->step_count) {
		shell_warn(sh,
			   "only %u of %u steps are profiled; raise "
			   "CONFIG_RANVIER_PROFILER_STEPS",
			   number, info->pkg->step_count);
	}
	return any;
}

static void print_times(const struct shell *sh, uint32_t slot, uint32_t time,
			const struct rnv_prof_summary *summary)
{
	static const char *const names[] = {
		[RNV_PROF_QUEUEING] = "queueing",
		[RNV_PROF_BLOCKING] = "blocking",
		[RNV_PROF_RESPONSE] = "response",
	};

	shell_print(sh, "%s us: min %u, mean %u, p50 %u, p99 %u, max %u", names[time],
		    summary->min_us, summary->mean_us, summary->p50_us, summary->p99_us,
		    summary->max_us);
	for (uint32_t i = 0; i < RNV_PROF_BUCKETS; i++) {
		uint32_t jobs = rnv_prof_bucket_get(rnv_runtime_prof(), slot, time, i);

		if (jobs > 0U) {
			shell_print(sh, "  from %u us: %u", rnv_prof_bucket_us(i), jobs);
		}
	}
}

static bool print_hist(const struct shell *sh, const struct rnv_model_info *info)
{
	uint32_t slot = rnv_shell_slot(info->model);
	struct rnv_prof_jobs jobs;

	if (rnv_prof_jobs_get(rnv_runtime_prof(), slot, &jobs) != RNV_OK) {
		return false;
	}
	shell_print(sh, "%s: completed %u, failed %u, missed %u", rnv_shell_name(info->pkg),
		    jobs.completed, jobs.failed, jobs.missed);
	for (uint32_t time = 0; time < ARRAY_SIZE(jobs.times); time++) {
		if (jobs.times[time].count > 0U) {
			print_times(sh, slot, time, &jobs.times[time]);
		}
	}
	return jobs.completed + jobs.failed > 0U;
}

/* For the model that is named, or for all of them. */
static int show(const struct shell *sh, size_t argc, char **argv,
		bool (*print)(const struct shell *sh, const struct rnv_model_info *info))
{
	struct rnv_sched *sched = rnv_runtime_sched();
	struct rnv_model_info info;
	uint32_t model = RNV_NO_HANDLE;
	bool any = false;

	if (argc > 1U) {
		int status = rnv_shell_model(sh, argv[1], &info);

		if (status != RNV_OK) {
			return status;
		}
		any = print(sh, &info);
	} else {
		while ((model = rnv_model_next(sched, model)) != RNV_NO_HANDLE) {
			if (rnv_model_info_get(sched, model, &info) == RNV_OK) {
				any = print(sh, &info) || any;
			}
		}
	}
	if (!any) {
		shell_warn(sh, "nothing was profiled; try: ranvier prof on, then jobs");
	}
	return 0;
}

static int cmd_last(const struct shell *sh, size_t argc, char **argv)
{
	return show(sh, argc, argv, print_steps);
}

static int cmd_hist(const struct shell *sh, size_t argc, char **argv)
{
	return show(sh, argc, argv, print_hist);
}

static int cmd_dump(const struct shell *sh, size_t argc, char **argv)
{
	char line[RNV_PROF_LINE_BYTES];
	uint32_t offset = 0;
	int status;

	ARG_UNUSED(argc);
	ARG_UNUSED(argv);
	while ((status = rnv_prof_dump_line(rnv_runtime_prof(), &offset, line)) > 0) {
		shell_print(sh, "%s", line);
	}
	if (status != 0) {
		shell_error(sh, "the profiler is on; try: ranvier prof off, then again");
	}
	return status;
}

SHELL_STATIC_SUBCMD_SET_CREATE(
	prof_commands, SHELL_CMD_ARG(on, NULL, "Begin or go on counting", cmd_on, 1, 0),
	SHELL_CMD_ARG(off, NULL, "Stop counting", cmd_off, 1, 0),
	SHELL_CMD_ARG(last, NULL, "Cycles of each step: last [MODEL]", cmd_last, 1, 1),
	SHELL_CMD_ARG(hist, NULL, "Distributions of the times of jobs: hist [MODEL]", cmd_hist, 1,
		      1),
	SHELL_CMD_ARG(dump, NULL, "All of it, for `ranvier profile LOGFILE` of the host", cmd_dump,
		      1, 0),
	SHELL_SUBCMD_SET_END);
SHELL_SUBCMD_ADD((ranvier), prof, &prof_commands, "Profiler", rnv_shell_group, 1,
		 SHELL_OPT_ARG_CHECK_SKIP);
