/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* ranvier lane, ranvier mem */

#include <zephyr/kernel.h>

#include <ranvier/port.h>
#include <ranvier/zephyr/critical.h>
#include <ranvier/zephyr/runtime.h>

#include "shell_internal.h"

static void print_lane(const struct shell *sh, uint32_t lane)
{
	struct rnv_lane_stats stats;

	if (rnv_lane_stats_get(rnv_runtime_sched(), lane, &stats) != RNV_OK) {
		return;
	}
	shell_print(sh, "%u %s: arena %u bytes, at most used %u; queued %u, at most %u", lane,
		    rnv_runtime_lane_name(lane), stats.arena_bytes, stats.arena_high_water,
		    stats.queued, stats.most_queued);
	shell_print(sh, "  submitted %u, completed %u, missed %u, cancelled %u, dropped %u",
		    stats.submitted, stats.completed, stats.missed, stats.cancelled, stats.dropped);
	shell_print(sh, "  failed %u, refused %u, preempted %u", stats.failed, stats.refused,
		    stats.preempted);
	shell_print(sh, "  longest us: queued %u, blocked by a step %u, accelerator %u, atomic %u",
		    stats.longest_queued_us, stats.longest_step_blocked_us,
		    stats.longest_npu_blocked_us, stats.longest_atomic_blocked_us);
}

static int cmd_lane(const struct shell *sh, size_t argc, char **argv)
{
	uint32_t lane;

	if (argc > 1U) {
		int status = rnv_shell_lane(sh, argv[1], &lane);

		if (status == RNV_OK) {
			print_lane(sh, lane);
		}
		return status;
	}
	for (lane = 0; lane < RNV_LANE_COUNT; lane++) {
		print_lane(sh, lane);
	}
	if (IS_ENABLED(CONFIG_RANVIER_CRITICAL_STATS)) {
		shell_print(sh, "longest critical section: %u cycles of %u in a second",
			    rnv_critical_longest(), rnv_cycles_per_second());
	}
	return 0;
}

static void print_models(const struct shell *sh)
{
	struct rnv_sched *sched = rnv_runtime_sched();
	uint32_t model = RNV_NO_HANDLE;

	while ((model = rnv_model_next(sched, model)) != RNV_NO_HANDLE) {
		const struct rnv_header *header;
		struct rnv_model_info info;

		if (rnv_model_info_get(sched, model, &info) != RNV_OK) {
			continue;
		}
		header = rnv_package_header(info.pkg);
		shell_print(sh, "model %s: flash %u, arena %u, state %u, inputs and outputs %u",
			    (const char *)header->name, header->total_bytes, header->arena_bytes,
			    header->state_bytes, header->io_bytes);
	}
}

static int cmd_mem(const struct shell *sh, size_t argc, char **argv)
{
	const uint32_t threads = IS_ENABLED(CONFIG_RANVIER_THREAD_PER_LANE) ? RNV_LANE_COUNT : 1U;
	const size_t fixed =
		sizeof(struct rnv_sched) + RNV_LANE_COUNT * sizeof(struct rnv_lane) +
		CONFIG_RANVIER_JOB_COUNT * (sizeof(struct rnv_job) +
					    CONFIG_RANVIER_EXTERNALS_PER_JOB * sizeof(void *)) +
		CONFIG_RANVIER_MODEL_COUNT * sizeof(struct rnv_model);
	struct rnv_lane_stats stats;

	ARG_UNUSED(argc);
	ARG_UNUSED(argv);
	shell_print(sh, "in bytes; all of it is static");
	print_models(sh);
	for (uint32_t lane = 0; lane < RNV_LANE_COUNT; lane++) {
		if (rnv_lane_stats_get(rnv_runtime_sched(), lane, &stats) == RNV_OK) {
			shell_print(sh, "lane %s: arena %u, at most used %u",
				    rnv_runtime_lane_name(lane), stats.arena_bytes,
				    stats.arena_high_water);
		}
	}
	shell_print(sh, "scheduler: %zu for %u jobs and %u models", fixed, CONFIG_RANVIER_JOB_COUNT,
		    CONFIG_RANVIER_MODEL_COUNT);
	shell_print(sh, "stacks: %u of %u; try: ranvier stack", threads,
		    CONFIG_RANVIER_THREAD_STACK_SIZE);
	shell_print(sh, "jobs of the shell: %u of %u for inputs and outputs",
		    CONFIG_RANVIER_SHELL_JOBS, CONFIG_RANVIER_SHELL_BUFFER_SIZE);
	return 0;
}

SHELL_SUBCMD_ADD((ranvier), lane, NULL, "Counters of all lanes, or of one: lane [LANE]", cmd_lane,
		 1, 1);
SHELL_SUBCMD_ADD((ranvier), mem, NULL, "Memory of models, lanes, scheduler and threads", cmd_mem, 1,
		 0);
