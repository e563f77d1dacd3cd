/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "ranvier/package.h"
#include "ranvier/status.h"

#include "verify.h"

/* The fields of a state tensor that a package which keeps its state has to have the same. */
static uint32_t layout_of(uint32_t crc, const struct rnv_tensor_rec *t)
{
	crc = rnv_crc32(crc, &t->type, sizeof(t->type) + sizeof(t->rank));
	crc = rnv_crc32(crc, &t->offset, sizeof(t->offset) + sizeof(t->bytes));
	crc = rnv_crc32(crc, &t->scale_bits, sizeof(t->scale_bits) + sizeof(t->zero_point));
	return rnv_crc32(crc, t->dims, sizeof(t->dims));
}

int rnv_verify_state(const struct rnv_package *pkg, struct rnv_diag *diag)
{
	const struct rnv_header *header = pkg->header;
	uint32_t end = 0;
	uint32_t layout = 0;

	for (uint32_t i = 0; i < pkg->tensor_count; i++) {
		const struct rnv_tensor_rec *t = &pkg->tensors[i];

		if (t->storage != RNV_STORAGE_STATE) {
			continue;
		}
		if (t->offset < end || t->first_step != 0u ||
		    t->last_step != pkg->step_count - 1u) {
			return rnv_malformed(diag, RNV_WHAT_STATE, i, t->offset);
		}
		end = (t->offset + t->bytes + 15u) & ~UINT32_C(15);
		layout = layout_of(layout, t);
	}
	if (header->state_bytes != end || header->state_layout != layout) {
		return rnv_malformed(diag, RNV_WHAT_STATE, RNV_NO_TENSOR, header->state_bytes);
	}
	return RNV_OK;
}
