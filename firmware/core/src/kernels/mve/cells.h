/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_MVE_CELLS_H_
#define RNV_KERNELS_MVE_CELLS_H_

/**
 * @file
 * @brief Depthwise outputs from cells: the inputs of a channel's windows in 16 bytes.
 *
 * A cell is a few columns of an image in a ring, one channel of it. The window of an output is one
 * VMLADAV of the cell with 16 weights that are 0 outside of the window. Several outputs share a
 * cell, and the same stored weights, read from other addresses, serve every output and every
 * rotation of the ring.
 */

#include <stdint.h>

/** Channels whose cells are kept. */
#define RNV_MVE_CELLS        16u
/** Bytes of a cell. */
#define RNV_MVE_CELL_BYTES   16u
/** Bytes from one channel's stored weights to the next one's. */
#define RNV_MVE_WEIGHT_BYTES 32u

/** What a step does; cells.S knows every offset. */
struct rnv_mve_cells {
	/** First values of two columns, 16 channels each. */
	const int8_t *from[2];
	/** Where they go: in the cell of the first channel. */
	int8_t *to[2];
	/** Bytes from one value of a column to the next one. */
	uint32_t pitch[2];
	uint32_t rows;           /**< values of a column */
	uint32_t count;          /**< channels: a multiple of 4 */
	const int8_t *cells;     /**< of the first channel */
	const int8_t *weights_0; /**< of the first channel, as the first window reads them */
	const int8_t *weights_1; /**< and the second */
	const int8_t *shift;     /**< of the first channel */
	const int32_t *bias;
	const int32_t *multiplier;
	int8_t *out[4]; /**< first channel of the outputs */
	int32_t out_zp;
	int32_t act_min;
	int32_t act_max;
	const int8_t *cells_end; /**< behind the cell of the last channel */
	uint32_t scale;          /**< `enum rnv_mve_scale` */
};

/** Put two columns into the cells. */
void rnv_mve_cells_fill(const struct rnv_mve_cells *cells);

/**
 * rnv_mve_cells_fill(), then four outputs of every channel: 0 and 1 with the weights 0 and 1; 2 and
 * 3 with those one byte before them, which is one row further down.
 */
void rnv_mve_cells_4(const struct rnv_mve_cells *cells);

/** rnv_mve_cells_fill(), then two outputs of every channel, with the weights 0 and 1. */
void rnv_mve_cells_2(const struct rnv_mve_cells *cells);

#endif /* RNV_KERNELS_MVE_CELLS_H_ */
