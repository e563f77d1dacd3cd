/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The commands of op write in a read-only build: only those that leave everything as it is. */

#include "smp_internal.h"

static int refuse(const struct rnv_smp *smp, struct rnv_smp_request *request, zcbor_state_t *out)
{
	(void)smp;
	(void)request;
	(void)out;
	return RNV_ENOTSUP;
}

const bool rnv_smp_is_read_only = true;

const struct rnv_smp_command rnv_smp_writes[] = {
	{refuse, RNV_SMP_CMD_UPLOAD, 0},
	{refuse, RNV_SMP_CMD_ACTIVATE, 0},
	{refuse, RNV_SMP_CMD_CONFIRM, 0},
	{refuse, RNV_SMP_CMD_ROLLBACK, 0},
	{refuse, RNV_SMP_CMD_ERASE, 0},
	{refuse, RNV_SMP_CMD_ABORT, 0},
	{rnv_smp_run_write, RNV_SMP_CMD_RUN, RNV_SMP_HAS(OFF)},
	{refuse, RNV_SMP_CMD_PROFILE, 0},
	{rnv_smp_selftest_write, RNV_SMP_CMD_SELFTEST, RNV_SMP_HAS(M)},
	{refuse, RNV_SMP_CMD_REVOKE, 0},
	{NULL, 0, 0},
};
