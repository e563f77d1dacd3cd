/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Inner loops and column preparation of packing dsp over random parameters, each against the plain
 * formula: the build's own version (assembly on a Cortex-M) and the portable twin.
 */

#include <string.h>

#include "kernels/dsp/gemm.h"
#include "kernels/dsp/prepare.h"

#include "dsp_oracle.h"
#include "support.h"

#define MAX_QUADS (MAX_INPUTS / 4u)
#define MAX_STEP  40u

static const struct rnv_tile_ops twin = {
	.planes = rnv_dsp_planes_c,
	.pixels = rnv_dsp_pixels_c,
	.planes_one = rnv_dsp_planes_one_c,
	.pixels_one = rnv_dsp_pixels_one_c,
	.gemm = {rnv_dsp_gemm_relu_c, rnv_dsp_gemm_linear_c, rnv_dsp_gemm_textbook_c},
	.gemm_one = {rnv_dsp_gemm_one_relu_c, rnv_dsp_gemm_one_linear_c,
		     rnv_dsp_gemm_one_textbook_c},
};

struct version {
	const char *name;
	const struct rnv_tile_ops *ops;
};

static const struct version versions[] = {{"own", &rnv_dsp_tile_ops}, {"twin", &twin}};

/* What one round is about; printed where it fails. */
struct round {
	int32_t number;
	const char *version;
	uint32_t width; /* columns: 4 or 1 */
	uint32_t planes;
	uint32_t quads;
	uint32_t step; /* of the input, or from one output channel to the next */
	uint32_t outputs;
	uint32_t epilogue;
	uint32_t offset; /* of the input or output from alignment */
};

static uint8_t in_pool[RNV_DSP_COLUMNS * MAX_INPUTS * MAX_STEP / 2u];
static uint8_t columns_pool[8u * RNV_DSP_COLUMNS * MAX_QUADS + 4u * GUARD_BYTES];
static uint8_t stream_pool[(MAX_OUTPUTS + 1u) / 2u * (8u * MAX_QUADS + 40u) + 4u * GUARD_BYTES];
static uint8_t out_pool[MAX_OUTPUTS * (MAX_STEP + 8u) + 4u * GUARD_BYTES];
static uint8_t wanted[8u * RNV_DSP_COLUMNS * MAX_QUADS];
static int8_t inputs[RNV_DSP_COLUMNS * MAX_INPUTS];

static bool fail(const struct round *round, const char *what)
{
	say("FAILED: ");
	say(what);
	say(" of ");
	say(round->version);
	say_number(", round ", round->number);
	say_number(", width ", (int32_t)round->width);
	say_number(", planes ", (int32_t)round->planes);
	say_number(", quads ", (int32_t)round->quads);
	say_number(", step ", (int32_t)round->step);
	say_number(", outputs ", (int32_t)round->outputs);
	say_number(", epilogue ", (int32_t)round->epilogue);
	say_number(", offset ", (int32_t)round->offset);
	say("\n");
	return false;
}

/* Mostly few quads: every number up to three turns of the unrolled loops; sometimes up to 275. */
static uint32_t random_quads(void)
{
	return (uint32_t)((random_in(0, 15) == 0) ? random_in(1, (int32_t)MAX_QUADS)
						  : random_in(1, 28));
}

/* The two words of a quad, from their definition. */
static void quad_words(const int8_t *x, uint32_t step, uint32_t *y, uint32_t *z)
{
	int32_t x0 = x[0];
	int32_t x1 = x[step];
	int32_t x2 = x[2u * step];
	int32_t x3 = x[3u * step];

	*y = (uint32_t)x3 * 65536u + ((uint32_t)x1 & 0xFFFFu);
	*z = (uint32_t)(256 * x2 + 127 - x3) * 65536u + ((uint32_t)(256 * x0 + 127 - x1) & 0xFFFFu);
}

/* Column p starts at `x + p * pixel`, its values `step` bytes apart. */
static void columns_wanted(const int8_t *x, uint32_t pixel, uint32_t step, uint32_t width,
			   uint32_t quads, uint32_t *words)
{
	for (uint32_t q = 0; q < quads; q++) {
		for (uint32_t p = 0; p < width; p++) {
			quad_words(x + p * pixel + 4u * q * step, step, &words[p],
				   &words[width + p]);
		}
		words += 2u * width;
	}
}

