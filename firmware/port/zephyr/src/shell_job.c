/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* ranvier job list, ranvier job cancel */

#include <zephyr/kernel.h>

#include <ranvier/zephyr/runtime.h>

#include "shell_internal.h"
#include "shell_job.h"

#define JOBS CONFIG_RANVIER_SHELL_JOBS

static void print_outputs(const struct shell *sh, const struct rnv_shell_job *entry)
{
	const int8_t *scores = entry->buffers[entry->input_count].data;
	struct rnv_model_info info;
	const char *label = NULL;
	uint32_t crc = 0;
	uint32_t best = 0;

	for (uint16_t i = entry->input_count; i < entry->buffer_count; i++) {
		crc = rnv_crc32(crc, entry->buffers[i].data, entry->buffers[i].bytes);
	}
	if (!entry->classes) {
		shell_print(sh, "  outputs crc 0x%08x", crc);
		return;
	}
	for (uint32_t i = 1; i < entry->buffers[entry->input_count].bytes; i++) {
		best = (scores[i] > scores[best]) ? i : best;
	}
	if (rnv_model_info_get(rnv_runtime_sched(), entry->result.model, &info) == RNV_OK) {
		label = rnv_package_label(info.pkg, best);
	}
	shell_print(sh, "  outputs crc 0x%08x; top-1 %u%s%s%s, value %d", crc, best,
		    (label != NULL) ? " \"" : "", (label != NULL) ? label : "",
		    (label != NULL) ? "\"" : "", scores[best]);
}

static void print_result(const struct shell *sh, const struct rnv_shell_job *entry)
{
	const struct rnv_job_result *result = &entry->result;
	uint32_t all_us = (uint32_t)(result->end_us - result->submit_us);

	if (result->start_us == RNV_NEVER) {
		shell_print(sh, "job %u of %s in lane %s: %s (%d) after %u us, never started",
			    result->job, entry->model, rnv_runtime_lane_name(entry->lane),
			    rnv_shell_status(result->status), (int)result->status, all_us);
		return;
	}
	shell_print(sh, "job %u of %s in lane %s: %s (%d) after %u us%s", result->job, entry->model,
		    rnv_runtime_lane_name(entry->lane), rnv_shell_status(result->status),
		    (int)result->status, all_us, (result->missed != 0U) ? ", too late" : "");
	shell_print(sh, "  queued %u us, blocked %u us, preempted %u times, CPU fallbacks %u",
		    (uint32_t)(result->start_us - result->submit_us), result->blocked_us,
		    result->preemptions, result->fallbacks);
	if (result->status == RNV_OK) {
		print_outputs(sh, entry);
	}
}

static void print_pending(const struct shell *sh, const struct rnv_shell_job *entry)
{
	static const char *const words[] = {
		[RNV_JOB_FREE] = "ending",
		[RNV_JOB_QUEUED] = "queued",
		[RNV_JOB_RUNNING] = "running",
		[RNV_JOB_WAITING] = "at the accelerator",
		[RNV_JOB_ZOMBIE] = "over; held by the accelerator: ranvier npu recover",
	};
	int state = rnv_job_state_get(rnv_runtime_sched(), entry->job);

	shell_print(sh, "job %u of %s in lane %s: %s", entry->job, entry->model,
		    rnv_runtime_lane_name(entry->lane),
		    (state > RNV_JOB_FREE && state <= RNV_JOB_ZOMBIE) ? words[state] : words[0]);
}

/* The entry that was submitted after another one, or the first one. */
static struct rnv_shell_job *next_entry(const struct rnv_shell_job *after)
{
	struct rnv_shell_job *best = NULL;

	for (uint32_t i = 0; i < JOBS; i++) {
		struct rnv_shell_job *entry = &rnv_shell_jobs[i];

		if (atomic_get(&entry->state) != RNV_SHELL_FREE &&
		    (after == NULL || (int32_t)(entry->order - after->order) > 0) &&
		    (best == NULL || (int32_t)(entry->order - best->order) < 0)) {
			best = entry;
		}
	}
	return best;
}

static int cmd_list(const struct shell *sh, size_t argc, char **argv)
{
	struct rnv_shell_job *entry;

	ARG_UNUSED(argc);
	ARG_UNUSED(argv);
	(void)k_mutex_lock(&rnv_shell_jobs_lock, K_FOREVER);
	entry = next_entry(NULL);
	if (entry == NULL) {
		shell_print(sh, "the shell has submitted no job; try: ranvier job submit MODEL");
	}
	for (; entry != NULL; entry = next_entry(entry)) {
		if (atomic_get(&entry->state) == RNV_SHELL_DONE) {
			print_result(sh, entry);
		} else {
			print_pending(sh, entry);
		}
	}
	(void)k_mutex_unlock(&rnv_shell_jobs_lock);
	return 0;
}

static int cmd_cancel(const struct shell *sh, size_t argc, char **argv)
{
	uint32_t job;
	int status = rnv_shell_number(sh, argv[1], "job", &job);

	ARG_UNUSED(argc);
	if (status != RNV_OK) {
		return status;
	}
	status = rnv_job_cancel(rnv_runtime_sched(), job);
	if (status != RNV_OK) {
		shell_error(sh, "no job %u, or it is complete; try: ranvier job list", job);
		return status;
	}
	shell_print(sh, "job %u ends at its next step", job);
	return 0;
}

SHELL_STATIC_SUBCMD_SET_CREATE(
	job_commands,
	SHELL_CMD_ARG(submit, NULL,
		      "Queue one with inputs from a seed: submit MODEL [LANE] [DEADLINE_MS] "
		      "[--seed N]",
		      rnv_shell_submit, 2, 4),
	SHELL_CMD_ARG(list, NULL, "The shell's jobs and their results", cmd_list, 1, 0),
	SHELL_CMD_ARG(cancel, NULL, "End one: cancel JOB (number as listed)", cmd_cancel, 2, 0),
	SHELL_SUBCMD_SET_END);
SHELL_SUBCMD_ADD((ranvier), job, &job_commands, "Jobs with inputs from a seed", rnv_shell_group, 1,
		 SHELL_OPT_ARG_CHECK_SKIP);
