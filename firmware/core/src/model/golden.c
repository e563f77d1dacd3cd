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

/*
 * The sizes of `count` listed tensors add up to `wanted`. Each takes its share of what is left: no
 * sum can overflow.
 */
static bool bytes_are(const struct rnv_package *pkg, uint32_t first, uint32_t count,
		      uint32_t wanted)
{
	for (; count != 0u; count--, first++) {
		uint32_t bytes = pkg->tensors[pkg->operands[first]].bytes;

		if (bytes > wanted) {
			return false;
		}
		wanted -= bytes;
	}
	return wanted == 0u;
}

static bool golden_ok(const struct rnv_package *pkg, const struct rnv_golden *golden)
{
	const struct rnv_entry_rec *entry = &pkg->entries[0];
	uint32_t left = pkg->golden_bytes - RNV_GOLDEN_BYTES;
	bool seeded = golden->kind == RNV_GOLDEN_SEEDED;

	return seeded != (golden->seed == 0u) && golden->input_bytes <= left &&
	       golden->output_bytes == left - golden->input_bytes &&
	       rnv_all_zero((const uint8_t *)golden->reserved, sizeof(golden->reserved)) &&
	       bytes_are(pkg, entry->input_first, seeded ? 0u : entry->input_count,
			 golden->input_bytes) &&
	       bytes_are(pkg, entry->output_first, entry->output_count, golden->output_bytes);
}

int rnv_verify_golden(const struct rnv_package *pkg, struct rnv_diag *diag)
{
	const struct rnv_golden *golden = (const void *)pkg->golden;

	if (golden == NULL) {
		return RNV_OK;
	}
	if (pkg->golden_bytes >= RNV_GOLDEN_BYTES && golden->kind > RNV_GOLDEN_STORED) {
		return rnv_unsupported(diag, RNV_WHAT_SECTION, 0, RNV_SECTION_GOLDEN);
	}
	if (pkg->golden_bytes < RNV_GOLDEN_BYTES || !golden_ok(pkg, golden)) {
		return rnv_malformed(diag, RNV_WHAT_SECTION, 0, RNV_SECTION_GOLDEN);
	}
	return RNV_OK;
}
