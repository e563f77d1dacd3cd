/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stddef.h>

#include "ranvier/package.h"
#include "ranvier/status.h"

#include "verify.h"

/* Sections that this reader uses, and the size of their records (0: plain bytes). */
static const uint8_t record_bytes[] = {
	[RNV_SECTION_TENSORS] = sizeof(struct rnv_tensor_rec),
	[RNV_SECTION_OPERANDS] = sizeof(uint16_t),
	[RNV_SECTION_OPS] = sizeof(struct rnv_op_rec),
	[RNV_SECTION_STEPS] = sizeof(struct rnv_step_rec),
	[RNV_SECTION_ENTRIES] = sizeof(struct rnv_entry_rec),
	[RNV_SECTION_PARAMS] = sizeof(int32_t),
	[RNV_SECTION_NAMES] = 0,
};

#define SECTION_KINDS (sizeof(record_bytes) / sizeof(record_bytes[0]))

static void take_section(struct rnv_package *pkg, const struct rnv_section_rec *rec)
{
	const void *data = (const uint8_t *)pkg->header + rec->offset;

	switch (rec->kind) {
	case RNV_SECTION_TENSORS:
		pkg->tensors = data;
		pkg->tensor_count = (uint16_t)rec->count;
		break;
	case RNV_SECTION_OPERANDS:
		pkg->operands = data;
		pkg->operand_count = (uint16_t)rec->count;
		break;
	case RNV_SECTION_OPS:
		pkg->ops = data;
		pkg->op_count = (uint16_t)rec->count;
		break;
	case RNV_SECTION_STEPS:
		pkg->steps = data;
		pkg->step_count = (uint16_t)rec->count;
		break;
	case RNV_SECTION_ENTRIES:
		pkg->entries = data;
		pkg->entry_count = (uint16_t)rec->count;
		break;
	case RNV_SECTION_PARAMS:
		pkg->params = data;
		pkg->params_bytes = rec->bytes;
		break;
	case RNV_SECTION_WEIGHTS:
		pkg->weights = data;
		pkg->weights_bytes = rec->bytes;
		break;
	case RNV_SECTION_LABELS:
		pkg->labels = data;
		pkg->label_count = (uint16_t)rec->count;
		break;
	case RNV_SECTION_GOLDEN:
		pkg->golden = data;
		pkg->golden_bytes = rec->bytes;
		break;
	default: /* for hosts, or optional and unknown */
		break;
	}
}

/* Every label ends with a zero byte, and there are as many as the section says. */
static bool labels_ok(const struct rnv_package *pkg, uint32_t bytes)
{
	uint32_t ends = 0;

	for (uint32_t i = 0; i < bytes; i++) {
		ends += (pkg->labels[i] == 0u) ? 1u : 0u;
	}
	return ends == pkg->label_count && (bytes == 0u || pkg->labels[bytes - 1u] == 0u);
}

static int verify_section(const struct rnv_section_rec *rec, uint32_t row, uint32_t limit,
			  struct rnv_diag *diag)
{
	uint32_t size;

	if (rec->offset % 16u != 0u || !rnv_range_ok(rec->offset, rec->bytes, limit) ||
	    (rec->flags & ~(uint32_t)RNV_SECTION_OPTIONAL) != 0u) {
		return rnv_malformed(diag, RNV_WHAT_SECTION, row, rec->offset);
	}
	if (rec->kind == 0u || rec->kind >= SECTION_KINDS) {
		if ((rec->flags & RNV_SECTION_OPTIONAL) == 0u) {
			return rnv_unsupported(diag, RNV_WHAT_SECTION, row, rec->kind);
		}
		return RNV_OK;
	}
	size = record_bytes[rec->kind];
	if (rec->count >= RNV_NO_TENSOR && rec->kind != RNV_SECTION_PARAMS) {
		return rnv_malformed(diag, RNV_WHAT_SECTION, row, rec->count);
	}
	if (size != 0u ? (rec->bytes % size != 0u || rec->bytes / size != rec->count)
		       : (rec->count != 0u && rec->kind != RNV_SECTION_LABELS)) {
		return rnv_malformed(diag, RNV_WHAT_SECTION, row, rec->bytes);
	}
	return RNV_OK;
}

/* The bytes from `end` to `offset` are padding: zero. */
static bool padding_ok(const struct rnv_package *pkg, uint32_t end, uint32_t offset)
{
	return offset >= end && rnv_all_zero((const uint8_t *)pkg->header + end, offset - end);
}

int rnv_verify_sections(struct rnv_package *pkg, struct rnv_diag *diag)
{
	const struct rnv_header *header = pkg->header;
	const struct rnv_section_rec *table = (const void *)(header + 1);
	uint32_t limit = header->total_bytes - RNV_TRAILER_BYTES;
	uint32_t end = RNV_HEADER_BYTES + header->section_count * (uint32_t)sizeof(*table);
	uint32_t labels_bytes = 0;
	uint32_t kind = 0;

	if (end > limit) {
		return rnv_malformed(diag, RNV_WHAT_SECTION, 0, header->section_count);
	}
	/* Where these are missing, their length is 0; offset 0 of NULL would be undefined. */
	pkg->params = (const void *)header;
	pkg->weights = (const void *)header;
	for (uint32_t row = 0; row < header->section_count; row++) {
		const struct rnv_section_rec *rec = &table[row];
		int status = verify_section(rec, row, limit, diag);

		if (status != RNV_OK) {
			return status;
		}
		if (rec->kind <= kind || !padding_ok(pkg, end, rec->offset)) {
			return rnv_malformed(diag, RNV_WHAT_SECTION, row, rec->kind);
		}
		kind = rec->kind;
		end = rec->offset + rec->bytes;
		take_section(pkg, rec);
		labels_bytes = (kind == RNV_SECTION_LABELS) ? rec->bytes : labels_bytes;
	}
	if (pkg->tensor_count == 0u || pkg->step_count == 0u || pkg->entry_count == 0u ||
	    pkg->operand_count == 0u || !labels_ok(pkg, labels_bytes) ||
	    !padding_ok(pkg, end, limit)) {
		return rnv_malformed(diag, RNV_WHAT_SECTION, header->section_count, 0);
	}
	return RNV_OK;
}
