/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Inner loops and column preparation of packing base over random parameters, each against the plain
 * formula: the build's own version (assembly on a Cortex-M) and the portable twin; and both against
 * each other on streams of any words.
 */

#include <string.h>

#include "kernels/base/gemm.h"
#include "kernels/base/prepare.h"

#include "base_oracle.h"
#include "support.h"

#define MAX_QUADS (MAX_INPUTS / 4u)
#define MAX_STEP  40u
#define MAX_PAIRS ((MAX_OUTPUTS + 1u) / 2u)
#define RARITY    7u /* one byte of so many of a stream of any words is 0x80 */

enum kind {
	ONE,
	TILE,
	DIRECT
};

struct version {
	const char *name;
	rnv_prepare_fn *prepare[2][2]; /* [pixels, planes][ONE, TILE] */
	rnv_gemm_fn *gemm[3][RNV_EPILOGUES];
};

#define VERSION(label, pick)                                                                       \
	{                                                                                          \
		.name = label,                                                                     \
		.prepare = {{pick(rnv_base_pixels_one), pick(rnv_base_pixels)},                    \
			    {pick(rnv_base_planes_one), pick(rnv_base_planes)}},                   \
		.gemm =                                                                            \
			{                                                                          \
				{pick(rnv_base_gemm_one_relu), pick(rnv_base_gemm_one_linear),     \
				 pick(rnv_base_gemm_one_textbook)},                                \
				{pick(rnv_base_gemm_relu), pick(rnv_base_gemm_linear),             \
				 pick(rnv_base_gemm_textbook)},                                    \
				{pick(rnv_base_gemm_direct_relu),                                  \
				 pick(rnv_base_gemm_direct_linear),                                \
				 pick(rnv_base_gemm_direct_textbook)},                             \
			},                                                                         \
	}
#define TWIN(name) name##_c

static const struct version versions[] = {VERSION("own", RNV_BASE_PICK), VERSION("twin", TWIN)};

#define VERSIONS (sizeof(versions) / sizeof(versions[0]))

/* What one round is about; printed where it fails. */
struct round {
	int32_t number;
	const char *version;
	enum kind kind;
	uint32_t width;
	uint32_t planes;
	uint32_t inputs;
	uint32_t quads;
	uint32_t step; /* of the input, or from one output channel to the next */
	uint32_t outputs;
	uint32_t epilogue;
	uint32_t offset; /* of the input or output from alignment */
};

static uint8_t in_pool[MAX_INPUTS * MAX_STEP + 4u * GUARD_BYTES];
static uint8_t columns_pool[8u * MAX_INPUTS + 4u * GUARD_BYTES];
static uint8_t stream_pool[MAX_PAIRS * (4u * MAX_INPUTS + 48u) + 4u * GUARD_BYTES];
static uint8_t out_pool[(MAX_OUTPUTS + 1u) * (MAX_STEP + 8u) + 4u * GUARD_BYTES];
static uint8_t wanted[8u * MAX_INPUTS];
static int8_t inputs[2u * MAX_INPUTS];

static bool fail(const struct round *round, const char *what)
{
	say("FAILED: ");
	say(what);
	say(" of ");
	say(round->version);
	say_number(", round ", round->number);
	say_number(", kind ", (int32_t)round->kind);
	say_number(", planes ", (int32_t)round->planes);
	say_number(", inputs ", (int32_t)round->inputs);
	say_number(", step ", (int32_t)round->step);
	say_number(", outputs ", (int32_t)round->outputs);
	say_number(", epilogue ", (int32_t)round->epilogue);
	say_number(", offset ", (int32_t)round->offset);
	say("\n");
	return false;
}

/* Mostly few: every number of quads up to three turns of the unrolled loops; sometimes many. */
static uint32_t random_inputs(void)
{
	return (uint32_t)((random_in(0, 15) == 0) ? random_in(1, (int32_t)MAX_INPUTS)
						  : random_in(1, 100));
}

