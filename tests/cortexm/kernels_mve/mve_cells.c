/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* cells.S: columns into cells, then two or four outputs of every channel. */

#include <string.h>

#include "kernels/mve/cells.h"
#include "kernels/mve/tile.h"
#include "mve_test.h"

#define ROUNDS      300u
#define CELLS_BYTES (RNV_MVE_CELLS * RNV_MVE_CELL_BYTES)
#define FRONT       4u

/* Put two columns into `cells` as cells.h says. */
static void fill(const struct rnv_mve_cells *args, int8_t *cells)
{
	for (uint32_t column = 0; column < 2u; column++) {
		uint32_t to = (uint32_t)(args->to[column] - args->cells);

		for (uint32_t row = 0; row < args->rows; row++) {
			const int8_t *from = args->from[column] + row * args->pitch[column];

			for (uint32_t c = 0; c < args->count; c++) {
				cells[c * RNV_MVE_CELL_BYTES + to + row] = from[c];
			}
		}
	}
}

/* Columns of `rows` rows to two places of a cell that do not overlap. */
static int8_t *set_columns(struct rnv_mve_cells *args)
{
	int8_t *cells = take(CELLS_BYTES);
	uint32_t first;

	args->rows = (uint32_t)random_in(0, 5);
	args->count = (uint32_t)random_in(1, 4) * 4u;
	first = (uint32_t)random_in(0, 16 - 2 * (int32_t)args->rows);
	random_values(cells, CELLS_BYTES);
	args->cells = cells;
	args->cells_end = cells + args->count * RNV_MVE_CELL_BYTES;
	for (uint32_t i = 0; i < 2u; i++) {
		uint32_t pitch = (random_word() % 4u == 0u) ? 0u : args->count + random_word() % 9u;
		uint32_t bytes = (args->rows == 0u) ? 1u : (args->rows - 1u) * pitch + args->count;
		int8_t *from = take(bytes);

		random_values(from, bytes);
		args->from[i] = from;
		args->pitch[i] = pitch;
		args->to[i] = cells + first + i * args->rows;
	}
	if (random_word() % 2u == 0u) { /* the ring has turned */
		int8_t *swap = args->to[0];

		args->to[0] = args->to[1];
		args->to[1] = swap;
	}
	return cells;
}

static void set_channels(struct rnv_mve_cells *args, struct scaling *scaling, uint32_t scale)
{
	int8_t *weights = take(RNV_MVE_CELLS * RNV_MVE_WEIGHT_BYTES);
	int32_t *bias = take_words(args->count * 4u);

	random_values(weights, RNV_MVE_CELLS * RNV_MVE_WEIGHT_BYTES);
	for (uint32_t c = 0; c < args->count; c++) {
		bias[c] = random_in(-20000, 20000);
	}
	random_scaling(scaling, scale, 50000);
	args->weights_0 = weights + FRONT + random_word() % 12u;
	args->weights_1 = weights + FRONT + random_word() % 12u;
	args->shift = scaling->shift;
	args->bias = bias;
	args->multiplier = scaling->multiplier;
	args->out_zp = scaling->out_zp;
	args->act_min = scaling->act_min;
	args->act_max = scaling->act_max;
	args->scale = scale;
}

/* True where outputs `i` of all channels are those of the cells and `weights`. */
static bool holds(const struct rnv_mve_cells *args, const struct scaling *scaling,
		  const int8_t *cells, uint32_t i)
{
	const int8_t *weights = ((i % 2u == 0u) ? args->weights_0 : args->weights_1) - i / 2u;

	for (uint32_t c = 0; c < args->count; c++) {
		int32_t sum = args->bias[c];

		for (uint32_t k = 0; k < RNV_MVE_CELL_BYTES; k++) {
			sum += cells[c * RNV_MVE_CELL_BYTES + k] *
			       weights[c * RNV_MVE_WEIGHT_BYTES + k];
		}
		if (args->out[i][c] != output_of(scaling, c, sum)) {
			return false;
		}
	}
	return true;
}

void test_cells(void)
{
	static const char *const names[] = {"cells_fill", "cells_2", "cells_4"};
	static void (*const run[])(const struct rnv_mve_cells *) = {
		rnv_mve_cells_fill, rnv_mve_cells_2, rnv_mve_cells_4};
	static struct rnv_mve_cells args;
	static struct scaling scaling;
	static int8_t want[CELLS_BYTES];

	for (uint32_t i = 0; i < 3u * ROUNDS; i++) {
		uint32_t kind = i % 3u;
		int8_t *cells;
		bool equal;

		release_all();
		cells = set_columns(&args);
		set_channels(&args, &scaling, random_word() % 3u);
		for (uint32_t out = 0; out < 2u * kind; out++) {
			args.out[out] = take(args.count);
		}
		memcpy(want, cells, CELLS_BYTES);
		fill(&args, want);
		run[kind](&args);
		equal = memcmp(cells, want, CELLS_BYTES) == 0;
		for (uint32_t out = 0; out < 2u * kind; out++) {
			equal = equal && holds(&args, &scaling, want, out);
		}
		end_case(names[kind], equal);
	}
}
