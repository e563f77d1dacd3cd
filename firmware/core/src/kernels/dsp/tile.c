/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief Packing dsp behind the seam of planes/tile.h.
 */

#include <stdbool.h>

#include "kernels/dsp/gemm.h"
#include "kernels/dsp/prepare.h"

static uint32_t block_bytes(uint32_t quads, enum rnv_epilogue epilogue)
{
	return rnv_dsp_block_bytes(RNV_DSP_OUTPUTS, quads, epilogue);
}

static bool stream_ok(const void *w, const void *w_end, uint32_t quads, enum rnv_epilogue epilogue)
{
	return rnv_dsp_stream_ok(w, w_end, RNV_DSP_OUTPUTS, quads, epilogue);
}

const struct rnv_tile_ops rnv_dsp_tile_ops = {
	.width = RNV_DSP_COLUMNS,
	.outputs = RNV_DSP_OUTPUTS,
	.quad_bytes = 8u * RNV_DSP_COLUMNS,
	.planes = RNV_DSP_PICK(rnv_dsp_planes),
	.pixels = RNV_DSP_PICK(rnv_dsp_pixels),
	.planes_one = RNV_DSP_PICK(rnv_dsp_planes_one),
	.pixels_one = RNV_DSP_PICK(rnv_dsp_pixels_one),
	.gemm = {RNV_DSP_PICK(rnv_dsp_gemm_relu), RNV_DSP_PICK(rnv_dsp_gemm_linear),
		 RNV_DSP_PICK(rnv_dsp_gemm_textbook)},
	.gemm_one = {RNV_DSP_PICK(rnv_dsp_gemm_one_relu), RNV_DSP_PICK(rnv_dsp_gemm_one_linear),
		     RNV_DSP_PICK(rnv_dsp_gemm_one_textbook)},
	.block_bytes = block_bytes,
	.stream_ok = stream_ok,
};
