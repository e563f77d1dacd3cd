/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief Packing base behind the seam of planes/tile.h.
 */

#include <stdbool.h>

#include "kernels/base/gemm.h"
#include "kernels/base/prepare.h"

uint32_t rnv_base_pair_bytes(uint32_t quads, enum rnv_epilogue epilogue)
{
	uint32_t tail = (epilogue == RNV_EPILOGUE_RELU)     ? 12u
			: (epilogue == RNV_EPILOGUE_LINEAR) ? 20u
							    : 8u;

	return 8u + 16u * quads + RNV_BASE_OUTPUTS * tail;
}

/* The epilogues are defined for all words. */
static bool stream_ok(const void *w, const void *w_end, uint32_t quads, enum rnv_epilogue epilogue)
{
	(void)w;
	(void)w_end;
	(void)quads;
	(void)epilogue;
	return true;
}

const struct rnv_tile_ops rnv_base_tile_ops = {
	.width = RNV_BASE_COLUMNS,
	.outputs = RNV_BASE_OUTPUTS,
	.quad_bytes = RNV_BASE_QUAD_BYTES * RNV_BASE_COLUMNS,
	.planes = RNV_BASE_PICK(rnv_base_planes),
	.pixels = RNV_BASE_PICK(rnv_base_pixels),
	.planes_one = RNV_BASE_PICK(rnv_base_planes_one),
	.pixels_one = RNV_BASE_PICK(rnv_base_pixels_one),
	.gemm = {RNV_BASE_PICK(rnv_base_gemm_relu), RNV_BASE_PICK(rnv_base_gemm_linear),
		 RNV_BASE_PICK(rnv_base_gemm_textbook)},
	.gemm_one = {RNV_BASE_PICK(rnv_base_gemm_one_relu), RNV_BASE_PICK(rnv_base_gemm_one_linear),
		     RNV_BASE_PICK(rnv_base_gemm_one_textbook)},
	.block_bytes = rnv_base_pair_bytes,
	.stream_ok = stream_ok,
};
