/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <zcbor_encode.h>

#include "smp_internal.h"

/* As MCUmgr tells errors: `{"err": {"group": G, "rc": N}}`. */
static void put_error(zcbor_state_t *out, int status)
{
	(void)(zcbor_tstr_put_lit(out, "err") && zcbor_map_start_encode(out, 2));
	rnv_smp_put_uint(out, "group", RNV_SMP_GROUP);
	rnv_smp_put_int(out, "rc", -status);
	(void)zcbor_map_end_encode(out, 2);
}

int rnv_smp_handle(const struct rnv_smp *smp, uint32_t op, uint32_t id, zcbor_state_t *in,
		   zcbor_state_t *out)
{
	rnv_smp_command command = NULL;
	int status;

	if (id >= RNV_SMP_COMMANDS) {
		return RNV_SMP_ENOTSUP;
	}
	if (op == RNV_SMP_READ) {
		command = rnv_smp_read_command(id);
	} else if (op == RNV_SMP_WRITE) {
		command = rnv_smp_write_command(id);
	}
	if (command == NULL) {
		return RNV_SMP_ENOTSUP;
	}
	status = command(smp, in, out);
	if (status < 0) {
		put_error(out, status);
	}
	return (zcbor_peek_error(out) == ZCBOR_SUCCESS) ? RNV_SMP_EOK : RNV_SMP_EMSGSIZE;
}
