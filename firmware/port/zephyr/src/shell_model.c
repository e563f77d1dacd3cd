/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* ranvier model */

#include <zephyr/kernel.h>

#include <ranvier/zephyr/runtime.h>

#include "shell_internal.h"

static const char *const types[] = {
	[RNV_TYPE_INT8] = "int8",   [RNV_TYPE_UINT8] = "uint8",   [RNV_TYPE_INT16] = "int16",
	[RNV_TYPE_INT32] = "int32", [RNV_TYPE_INT64] = "int64",   [RNV_TYPE_FLOAT32] = "float32",
	[RNV_TYPE_BOOL] = "bool",   [RNV_TYPE_UINT32] = "uint32", [RNV_TYPE_UINT64] = "uint64",
};

static const char *const io_modes[] = {
	[RNV_IO_KEPT] = "kept",
	[RNV_IO_DONATED] = "donated",
	[RNV_IO_RESIDENT] = "resident",
};

static const char *const isas[] = {
	[RNV_ISA_GENERIC] = "generic",
	[RNV_ISA_DSP] = "dsp",
	[RNV_ISA_MVE] = "mve",
	[RNV_ISA_BASE] = "base",
};

static int cmd_list(const struct shell *sh, size_t argc, char **argv)
{
	struct rnv_sched *sched = rnv_runtime_sched();
	uint32_t model = RNV_NO_HANDLE;
	uint32_t count = 0;

	ARG_UNUSED(argc);
	ARG_UNUSED(argv);
	while ((model = rnv_model_next(sched, model)) != RNV_NO_HANDLE) {
		char lanes[RNV_SHELL_LANES_CHARS];
		struct rnv_model_info info;

		if (rnv_model_info_get(sched, model, &info) != RNV_OK) {
			continue;
		}
		count++;
		shell_print(sh, "%u %s: lanes %s; jobs %u, completed %u, failed %u%s%s",
			    rnv_shell_slot(model), rnv_shell_name(info.pkg),
			    rnv_shell_lanes(info.lanes, lanes), info.jobs, info.completed,
			    info.failed, (info.draining != 0U) ? ", draining" : "",
			    (info.stale != 0U) ? ", state stale" : "");
	}
	if (count == 0U) {
		shell_print(sh, "no model is open");
	}
	return 0;
}

static void print_tensor(const struct shell *sh, const char *what, uint32_t number,
			 const struct rnv_tensor_rec *rec)
{
	shell_fprintf(sh, SHELL_NORMAL, "%s %u: %s[", what, number, types[rec->type]);
	for (uint32_t i = 0; i < rec->rank; i++) {
		shell_fprintf(sh, SHELL_NORMAL, "%s%u", (i > 0U) ? "," : "", rec->dims[i]);
	}
	shell_fprintf(sh, SHELL_NORMAL, "], %u bytes\n", rec->bytes);
}

static void print_tensors(const struct shell *sh, const struct rnv_package *pkg)
{
	const struct rnv_tensor_rec *rec;
	uint16_t i;

	for (i = 0; (rec = rnv_package_tensor(pkg, rnv_package_input(pkg, 0, i))) != NULL; i++) {
		print_tensor(sh, "input", i, rec);
	}
	for (i = 0; (rec = rnv_package_tensor(pkg, rnv_package_output(pkg, 0, i))) != NULL; i++) {
		print_tensor(sh, "output", i, rec);
	}
}

static int cmd_info(const struct shell *sh, size_t argc, char **argv)
{
	char lanes[RNV_SHELL_LANES_CHARS];
	const struct rnv_header *header;
	struct rnv_model_info info;
	int status = rnv_shell_model(sh, argv[1], &info);

	ARG_UNUSED(argc);
	if (status != RNV_OK) {
		return status;
	}
	header = rnv_package_header(info.pkg);
	shell_print(sh, "%u %s %u.%u.%u, packed for %s, inputs %s%s", rnv_shell_slot(info.model),
		    rnv_shell_name(info.pkg), header->version[0], header->version[1],
		    header->version[2], isas[header->isa],
		    io_modes[header->flags & RNV_FLAG_IO_MASK],
		    (info.npu != 0U) ? ", on the accelerator" : "");
	shell_print(sh, "flash %u, arena %u, state %u bytes; %u steps, %u entry points, %u labels",
		    header->total_bytes, header->arena_bytes, header->state_bytes,
		    info.pkg->step_count, info.pkg->entry_count, rnv_package_label_count(info.pkg));
	print_tensors(sh, info.pkg);
	shell_print(sh, "lanes %s; jobs %u, completed %u, failed %u, state cleared %u times%s%s",
		    rnv_shell_lanes(info.lanes, lanes), info.jobs, info.completed, info.failed,
		    info.resets, (info.draining != 0U) ? ", draining" : "",
		    (info.stale != 0U) ? ", state stale" : "");
	return 0;
}

