/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The root command, and what is known without models and jobs: version, ops, stacks. */

#include <string.h>

#include <zephyr/kernel.h>
#include <zephyr/version.h>

#include <ranvier/package.h>
#include <ranvier/status.h>
#include <ranvier/zephyr/runtime.h>

#include "shell_internal.h"

#define ROOT          "ranvier"
#define THREAD_PREFIX "ranvier"

int rnv_shell_group(const struct shell *sh, size_t argc, char **argv)
{
	if (argc == 1U) {
		shell_help(sh);
		return SHELL_CMD_HELP_PRINTED;
	}
	shell_error(sh, "%s: no command \"%s\"; try: %s%s --help", argv[0], argv[1],
		    (strcmp(argv[0], ROOT) == 0) ? "" : ROOT " ", argv[0]);
	return RNV_EINVAL;
}

static int cmd_version(const struct shell *sh, size_t argc, char **argv)
{
	ARG_UNUSED(argc);
	ARG_UNUSED(argv);
	shell_print(sh, "Ranvier %s, packages of format %u and ABI %u", RANVIER_VERSION,
		    RNV_PACKAGE_FORMAT, RNV_PACKAGE_ABI);
	shell_print(sh, "Zephyr %s, %s, models packed for %s", KERNEL_VERSION_STRING,
		    CONFIG_BOARD_TARGET, CONFIG_RANVIER_ISA);
	return 0;
}

static int cmd_ops(const struct shell *sh, size_t argc, char **argv)
{
	uint8_t opset[RNV_OPSET_BYTES];

	ARG_UNUSED(argc);
	ARG_UNUSED(argv);
	rnv_opset_get(opset);
	for (uint16_t code = 0; code < 8U * sizeof(opset); code++) {
		if ((opset[code / 8U] & BIT(code % 8U)) != 0U) {
			shell_print(sh, "%3u %s", code, rnv_op_name(code));
		}
	}
	return 0;
}

static void print_stack(const struct k_thread *thread, void *user_data)
{
	const struct shell *sh = user_data;
	const char *name = k_thread_name_get((k_tid_t)thread);
	size_t size = thread->stack_info.size;
	size_t unused;

	if (name == NULL || strncmp(name, THREAD_PREFIX, strlen(THREAD_PREFIX)) != 0) {
		return;
	}
	if (k_thread_stack_space_get(thread, &unused) == 0) {
		shell_print(sh, "%s: used %zu of %zu bytes", name, size - unused, size);
	} else {
		shell_error(sh, "%s: cannot be measured", name);
	}
}

static int cmd_stack(const struct shell *sh, size_t argc, char **argv)
{
	ARG_UNUSED(argc);
	ARG_UNUSED(argv);
	k_thread_foreach_unlocked(print_stack, (void *)sh);
	if (IS_ENABLED(CONFIG_ARCH_POSIX)) {
		shell_warn(sh, "threads of this simulated board run on stacks of the host");
	}
	return 0;
}

SHELL_SUBCMD_SET_CREATE(commands, (ranvier));
SHELL_SUBCMD_ADD((ranvier), version, NULL, "Versions of Ranvier, its packages, and Zephyr",
		 cmd_version, 1, 0);
SHELL_SUBCMD_ADD((ranvier), ops, NULL, "Ops that are linked: code and name", cmd_ops, 1, 0);
SHELL_SUBCMD_ADD((ranvier), stack, NULL, "Most that each thread of Ranvier used of its stack",
		 cmd_stack, 1, 0);
SHELL_CMD_ARG_REGISTER(ranvier, &commands, "Neural networks as jobs", rnv_shell_group, 1,
		       SHELL_OPT_ARG_CHECK_SKIP);