static bool prepare_round(struct round *round, const struct version *version)
{
	uint32_t pixel = (round->planes != 0u) ? 1u : round->step;
	uint32_t value = (round->planes != 0u) ? round->step : 1u;
	uint32_t bytes = 16u * round->width * round->quads;
	struct guarded in = guard(
		in_pool, sizeof(in_pool),
		(4u * round->quads - 1u) * value + (round->width - 1u) * pixel + 1u, round->offset);
	struct guarded columns = guard(columns_pool, sizeof(columns_pool), bytes, 4u);
	uintptr_t arguments[6] = {(uintptr_t)in.data, round->step, (uintptr_t)columns.data,
				  round->quads};
	uintptr_t end;
	int32_t kind = random_in(0, 9);

	round->version = version->name;
	for (uint32_t i = 0; i < in.bytes; i++) {
		in.data[i] = (uint8_t)random_input(kind);
	}
	if (!call_checked((any_fn *)version->prepare[round->planes][round->width - 1u], arguments,
			  &end)) {
		return fail(round, "registers or stack after preparation");
	}
	if (end != (uintptr_t)(columns.data + bytes)) {
		return fail(round, "end of preparation");
	}
	for (uint32_t i = 0; i < bytes / 4u; i++) {
		uint32_t at = i % round->width * pixel + i / round->width * value;

		if (((const int32_t *)(const void *)columns.data)[i] != (int8_t)in.data[at]) {
			return fail(round, "preparation");
		}
	}
	return (guard_holds(&columns) && guard_holds(&in)) || fail(round, "guard of preparation");
}

static void fill_columns(const struct round *round, uint8_t *columns)
{
	for (uint32_t i = 0; i < 4u * round->quads * round->width; i++) {
		int8_t x = inputs[i % round->width * MAX_INPUTS + i / round->width];

		if (round->kind == DIRECT) {
			columns[i] = (uint8_t)x;
		} else {
			((int32_t *)(void *)columns)[i] = x;
		}
	}
}

static bool gemm_round(struct round *round, const struct version *version,
		       const struct guarded *stream)
{
	bool direct = round->kind == DIRECT;
	uint32_t columns_bytes = (direct ? 4u : 16u) * round->width * round->quads;
	uint32_t out_bytes = (round->outputs - 1u) * round->step + round->width;
	struct guarded columns = guard(columns_pool, sizeof(columns_pool), columns_bytes,
				       direct ? round->offset : 4u);
	struct guarded out = guard(out_pool, sizeof(out_pool), out_bytes, round->offset);

	round->version = version->name;
	memcpy(wanted, out.data, out_bytes);
	for (uint32_t o = 0; o < round->outputs; o++) {
		for (uint32_t p = 0; p < round->width; p++) {
			wanted[o * round->step + p] =
				(uint8_t)layer_output(o, inputs + p * MAX_INPUTS, 1);
		}
	}
	fill_columns(round, columns.data);
	if (!call_pairs((any_fn *)version->gemm[round->kind][round->epilogue], stream, columns.data,
			out.data, round->outputs, round->step, round->quads)) {
		return fail(round, "registers or stack after product");
	}
	if (memcmp(out.data, wanted, out_bytes) != 0) {
		return fail(round, "product");
	}
	return (guard_holds(&columns) && guard_holds(&out) && guard_holds(stream)) ||
	       fail(round, "guard of product");
}

/* A stream of any words: both versions do the same, and stay within the buffers. */
static bool raw_round(struct round *round, const struct guarded *stream)
{
	uint32_t out_bytes = (round->outputs - 1u) * round->step + round->width;

	for (uint32_t i = 0; i < stream->bytes; i++) {
		stream->data[i] = (uint8_t)((random_word() % RARITY == 0u) ? 0x80u : random_word());
	}
	for (uint32_t i = 0; i < VERSIONS; i++) {
		struct guarded out = guard(out_pool, sizeof(out_pool), out_bytes, round->offset);

		round->version = versions[i].name;
		fill_columns(round, columns_pool);
		if (!call_pairs((any_fn *)versions[i].gemm[round->kind][round->epilogue], stream,
				columns_pool, out.data, round->outputs, round->step,
				round->quads) ||
		    !guard_holds(&out) || !guard_holds(stream)) {
			return fail(round, "surroundings with any words");
		}
		if (i != 0u && memcmp(out.data, wanted, out_bytes) != 0) {
			return fail(round, "product of any words");
		}
		memcpy(wanted, out.data, out_bytes);
	}
	return true;
}

