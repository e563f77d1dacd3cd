/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stddef.h>

#include "ranvier/package.h"
#include "ranvier/status.h"

#include "kernels/kernel.h"
#include "verify.h"

/* Bytes of the dense tensor, or 0 where the shape is empty, too large or malformed. */
static uint32_t dense_bytes(const struct rnv_tensor_rec *t)
{
	uint64_t bytes;

	if (t->rank > RNV_MAX_RANK ||
	    !rnv_all_zero((const uint8_t *)(t->dims + t->rank), 4u * (RNV_MAX_RANK - t->rank))) {
		return 0;
	}
	bytes = (uint64_t)rnv_product((const int32_t *)t->dims, t->rank) * rnv_type_bytes(t->type);
	return (bytes <= INT32_MAX) ? (uint32_t)bytes : 0u;
}

/* Kinds that the format defines and this reader lacks. */
static enum rnv_what unsupported_kind(const struct rnv_tensor_rec *t)
{
	if (t->layout > RNV_LAYOUT_ROWS) {
		return RNV_WHAT_LAYOUT;
	}
	if (t->alias == RNV_ALIAS_LEAD) {
		return RNV_WHAT_ALIAS_LEAD;
	}
	if (t->quant_table != 0u) {
		return RNV_WHAT_CHANNEL_QUANT;
	}
	return RNV_WHAT_NONE;
}

static bool storage_ok(const struct rnv_package *pkg, const struct rnv_tensor_rec *t)
{
	const struct rnv_header *header = pkg->header;
	uint32_t limit = header->arena_bytes;

	switch (t->storage) {
	case RNV_STORAGE_EXTERNAL:
		return t->offset < header->external_count;
	case RNV_STORAGE_ARENA:
		break;
	case RNV_STORAGE_CONST:
		limit = pkg->weights_bytes;
		break;
	case RNV_STORAGE_STATE:
		limit = header->state_bytes;
		break;
	default:
		return false;
	}
	return t->offset % 16u == 0u && rnv_range_ok(t->offset, t->bytes, limit) &&
	       (t->storage == RNV_STORAGE_ARENA || t->flags == 0u);
}

/*
 * An alias names an earlier tensor of the same storage that starts at the same place; an output of
 * the model is never replaced.
 */
static bool alias_ok(const struct rnv_package *pkg, const struct rnv_tensor_rec *t)
{
	const struct rnv_tensor_rec *other;

	if (t->alias == RNV_ALIAS_NONE) {
		return t->alias_tensor == RNV_NO_TENSOR && t->alias_lead == 0u;
	}
	if (t->alias != RNV_ALIAS_SAME || t->alias_lead != 0u ||
	    t->alias_tensor >= (uint32_t)(t - pkg->tensors)) {
		return false;
	}
	other = &pkg->tensors[t->alias_tensor];
	return t->storage == other->storage && t->offset == other->offset &&
	       t->storage != RNV_STORAGE_CONST && t->storage != RNV_STORAGE_STATE &&
	       (t->flags & RNV_TENSOR_INPUT) == 0u && (other->flags & RNV_TENSOR_OUTPUT) == 0u;
}

/*
 * Dense tensors have exactly the bytes of their shape. Images in another layout may have some bytes
 * after their last element, which a kernel writes and restores, or hold only some of their rows.
 */
static bool bytes_ok(const struct rnv_tensor_rec *t)
{
	uint32_t dense = dense_bytes(t);
	uint32_t rows = t->dims[(t->layout == RNV_LAYOUT_PLANES_TRANSPOSED) ? 2 : 1];

	if (t->layout == RNV_LAYOUT_DENSE) {
		return t->bytes != 0u && t->bytes == dense && t->ring_rows == 0u;
	}
	return t->storage == RNV_STORAGE_ARENA && t->flags == 0u && t->rank == 4u &&
	       t->dims[0] == 1u && t->type == RNV_TYPE_INT8 && dense != 0u &&
	       t->ring_rows <= rows && t->bytes <= dense + RNV_TENSOR_SLACK &&
	       t->bytes >= ((t->ring_rows != 0u) ? dense / rows * t->ring_rows : dense);
}

static bool record_ok(const struct rnv_package *pkg, const struct rnv_tensor_rec *t,
		      uint16_t first_step)
{
	return bytes_ok(t) && t->first_step >= first_step && t->last_step >= t->first_step &&
	       t->last_step < pkg->step_count &&
	       (t->flags & ~(RNV_TENSOR_INPUT | RNV_TENSOR_OUTPUT)) == 0u &&
	       t->flags != (RNV_TENSOR_INPUT | RNV_TENSOR_OUTPUT) && t->reserved == 0u &&
	       t->quant_axis == 0u && storage_ok(pkg, t) && alias_ok(pkg, t);
}

int rnv_verify_tensors(const struct rnv_package *pkg, struct rnv_diag *diag)
{
	uint16_t first_step = 0;

	for (uint32_t i = 0; i < pkg->tensor_count; i++) {
		const struct rnv_tensor_rec *t = &pkg->tensors[i];
		enum rnv_what what = unsupported_kind(t);

		if (what != RNV_WHAT_NONE) {
			return rnv_unsupported(diag, what, i, t->storage);
		}
		if (rnv_type_bytes(t->type) == 0u) {
			return rnv_malformed(diag, RNV_WHAT_TYPE, i, t->type);
		}
		if (!record_ok(pkg, t, first_step)) {
			return rnv_malformed(diag, RNV_WHAT_TENSOR, i, t->bytes);
		}
		first_step = t->first_step;
	}
	return RNV_OK;
}
