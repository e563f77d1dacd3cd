/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stddef.h>

#include "ranvier/package.h"
#include "ranvier/status.h"

#include "golden.h"
#include "verify.h"

_Static_assert(sizeof(struct rnv_golden) == RNV_GOLDEN_BYTES, "golden");

/* Sum of the sizes of `count` listed tensors; false where it exceeds 32 bits. */
static bool sum_bytes(const struct rnv_package *pkg, uint32_t first, uint32_t count,
		      uint32_t *total)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < count; i++) {
		sum += pkg->tensors[pkg->operands[first + i]].bytes;
	}
	*total = (uint32_t)sum;
	return sum <= UINT32_MAX;
}

int rnv_verify_golden(const struct rnv_package *pkg, struct rnv_diag *diag)
{
	const struct rnv_golden *golden = (const void *)pkg->golden;
	const struct rnv_entry_rec *entry = &pkg->entries[0];
	uint32_t inputs = 0;
	uint32_t outputs = 0;

	if (pkg->golden == NULL) {
		return RNV_OK;
	}
	if (pkg->golden_bytes < RNV_GOLDEN_BYTES ||
	    !sum_bytes(pkg, entry->output_first, entry->output_count, &outputs) ||
	    !sum_bytes(pkg, entry->input_first, entry->input_count, &inputs)) {
		return rnv_refuse(diag, RNV_EFORMAT, RNV_WHAT_SECTION, 0, RNV_SECTION_GOLDEN);
	}
	if (golden->kind > RNV_GOLDEN_STORED) {
		return rnv_refuse(diag, RNV_ENOTSUP, RNV_WHAT_SECTION, 0, RNV_SECTION_GOLDEN);
	}
	if (golden->kind == RNV_GOLDEN_SEEDED) {
		inputs = 0;
	}
	if ((golden->kind == RNV_GOLDEN_SEEDED) == (golden->seed == 0u) ||
	    !rnv_all_zero((const uint8_t *)golden->reserved, sizeof(golden->reserved))) {
		return rnv_refuse(diag, RNV_EFORMAT, RNV_WHAT_SECTION, 0, RNV_SECTION_GOLDEN);
	}
	if (golden->input_bytes != inputs || golden->output_bytes != outputs ||
	    (uint64_t)inputs + outputs != pkg->golden_bytes - RNV_GOLDEN_BYTES) {
		return rnv_refuse(diag, RNV_EFORMAT, RNV_WHAT_SECTION, 0, RNV_SECTION_GOLDEN);
	}
	return RNV_OK;
}
