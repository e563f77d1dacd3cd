/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stddef.h>

#include "ranvier/golden.h"
#include "ranvier/status.h"

#include "exec/golden.h"

int rnv_golden_start(struct rnv_golden_walk *walk, const struct rnv_package *pkg)
{
	const struct rnv_golden *golden = (const void *)pkg->golden;

	if (golden == NULL) {
		return RNV_EINVAL;
	}
	rnv_golden_rewind(walk, golden);
	return pkg->entry_count;
}

void rnv_golden_fill(struct rnv_golden_walk *walk, void *data, uint32_t bytes)
{
	for (uint8_t *to = data; bytes != 0u; bytes--) {
		*to++ = rnv_golden_input(walk);
	}
}

int rnv_golden_compare(struct rnv_golden_walk *walk, const void *data, uint32_t bytes)
{
	const uint8_t *from = data;

	for (; bytes != 0u; bytes--) {
		if (*from++ != *walk->expected++) {
			return RNV_EBADMSG;
		}
	}
	return RNV_OK;
}