static void explain_bind(const struct shell *sh, const struct rnv_model_info *info, uint32_t lane,
			 int status)
{
	const char *lane_name = rnv_runtime_lane_name(lane);
	struct rnv_lane_stats stats;

	switch (status) {
	case RNV_ENOMEM:
		(void)rnv_lane_stats_get(rnv_runtime_sched(), lane, &stats);
		shell_error(sh,
			    "%s needs an arena of %u bytes, lane %s has %u; raise "
			    "CONFIG_RANVIER_LANE_..._ARENA_SIZE",
			    rnv_shell_name(info->pkg), rnv_package_header(info->pkg)->arena_bytes,
			    lane_name, stats.arena_bytes);
		break;
	case RNV_EINVAL:
		shell_error(sh, "%s has state, so it can have one lane; unbind the other first",
			    rnv_shell_name(info->pkg));
		break;
	case RNV_EBUSY:
		shell_error(sh, "%s has jobs in lane %s, or the lane is claimed for it; try again",
			    rnv_shell_name(info->pkg), lane_name);
		break;
	default:
		shell_error(sh, "%s (%d); try: ranvier model list", rnv_shell_status(status),
			    status);
		break;
	}
}

static int set_lane(const struct shell *sh, char **argv,
		    int (*call)(struct rnv_sched *sched, uint32_t model, uint32_t lane))
{
	char lanes[RNV_SHELL_LANES_CHARS];
	struct rnv_model_info info;
	uint32_t lane;
	int status = rnv_shell_model(sh, argv[1], &info);

	if (status == RNV_OK) {
		status = rnv_shell_lane(sh, argv[2], &lane);
	}
	if (status != RNV_OK) {
		return status;
	}
	status = call(rnv_runtime_sched(), info.model, lane);
	if (status == RNV_OK) {
		status = rnv_model_info_get(rnv_runtime_sched(), info.model, &info);
	}
	if (status != RNV_OK) {
		explain_bind(sh, &info, lane, status);
		return status;
	}
	shell_print(sh, "%s: lanes %s", rnv_shell_name(info.pkg),
		    rnv_shell_lanes(info.lanes, lanes));
	return 0;
}

static int cmd_bind(const struct shell *sh, size_t argc, char **argv)
{
	ARG_UNUSED(argc);
	return set_lane(sh, argv, rnv_model_bind);
}

static int cmd_unbind(const struct shell *sh, size_t argc, char **argv)
{
	ARG_UNUSED(argc);
	return set_lane(sh, argv, rnv_model_unbind);
}

SHELL_STATIC_SUBCMD_SET_CREATE(
	model_commands,
	SHELL_CMD_ARG(list, NULL, "Number, name, lanes, jobs of each", cmd_list, 1, 0),
	SHELL_CMD_ARG(info, NULL, "Describe one: info MODEL (name or number)", cmd_info, 2, 0),
	SHELL_CMD_ARG(bind, NULL, "Let it run in a lane: bind MODEL LANE", cmd_bind, 3, 0),
	SHELL_CMD_ARG(unbind, NULL, "Refuse its jobs in a lane: unbind MODEL LANE", cmd_unbind, 3,
		      0),
	SHELL_SUBCMD_SET_END);
SHELL_SUBCMD_ADD((ranvier), model, &model_commands, "Models that are open", rnv_shell_group, 1,
		 SHELL_OPT_ARG_CHECK_SKIP);
