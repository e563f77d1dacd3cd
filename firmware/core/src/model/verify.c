/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stddef.h>

#include "verify.h"

void rnv_diagnose(struct rnv_diag *diag, enum rnv_what what, uint32_t index, uint32_t value)
{
	if (diag != NULL) {
		diag->what = (uint32_t)what;
		diag->index = index;
		diag->value = value;
	}
}

bool rnv_range_ok(uint32_t offset, uint32_t bytes, uint32_t limit)
{
	return offset <= limit && bytes <= limit - offset;
}

bool rnv_all_zero(const uint8_t *bytes, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (bytes[i] != 0u) {
			return false;
		}
	}
	return true;
}

uint32_t rnv_name_length(const uint8_t *name, uint32_t bytes)
{
	uint32_t length = 0;

	while (length < bytes - 1u && name[length] != 0u) {
		length++;
	}
	return rnv_all_zero(name + length, bytes - length) ? length : 0u;
}

uint32_t rnv_listed(const uint16_t *list, uint32_t count, uint32_t tensor)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (list[i] == tensor) {
			found |= UINT32_C(1) << ((i < 31u) ? i : 31u);
		}
	}
	return found;
}