static bool prepare_round(struct round *round, const struct version *version)
{
	rnv_prepare_fn *functions[2][2] = {{version->ops->pixels_one, version->ops->pixels},
					   {version->ops->planes_one, version->ops->planes}};
	rnv_prepare_fn *function = functions[round->planes][round->width / RNV_DSP_COLUMNS];
	uint32_t pixel = (round->planes != 0u) ? 1u : round->step;
	uint32_t value = (round->planes != 0u) ? round->step : 1u;
	uint32_t bytes = 8u * round->width * round->quads;
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
	columns_wanted((const int8_t *)in.data, pixel, value, round->width, round->quads,
		       (uint32_t *)(void *)wanted);
	if (!call_checked((any_fn *)function, arguments, &end)) {
		return fail(round, "registers or stack after preparation");
	}
	if (end != (uintptr_t)(columns.data + bytes)) {
		return fail(round, "end of preparation");
	}
	if (memcmp(columns.data, wanted, bytes) != 0) {
		return fail(round, "preparation");
	}
	return (guard_holds(&columns) && guard_holds(&in)) || fail(round, "guard of preparation");
}

static bool gemm_round(struct round *round, const struct version *version,
		       const struct guarded *stream)
{
	rnv_gemm_fn *function = (round->width == 1u) ? version->ops->gemm_one[round->epilogue]
						     : version->ops->gemm[round->epilogue];
	uint32_t columns_bytes = 8u * round->width * round->quads;
	uint32_t out_bytes = (round->outputs - 1u) * round->step + round->width;
	struct guarded columns = guard(columns_pool, sizeof(columns_pool), columns_bytes, 4u);
	struct guarded out = guard(out_pool, sizeof(out_pool), out_bytes, round->offset);

	round->version = version->name;
	memcpy(wanted, out.data, out_bytes);
	for (uint32_t o = 0; o < round->outputs; o++) {
		for (uint32_t p = 0; p < round->width; p++) {
			wanted[o * round->step + p] =
				(uint8_t)layer_output(o, inputs + 4u * round->quads * p, 1);
		}
	}
	columns_wanted(inputs, 4u * round->quads, 1, round->width, round->quads,
		       (uint32_t *)(void *)columns.data);
	if (!call_pairs((any_fn *)function, stream, columns.data, out.data, round->outputs,
			round->step, round->quads)) {
		return fail(round, "registers or stack after product");
	}
	if (memcmp(out.data, wanted, out_bytes) != 0) {
		return fail(round, "product");
	}
	return (guard_holds(&columns) && guard_holds(&out) && guard_holds(stream)) ||
	       fail(round, "guard of product");
}

static bool one_round(int32_t number)
{
	struct round round = {.number = number};
	struct guarded stream;
	int32_t kind = random_in(0, 9);
	bool ok = true;

	round.width = (random_word() % 4u != 0u) ? RNV_DSP_COLUMNS : 1u;
	round.planes = random_word() % 2u;
	round.quads = random_quads();
	round.offset = random_word() % 8u;
	round.step = (uint32_t)random_in(1, (round.quads < MAX_QUADS / 2u) ? (int32_t)MAX_STEP : 4);
	for (uint32_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		ok = ok && prepare_round(&round, &versions[i]);
	}
	round.step = (uint32_t)random_in((int32_t)round.width, (int32_t)MAX_STEP);
	round.epilogue = random_word() % RNV_EPILOGUES;
	round.outputs = (uint32_t)((round.quads > 28u || random_in(0, 3) != 0)
					   ? random_in(1, 9)
					   : random_in(1, (int32_t)MAX_OUTPUTS));
	for (uint32_t i = 0; i < 4u * round.quads * round.width; i++) {
		inputs[i] = random_input(kind);
	}
	layer_random(4u * round.quads, round.outputs, (enum rnv_epilogue)round.epilogue,
		     inputs + 4u * round.quads * (random_word() % round.width), 1);
	stream = guard(stream_pool, sizeof(stream_pool),
		       (round.outputs + 1u) / 2u *
			       rnv_dsp_tile_ops.block_bytes(round.quads, layer.epilogue),
		       0);
	if (layer_pack((uint32_t *)(void *)stream.data) != stream.bytes) {
		return fail(&round, "block_bytes()");
	}
	if (!rnv_dsp_tile_ops.stream_ok(stream.data, stream.data + stream.bytes, round.quads,
					layer.epilogue)) {
		return fail(&round, "stream_ok()");
	}
	for (uint32_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		ok = ok && gemm_round(&round, &versions[i], &stream);
	}
	return ok;
}

int test_main(int32_t seed, int32_t rounds)
{
	return run_rounds("gemm", one_round, seed, rounds);
}
