/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_PLANES_TILE_H_
#define RNV_KERNELS_PLANES_TILE_H_

/**
 * @file
 * @brief The seam between the drivers of convolutions over planes and the inner loops of an
 * instruction set.
 *
 * A tile is a few output pixels: for each, its inputs form a *column* of `4 * quads` values. The
 * preparing functions bring a tile's columns into the form that the inner loop reads; `gemm`
 * multiplies them with the weights of all output channels, requantises and stores.
 *
 * The weight stream holds one block for each *pair* of output channels (dsp), or as the packing
 * says. Where the number of output channels is not a multiple of `outputs`, the last block has its
 * missing channels *first*, and the driver runs it on its own with `channel` 0: each store then
 * overwrites the one before, and the last one is real. So no byte outside of the output is written.
 */

#include <stdint.h>

/** How a block of the stream turns sums into outputs. */
enum rnv_epilogue {
	RNV_EPILOGUE_RELU = 0,     /**< multiply-add-saturate, proven for each channel */
	RNV_EPILOGUE_LINEAR = 1,   /**< the same with a correction of negative sums */
	RNV_EPILOGUE_TEXTBOOK = 2, /**< rnv_requantize(), zero point and clamp from the stream */
	RNV_EPILOGUES = 3,
};

/**
 * Weights `w .. w_end` times a tile: outputs of adjacent pixels at `out`, of the next output
 * channel `channel` bytes further, and so on.
 *
 * @param w       first block, 8-byte aligned
 * @param columns prepared tile
 * @param out     first output; any alignment
 * @param channel bytes from one output channel to the next
 * @param w_end   end of the last block; at least one block
 * @param quads   length of a column in groups of four, at least 1
 */
typedef void rnv_gemm_fn(const void *w, const void *columns, int8_t *out, uint32_t channel,
			 const void *w_end, uint32_t quads);

/**
 * Prepare `quads` groups of four values of each column.
 *
 * From planes: pixels adjacent, value i of a group `i * step` bytes from the first, the next group
 * `4 * step` further. From pixels: value i of a column is byte i, and the columns are `step`
 * bytes apart. Reads exactly `4 * quads` values a column, at any alignment.
 *
 * @return end of what was written: where the next groups of the same tile go
 */
typedef void *rnv_prepare_fn(const int8_t *in, uint32_t step, void *columns, uint32_t quads);

/** The functions of one packing, for tiles of `width` pixels and for single pixels. */
struct rnv_tile_ops {
	uint8_t width;          /**< pixels of a full tile */
	uint8_t outputs;        /**< output channels of a block */
	uint16_t quad_bytes;    /**< prepared bytes of one quad of a full tile */
	rnv_prepare_fn *planes; /**< full tile */
	rnv_prepare_fn *pixels; /**< full tile */
	rnv_prepare_fn *planes_one;
	rnv_prepare_fn *pixels_one;
	rnv_gemm_fn *gemm[RNV_EPILOGUES];
	rnv_gemm_fn *gemm_one[RNV_EPILOGUES];
	/** Bytes of a block of the stream. */
	uint32_t (*block_bytes)(uint32_t quads, enum rnv_epilogue epilogue);
	/** True where every word of a stream that could be undefined behaviour is valid. */
	_Bool (*stream_ok)(const void *w, const void *w_end, uint32_t quads,
			   enum rnv_epilogue epilogue);
};

#endif /* RNV_KERNELS_PLANES_TILE_H_ */
