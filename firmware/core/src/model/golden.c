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
 * The sizes of all inputs or outputs (`flag`) add up to `wanted`. Each takes its share of what is
 * left: no sum can overflow.
 */
static bool bytes_are(const struct rnv_package *pkg, uint32_t flag, uint32_t wanted)
{
	for (uint32_t i = 0; i < pkg->tensor_count; i++) {
		const struct rnv_tensor_rec *t = &pkg->tensors[i];

		if ((t->flags & flag) == 0u) {
			continue;
		}
		if (t->bytes > wanted) {
			return false;
		}
		wanted -= t->bytes;
	}
	return wanted == 0u;
}

static bool golden_ok(const struct rnv_package *pkg, const struct rnv_golden *golden)
{
	uint32_t left = pkg->golden_bytes - RNV_GOLDEN_BYTES;
	bool seeded = golden->kind == RNV_GOLDEN_SEEDED;

	return seeded != (golden->seed == 0u) && golden->input_bytes <= left &&
	       golden->output_bytes == left - golden->input_bytes &&
	       rnv_all_zero((const uint8_t *)golden->reserved, sizeof(golden->reserved)) &&
	       bytes_are(pkg, seeded ? 0u : RNV_TENSOR_INPUT, golden->input_bytes) &&
	       bytes_are(pkg, RNV_TENSOR_OUTPUT, golden->output_bytes);
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