/* Sums of any size, and any words of a tail: what is out of range counts as the nearest in range.
 */
static bool textbook_round(struct round *round)
{
	static const uint32_t extremes[] = {0, 0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFFu};
	struct channel channel = {.act_min = -128, .act_max = 127};
	uint32_t words[2] = {random_word(), random_word()};
	uint32_t sum = (random_word() % 2u != 0u) ? random_word() : extremes[random_word() % 4u];
	uint32_t sums[2] = {0, sum + 0x800000u};
	int8_t shift =
		(int8_t)((random_word() % 4u != 0u) ? random_in(-33, 32) : random_in(-128, 127));
	int32_t tail[4] = {0, 0, (int32_t)words[0], 0};
	int8_t out[2];

	channel.m = (int32_t)(words[0] & 0x7FFFFFFFu);
	channel.shift = (int8_t)(shift < -31 ? -31 : shift > 30 ? 30 : shift);
	channel.zero_point = (int8_t)words[1];
	tail[3] = (int32_t)(0x7F800000u | (uint32_t)(uint8_t)words[1] << 8 | (uint8_t)shift);
	rnv_base_textbook_one(sums, tail, out, 1);
	return out[1] == textbook_output(&channel, (int32_t)sum) ||
	       fail(round, "textbook epilogue");
}

static bool products(struct round *round)
{
	uint32_t pairs = (round->outputs + 1u) / 2u;
	struct columns columns = {inputs, round->width, MAX_INPUTS, 1};
	struct guarded stream =
		guard(stream_pool, sizeof(stream_pool),
		      pairs * rnv_base_tile_ops.block_bytes(round->quads,
							    (enum rnv_epilogue)round->epilogue),
		      0);
	bool ok = true;

	layer_random(round->inputs, round->outputs, (enum rnv_epilogue)round->epilogue, &columns);
	if (layer_pack((uint32_t *)(void *)stream.data, false) != stream.bytes) {
		return fail(round, "block_bytes()");
	}
	if (!rnv_base_tile_ops.stream_ok(stream.data, stream.data + stream.bytes, round->quads,
					 (enum rnv_epilogue)round->epilogue)) {
		return fail(round, "stream_ok()");
	}
	for (uint32_t i = 0; i < VERSIONS; i++) {
		ok = ok && gemm_round(round, &versions[i], &stream);
	}
	return ok && raw_round(round, &stream) && textbook_round(round);
}

static bool one_round(int32_t number)
{
	struct round round = {.number = number};
	int32_t kind = random_in(0, 9);

	round.kind = (random_word() % 2u != 0u) ? TILE : (enum kind)(2u * (random_word() % 2u));
	round.width = (round.kind == TILE) ? RNV_BASE_COLUMNS : 1u;
	round.planes = random_word() % 2u;
	round.inputs = random_inputs();
	round.quads = (round.inputs + 3u) / 4u;
	round.offset = random_word() % 8u;
	round.step = (uint32_t)random_in(1, (int32_t)MAX_STEP);
	for (uint32_t i = 0; i < VERSIONS; i++) {
		if (!prepare_round(&round, &versions[i])) {
			return false;
		}
	}
	round.step = (uint32_t)random_in((int32_t)round.width, (int32_t)MAX_STEP);
	round.epilogue = random_word() % RNV_EPILOGUES;
	round.outputs = (uint32_t)((round.quads > 28u || random_in(0, 3) != 0)
					   ? random_in(1, 9)
					   : random_in(1, (int32_t)MAX_OUTPUTS));
	for (uint32_t i = 0; i < sizeof(inputs); i++) {
		inputs[i] = random_input(kind);
	}
	return products(&round);
}

int test_main(int32_t seed, int32_t rounds)
{
	return run_rounds("gemm", one_round, seed, rounds);
}
