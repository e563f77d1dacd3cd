/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_PORT_ZEPHYR_SHELL_INTERNAL_H_
#define RANVIER_PORT_ZEPHYR_SHELL_INTERNAL_H_

/**
 * @file
 * @brief Between the files of the shell's commands.
 *
 * Each file adds its commands to the root command `ranvier`, so that Kconfig chooses by files.
 * Handlers return 0, or a code of ranvier/status.h after they have said what failed and what to
 * try.
 */

#include <stddef.h>
#include <stdint.h>

#include <zephyr/shell/shell.h>

#include <ranvier/sched.h>

/** Most characters of a list of lanes, its end included. */
#define RNV_SHELL_LANES_CHARS 48

/**
 * Handler of a command that has only commands below it: prints its help, or that there is no such
 * command.
 *
 * @retval SHELL_CMD_HELP_PRINTED the help is printed
 * @retval RNV_EINVAL             said: no such command
 */
int rnv_shell_group(const struct shell *sh, size_t argc, char **argv);

/** Words for a code of ranvier/status.h; static. */
const char *rnv_shell_status(int status);

/**
 * A number in decimal or, with 0x, in hexadecimal.
 *
 * @param what what it is, for the error
 * @retval RNV_EINVAL said: not a number of 32 bits
 */
int rnv_shell_number(const struct shell *sh, const char *text, const char *what, uint32_t *number);

/**
 * A model by its name or its number.
 *
 * @retval RNV_ENOENT said: no such model
 */
int rnv_shell_model(const struct shell *sh, const char *text, struct rnv_model_info *info);

/**
 * A lane by its name (a hyphen may stand for the space) or its number.
 *
 * @retval RNV_EINVAL said: no such lane
 */
int rnv_shell_lane(const struct shell *sh, const char *text, uint32_t *lane);

/**
 * Names of lanes.
 *
 * @param lanes bit l: lane l
 * @param text  receives RNV_SHELL_LANES_CHARS: names with commas between; "none" for none
 * @return `text`
 */
const char *rnv_shell_lanes(uint32_t lanes, char *text);

/** Name of a model: zero-terminated, in its package. */
const char *rnv_shell_name(const struct rnv_package *pkg);

/** Number of a model, by its handle: what `ranvier model list` shows. */
uint32_t rnv_shell_slot(uint32_t model);

#endif /* RANVIER_PORT_ZEPHYR_SHELL_INTERNAL_H_ */
