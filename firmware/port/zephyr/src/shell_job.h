/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_PORT_ZEPHYR_SHELL_JOB_H_
#define RANVIER_PORT_ZEPHYR_SHELL_JOB_H_

/**
 * @file
 * @brief The shell's jobs: their memory is kept with the result until a later job needs it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <zephyr/kernel.h>
#include <zephyr/shell/shell.h>

#include <ranvier/sched.h>

#define RNV_SHELL_BUFFER_ALIGN 8

/** `rnv_shell_job.state` */
enum rnv_shell_state {
	RNV_SHELL_FREE = 0,
	RNV_SHELL_PENDING = 1, /**< the scheduler's */
	RNV_SHELL_DONE = 2,
};

/** A job and, once it is done, its result. */
struct rnv_shell_job {
	atomic_t state; /**< enum rnv_shell_state */
	uint32_t order; /**< of submission */
	uint32_t job;   /**< handle */
	uint32_t lane;
	struct rnv_job_result result;
	struct rnv_buffer buffers[CONFIG_RANVIER_EXTERNALS_PER_JOB]; /**< in `memory` */
	uint16_t input_count;
	uint16_t buffer_count;
	bool classes;               /**< the first output is one row of int8 */
	char model[RNV_NAME_BYTES]; /**< name */
	uint8_t memory[CONFIG_RANVIER_SHELL_BUFFER_SIZE] __aligned(RNV_SHELL_BUFFER_ALIGN);
};

/** CONFIG_RANVIER_SHELL_JOBS entries. */
extern struct rnv_shell_job rnv_shell_jobs[];

/** Of @ref rnv_shell_jobs, but for what ends a job. */
extern struct k_mutex rnv_shell_jobs_lock;

/** Handler of `ranvier job submit`. */
int rnv_shell_submit(const struct shell *sh, size_t argc, char **argv);

#endif /* RANVIER_PORT_ZEPHYR_SHELL_JOB_H_ */
