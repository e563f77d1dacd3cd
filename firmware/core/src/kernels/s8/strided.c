/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/s8/strided.h"

uint32_t rnv_strided_end(const int32_t *sizes, const int32_t *strides, uint32_t rank, int32_t first)
{
	uint64_t end = (uint64_t)first + 1u;

	for (uint32_t i = 0; i < rank; i++) {
		end += (uint64_t)((uint32_t)sizes[i] - 1u) * (uint32_t)strides[i];
		if (end > INT32_MAX) {
			return 0;
		}
	}
	return (uint32_t)end;
}

bool rnv_strided_dense(const int32_t *sizes, const int32_t *strides, uint32_t rank)
{
	uint32_t dense = 1;

	for (uint32_t i = rank; i-- > 0u;) {
		if (sizes[i] != 1 && (uint32_t)strides[i] != dense) {
			return false;
		}
		dense *= (uint32_t)sizes[i];
	}
	return true;
}

uint32_t rnv_strided_row(const int32_t *sizes, const int32_t *strides, uint32_t rank, uint32_t row)
{
	uint32_t index = 0;

	for (uint32_t i = rank - 1u; i-- > 0u;) {
		uint32_t size = (uint32_t)sizes[i];

		index += row % size * (uint32_t)strides[i];
		row /= size;
	}
	return index;
}
