/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef SIM_OPTIONS_H_
#define SIM_OPTIONS_H_

#include <posix/flash.h>

#include "layout.h"

/* How a host reaches the device. */
enum sim_link {
	SIM_PTY,
	SIM_TCP,
	SIM_STDIO,
};

struct sim_options {
	const char *flash;
	const char *layout;
	const char *keys; /* NULL: none */
	enum sim_link link;
	uint32_t port;         /* of SIM_TCP; 0: any */
	uint32_t baud;         /* 0: as fast as it goes */
	uint32_t buffer_bytes; /* longest SMP message */
	uint32_t arena_bytes[SIM_LANES];
	uint32_t isa_fast; /* bit i: packing i (enum rnv_isa) */
	uint32_t trial_boots;
	uint32_t cut; /* operation in which the power goes, from 1; 0: never */
	uint64_t seed;
	uint32_t has_seed;
	uint32_t allow_unsigned;
	uint32_t fault_count;
	struct rnv_posix_flash_fault faults[RNV_POSIX_FLASH_FAULTS];
	int inherited[4]; /* file descriptors of the lines, after a restart; -1: none */
};

/* Read the command line. Exits with 2 where it is wrong, with 0 after --help and --version. */
void sim_options_read(struct sim_options *options, int argc, char **argv);

#endif /* SIM_OPTIONS_H_ */
