/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stdbool.h>
#include <stddef.h>

#include "ranvier/park.h"

static bool is_of_client(const struct rnv_parked_flash *parked, uint32_t offset, uint32_t bytes)
{
	return offset < parked->end && (offset >= parked->first || bytes > parked->first - offset);
}

/* Behind the operation, whatever became of it. */
static int end(struct rnv_parked_flash *parked, int status)
{
	const int parked_until_now = rnv_park_end(parked->park);

	return status == RNV_OK && parked_until_now != RNV_OK ? RNV_EIO : status;
}

static int parked_read(void *context, uint32_t offset, void *to, uint32_t bytes)
{
	const struct rnv_flash *inner = ((const struct rnv_parked_flash *)context)->inner;

	return inner->read(inner->context, offset, to, bytes);
}

static int parked_program(void *context, uint32_t offset, const void *from, uint32_t bytes)
{
	struct rnv_parked_flash *parked = context;
	const struct rnv_flash *inner = parked->inner;

	if (!is_of_client(parked, offset, bytes)) {
		return inner->program(inner->context, offset, from, bytes);
	}
	if (rnv_park_begin(parked->park) != RNV_OK) {
		return RNV_EIO;
	}
	return end(parked, inner->program(inner->context, offset, from, bytes));
}

static int parked_erase(void *context, uint32_t offset)
{
	struct rnv_parked_flash *parked = context;
	const struct rnv_flash *inner = parked->inner;

	if (!is_of_client(parked, offset, inner->geometry.sector_bytes)) {
		return inner->erase(inner->context, offset);
	}
	if (rnv_park_begin(parked->park) != RNV_OK) {
		return RNV_EIO;
	}
	return end(parked, inner->erase(inner->context, offset));
}

static const void *parked_map(void *context, uint32_t offset, uint32_t bytes)
{
	const struct rnv_flash *inner = ((const struct rnv_parked_flash *)context)->inner;

	return inner->map(inner->context, offset, bytes);
}

int rnv_parked_flash_init(struct rnv_parked_flash *parked, const struct rnv_flash *inner,
			  struct rnv_park *park, uint32_t first, uint32_t end_of_bank,
			  struct rnv_flash *outer)
{
	uint32_t *max_op_us;

	if (parked == NULL || inner == NULL || park == NULL || outer == NULL ||
	    park->region == NULL || park->now_us == NULL || first >= end_of_bank ||
	    end_of_bank > inner->geometry.bytes) {
		return RNV_EINVAL;
	}
	*parked = (struct rnv_parked_flash){
		.inner = inner, .park = park, .first = first, .end = end_of_bank};
	*outer = (struct rnv_flash){
		.context = parked,
		.geometry = inner->geometry,
		.read = parked_read,
		.program = parked_program,
		.erase = parked_erase,
		.map = parked_map,
	};
	max_op_us = &outer->geometry.max_op_us;
	if (*max_op_us != 0u) {
		*max_op_us = *max_op_us < UINT32_MAX - park->begin_us ? *max_op_us + park->begin_us
								      : UINT32_MAX;
	}
	return RNV_OK;
}
