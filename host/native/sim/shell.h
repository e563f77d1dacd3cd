/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef SIM_SHELL_H_
#define SIM_SHELL_H_

/* A small shell, by the words of the Zephyr application's. */

#include <posix/smp.h>

#include "device.h"

/* A session: one for each line. */
struct sim_shell {
	struct sim_device *device;
	struct rnv_posix_smp *smp;
	int code; /* of the last command, for `retval` */
};

/* For rnv_posix_smp_config.line, with a struct sim_shell as context. */
void sim_shell_line(void *shell, const char *text, uint32_t bytes);

/* printf() to the session. */
void sim_shell_print(struct sim_shell *shell, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* `job run MODEL [LANE] [--seed N]`. Returns a code of ranvier/status.h. */
int sim_shell_run(struct sim_shell *shell, int argc, char **argv);

#endif /* SIM_SHELL_H_ */
