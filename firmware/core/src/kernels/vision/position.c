/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/vision/position.h"

bool rnv_positions_ok(const struct rnv_position *positions, uint32_t count, uint32_t limit)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t last = positions[i].index + ((positions[i].fraction != 0u) ? 1u : 0u);

		if (positions[i].fraction >= RNV_POSITION_ONE || last >= limit) {
			return false;
		}
	}
	return true;
}
