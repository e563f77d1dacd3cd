/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The commands of op write in a read-only build: only those that leave everything as it is. */

#include "smp_internal.h"

static int refuse(const struct rnv_smp *smp, zcbor_state_t *in, zcbor_state_t *out)
{
	(void)smp;
	(void)in;
	(void)out;
	return RNV_ENOTSUP;
}

const bool rnv_smp_is_read_only = true;

rnv_smp_command rnv_smp_write_command(uint32_t id)
{
	switch (id) {
	case RNV_SMP_CMD_RUN:
		return rnv_smp_run_write;
	case RNV_SMP_CMD_SELFTEST:
		return rnv_smp_selftest_write;
	case RNV_SMP_CMD_INFO:
	case RNV_SMP_CMD_MODEL:
	case RNV_SMP_CMD_UPDATE:
	case RNV_SMP_CMD_LANE:
	case RNV_SMP_CMD_STEPS:
		return NULL;
	default:
		return refuse;
	}
}
