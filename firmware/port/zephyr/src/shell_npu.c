/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* ranvier npu */

#include <zephyr/kernel.h>

#include <ranvier/npu.h>
#include <ranvier/zephyr/runtime.h>

#include "shell_internal.h"

static const char *const states[] = {
	[RNV_NPU_READY] = "ready",
	[RNV_NPU_BUSY] = "busy",
	[RNV_NPU_ABORTING] = "aborting",
	[RNV_NPU_SUSPENDED] = "suspended",
	[RNV_NPU_QUARANTINED] = "quarantined; try: ranvier npu recover",
};

static struct rnv_npu *find_npu(const struct shell *sh)
{
	struct rnv_npu *npu = rnv_runtime_npu();

	if (npu == NULL) {
		shell_error(sh, "this build has no accelerator; CONFIG_RANVIER_NPU_SIM=y has a "
				"simulated one");
	}
	return npu;
}

static int cmd_npu(const struct shell *sh, size_t argc, char **argv)
{
	struct rnv_npu *npu;
	struct rnv_npu_info info;

	if (argc > 1U) {
		return rnv_shell_group(sh, argc, argv);
	}
	npu = find_npu(sh);
	if (npu == NULL) {
		return RNV_ENOENT;
	}
	rnv_npu_info_get(npu, &info);
	shell_print(sh, "%s: %s", npu->caps->name, states[info.state]);
	shell_print(sh, "requests %u, completed %u, longest %u us", info.requests, info.completed,
		    info.longest_us);
	shell_print(sh, "faults %u, time-outs %u, aborts %u, late events %u, quarantines %u",
		    info.faults, info.timeouts, info.aborts, info.late, info.quarantines);
	return 0;
}

static int change(const struct shell *sh, int (*call)(struct rnv_npu *npu), const char *done,
		  const char *state_hint)
{
	struct rnv_npu *npu = find_npu(sh);
	int status;

	if (npu == NULL) {
		return RNV_ENOENT;
	}
	status = call(npu);
	switch (status) {
	case RNV_OK:
		shell_print(sh, "%s", done);
		break;
	case RNV_ESTATE:
		shell_error(sh, "%s; try: ranvier npu", state_hint);
		break;
	case RNV_EBUSY:
		shell_error(sh, "the accelerator is in use; try again");
		break;
	default:
		shell_error(sh, "the accelerator's driver: %s (%d)", rnv_shell_status(status),
			    status);
		break;
	}
	return status;
}

static int cmd_suspend(const struct shell *sh, size_t argc, char **argv)
{
	ARG_UNUSED(argc);
	ARG_UNUSED(argv);
	return change(sh, rnv_npu_suspend, "suspended: its steps run on the CPU",
		      "it is suspended already, or quarantined");
}

static int cmd_resume(const struct shell *sh, size_t argc, char **argv)
{
	ARG_UNUSED(argc);
	ARG_UNUSED(argv);
	return change(sh, rnv_npu_resume, "ready", "it is not suspended");
}

static int cmd_recover(const struct shell *sh, size_t argc, char **argv)
{
	ARG_UNUSED(argc);
	ARG_UNUSED(argv);
	return change(sh, rnv_npu_recover, "ready", "it is not quarantined");
}

SHELL_STATIC_SUBCMD_SET_CREATE(npu_commands,
			       SHELL_CMD_ARG(suspend, NULL, "Power down; its steps run on the CPU",
					     cmd_suspend, 1, 0),
			       SHELL_CMD_ARG(resume, NULL, "Power up", cmd_resume, 1, 0),
			       SHELL_CMD_ARG(recover, NULL, "Reset it and end its quarantine",
					     cmd_recover, 1, 0),
			       SHELL_SUBCMD_SET_END);
SHELL_SUBCMD_ADD((ranvier), npu, &npu_commands, "Accelerator: state and counters", cmd_npu, 1,
		 SHELL_OPT_ARG_CHECK_SKIP);
