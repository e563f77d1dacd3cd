/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* tile.S: three pixels and one, segments of all kinds, every way to requantise. */

#include <string.h>

#include "kernels/mve/tile.h"
#include "mve_test.h"

#define MAX_BLOCKS   4u
#define MAX_SEGMENTS 9u
#define ROUNDS       250u

/* A way to compute a tile, and the windows that it takes. */
struct way {
	const char *name;
	rnv_mve_tile_run run;
	uint32_t pixels;
	uint32_t turn;  /* inputs of a turn; 1: any number of inputs */
	uint32_t turns; /* of a segment at most */
	uint32_t segments;
};

static const struct way ways[] = {
	{"tile_3", rnv_mve_tile_3, 3, 1, 1100, 1},
	{"tile_3 segments", rnv_mve_tile_3, 3, 16, 5, MAX_SEGMENTS},
	{"tile_3_by_32", rnv_mve_tile_3_by_32, 3, 32, 4, MAX_SEGMENTS},
	{"tile_3_by_48", rnv_mve_tile_3_by_48, 3, 48, 4, MAX_SEGMENTS},
	{"tile_3_short", rnv_mve_tile_3_short, 3, 1, 16, 1},
	{"tile_1", rnv_mve_tile_1, 1, 1, 1100, 1},
};

/* A tile and the memory that it is about. */
struct arena {
	struct rnv_mve_tile tile;
	struct scaling scaling;
	const int8_t *table[(MAX_SEGMENTS + 1u) * RNV_MVE_PIXELS];
	uint32_t segments;
	uint32_t length; /* inputs of a segment */
	int8_t *out;
	int8_t want[RNV_MVE_PIXELS * (4u * MAX_BLOCKS + 8u)];
	uint32_t out_bytes;
};

static void set_inputs(struct arena *a, const struct way *way)
{
	uint32_t turns = (uint32_t)random_in(1, (int32_t)way->turns);

	a->segments = (uint32_t)random_in(1, (int32_t)way->segments);
	a->length = turns * way->turn;
	a->tile.depth = a->segments * a->length;
	a->tile.segment = (way->turn == 32u || way->turn == 48u) ? turns : a->length;
	for (uint32_t pixel = 0; pixel < way->pixels; pixel++) {
		int8_t *values = take(a->tile.depth);

		random_values(values, a->tile.depth);
		for (uint32_t i = 0; i < a->segments; i++) {
			/* The table may name the segments in any order. */
			uint32_t place = (i * 5u + 3u) % a->segments;

			place = (a->segments == 5u) ? i : place;
			a->table[i * RNV_MVE_PIXELS + pixel] = values + place * a->length;
		}
	}
	a->table[a->segments * RNV_MVE_PIXELS] = NULL;
	a->tile.inputs = (way->pixels == 1u) ? (const void *)a->table[0] : a->table;
}

static void set_channels(struct arena *a, uint32_t scale)
{
	uint32_t channels;
	int8_t *weights;
	int32_t *bias;
	bool each = random_word() % 4u != 0u;

	a->tile.blocks = (uint32_t)random_in(1, (int32_t)MAX_BLOCKS);
	channels = 4u * a->tile.blocks;
	weights = take(channels * a->tile.depth);
	bias = take_words(channels * 4u);
	random_values(weights, channels * a->tile.depth);
	for (uint32_t i = 0; i < channels; i++) {
		bias[i] = random_in(-(1 << 20), 1 << 20) >> (random_word() % 20u);
	}
	random_scaling(&a->scaling, scale, (int32_t)a->tile.depth * 2000 + 1000);
	if (!each) {
		for (uint32_t i = 1; i < 64u; i++) {
			a->scaling.multiplier[i] = a->scaling.multiplier[0];
			a->scaling.shift[i] = a->scaling.shift[0];
		}
	}
	a->tile.weights = weights;
	a->tile.bias = bias;
	a->tile.multiplier = a->scaling.multiplier;
	a->tile.shift = a->scaling.shift;
	a->tile.multiplier_step = each ? 16u : 0u;
	a->tile.shift_step = each ? 4u : 0u;
	a->tile.out_zp = a->scaling.out_zp;
	a->tile.act_min = a->scaling.act_min;
	a->tile.act_max = a->scaling.act_max;
	a->tile.scale = scale;
}

static void set_outputs(struct arena *a, uint32_t pixels)
{
	uint32_t channels = 4u * a->tile.blocks;

	a->tile.out_step = channels + random_word() % 8u;
	a->out_bytes = (pixels - 1u) * a->tile.out_step + channels;
	a->out = take(a->out_bytes);
	a->tile.out = a->out;
	memset(a->out, 0x55, a->out_bytes);
	memset(a->want, 0x55, sizeof(a->want));
	for (uint32_t pixel = 0; pixel < pixels; pixel++) {
		for (uint32_t c = 0; c < channels; c++) {
			uint32_t sum = (uint32_t)a->tile.bias[c];
			const int8_t *w = a->tile.weights + c * a->tile.depth;

			for (uint32_t i = 0; i < a->segments; i++) {
				const int8_t *x = a->table[i * RNV_MVE_PIXELS + pixel];

				for (uint32_t k = 0; k < a->length; k++) {
					sum += (uint32_t)(x[k] * *w++);
				}
			}
			a->want[pixel * a->tile.out_step + c] =
				output_of(&a->scaling, c, (int32_t)sum);
		}
	}
}

void test_tiles(void)
{
	static struct arena a;

	for (uint32_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		for (uint32_t round = 0; round < ROUNDS; round++) {
			release_all();
			set_inputs(&a, &ways[i]);
			set_channels(&a, round % 3u);
			set_outputs(&a, ways[i].pixels);
			ways[i].run(&a.tile);
			end_case(ways[i].name, memcmp(a.out, a.want, a.out_bytes) == 0);
		}
	}
}
