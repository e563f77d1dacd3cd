/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <zcbor_encode.h>

#include "smp_internal.h"

/* As MCUmgr tells errors: `{"err": {"group": G, "rc": N}}`. */
static void put_error(zcbor_state_t *out, int status)
{
	rnv_smp_put_key(out, RNV_SMP_KEY_ERR);
	(void)zcbor_map_start_encode(out, 2);
	rnv_smp_put_uint(out, RNV_SMP_KEY_GROUP, RNV_SMP_GROUP);
	rnv_smp_put_uint(out, RNV_SMP_KEY_RC, (uint32_t)-status);
	(void)zcbor_map_end_encode(out, 2);
}

static int answer(const struct rnv_smp *smp, const struct rnv_smp_command *command,
		  const zcbor_state_t *in, zcbor_state_t *out)
{
	struct rnv_smp_request request = {.run.deadline_us = RNV_NEVER,
					  .run.lane = RNV_SERVER_ANY_LANE,
					  .slot = RNV_STORE_NO_SLOT,
					  .model = RNV_EINVAL};

	if (!rnv_smp_decode(in, &request) || (command->needs & ~request.found) != 0u) {
		return RNV_EINVAL;
	}
	if ((request.found & RNV_SMP_HAS(M)) != 0u) {
		request.model = rnv_server_find(smp->server, request.m.data, request.m.bytes);
		if (request.model < 0 && (command->needs & RNV_SMP_HAS(M)) != 0u) {
			return request.model;
		}
	}
	return command->handler(smp, &request, out);
}

int rnv_smp_handle(const struct rnv_smp *smp, uint32_t op, uint32_t id, zcbor_state_t *in,
		   zcbor_state_t *out)
{
	const struct rnv_smp_command *command =
		(op == RNV_SMP_READ) ? rnv_smp_reads : rnv_smp_writes;
	int status;

	if (op != RNV_SMP_READ && op != RNV_SMP_WRITE) {
		return RNV_SMP_ENOTSUP;
	}
	while (command->handler != NULL && command->id != id) {
		command++;
	}
	if (command->handler == NULL) {
		return RNV_SMP_ENOTSUP;
	}
	status = answer(smp, command, in, out);
	if (status < 0) {
		put_error(out, status);
	}
	return (zcbor_peek_error(out) == ZCBOR_SUCCESS) ? RNV_SMP_EOK : RNV_SMP_EMSGSIZE;
}
