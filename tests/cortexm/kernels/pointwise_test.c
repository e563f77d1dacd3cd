/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * POINTWISE over random shapes, views, rings, slices and in place, each image against the plain
 * formula: the build's own kernel and the same driver over the portable twins.
 */

#include <string.h>

#include "kernels/dsp/gemm.h"
#include "kernels/dsp/prepare.h"
#include "kernels/planes/pointwise.h"

#include "dsp_oracle.h"
#include "support.h"

#define MAX_SIDE     9u
#define MAX_PIXELS   (MAX_SIDE * MAX_SIDE)
#define MAX_CHANNELS 72u
#define PARAMS       (sizeof(struct rnv_pointwise_params) / sizeof(int32_t))

extern const struct rnv_kernel rnv_pointwise_dsp_s8;

static struct rnv_tile_ops twin = {
	.width = RNV_DSP_COLUMNS,
	.outputs = RNV_DSP_OUTPUTS,
	.quad_bytes = 8u * RNV_DSP_COLUMNS,
	.planes = rnv_dsp_planes_c,
	.planes_one = rnv_dsp_planes_one_c,
	.gemm = {rnv_dsp_gemm_relu_c, rnv_dsp_gemm_linear_c, rnv_dsp_gemm_textbook_c},
	.gemm_one = {rnv_dsp_gemm_one_relu_c, rnv_dsp_gemm_one_linear_c,
		     rnv_dsp_gemm_one_textbook_c},
};

/* An op in memory, as an opened package has it. */
static struct rnv_pointwise_params params;
static struct rnv_tensor_rec tensors[2];
static const uint16_t operands[2] = {0, 1};
static struct rnv_op_rec rec;
static struct rnv_package package;
static void *externals[2];
static struct rnv_exec exec;
static struct rnv_op op;

static int8_t image[MAX_CHANNELS * MAX_PIXELS];
static uint8_t pools[2][2u * MAX_CHANNELS * (MAX_SIDE + 4u) * (MAX_SIDE + 4u)];
static uint8_t wanted[sizeof(pools[0])];
static uint8_t scratch_pool[32u * (MAX_CHANNELS / 4u + 1u) + 4u * GUARD_BYTES];
static uint32_t stream[(MAX_OUTPUTS + 1u) / 2u * (2u * (MAX_CHANNELS / 4u + 1u) + 10u)];

static bool in_place;
static bool use_twin;
static int32_t round_number;

static bool fail(const char *what)
{
	const int32_t *words = (const int32_t *)&params;

	say("FAILED: ");
	say(what);
	say_number(", round ", round_number);
	say(use_twin ? ", twin" : ", own");
	say(in_place ? ", in place, parameters" : ", parameters");
	for (uint32_t i = 0; i < PARAMS; i++) {
		say_number(" ", words[i]);
	}
	say_number(", row ", (int32_t)op.row0);
	say_number(", rows ", (int32_t)op.rows);
	say("\n");
	return false;
}

/* Strides of planes or of rows, with gaps or without; returns the bytes. */
static uint32_t random_view(struct rnv_view *view, int32_t channels, int32_t ring)
{
	int32_t gap = (random_word() % 2u != 0u) ? random_in(0, 3) : 0;

	view->ring = ring;
	if (random_word() % 4u != 0u) {
		view->row = params.width + gap;
		view->channel = ring * view->row + random_in(0, gap);
	} else {
		view->channel = params.width + gap;
		view->row = channels * view->channel + random_in(0, gap);
	}
	return (uint32_t)((channels - 1) * view->channel + (ring - 1) * view->row + params.width);
}

static uint8_t *element(const struct rnv_view *view, uint8_t *data, uint32_t c, uint32_t y,
			uint32_t x)
{
	return data + c * (uint32_t)view->channel + y % (uint32_t)view->ring * (uint32_t)view->row +
	       x;
}

static void random_params(void)
{
	int32_t ring;

	params.height = random_in(1, (int32_t)MAX_SIDE);
	params.width = random_in(1, (int32_t)MAX_SIDE);
	params.in_c = random_in(4, (random_word() % 4u != 0u) ? 12 : (int32_t)MAX_CHANNELS);
	params.out_c = random_in(1, (random_word() % 4u != 0u) ? 9 : (int32_t)MAX_OUTPUTS);
	params.epilogue = random_in(0, RNV_EPILOGUES - 1);
	ring = (random_word() % 2u != 0u) ? params.height : random_in(1, params.height);
	tensors[0].bytes = random_view(&params.in, params.in_c, ring);
	tensors[1].bytes = random_view(&params.out, params.out_c, random_in(ring, params.height));
	in_place = random_word() % 2u != 0u;
	if (in_place) { /* both views of the image with more channels */
		int32_t channels = (params.in_c > params.out_c) ? params.in_c : params.out_c;

		tensors[0].bytes = random_view(&params.in, channels, ring);
		tensors[1].bytes = tensors[0].bytes;
		params.out = params.in;
	}
}

static void build_op(struct guarded *scratch)
{
	uint32_t quads = ((uint32_t)params.in_c + 3u) / 4u;

	tensors[0].type = RNV_TYPE_INT8;
	tensors[1].type = RNV_TYPE_INT8;
	tensors[0].storage = RNV_STORAGE_EXTERNAL;
	tensors[1].storage = RNV_STORAGE_EXTERNAL;
	tensors[1].offset = 1;
	rec.input_count = 1;
	rec.output_count = 1;
	rec.params_bytes = sizeof(params);
	rec.weights_bytes = layer_pack(stream);
	rec.scratch_bytes = 32u * quads;
	package.tensors = tensors;
	package.operands = operands;
	package.params = (const int32_t *)&params;
	package.weights = (const uint8_t *)stream;
	*scratch = guard(scratch_pool, sizeof(scratch_pool), rec.scratch_bytes, 0);
	exec.pkg = &package;
	exec.arena = scratch->data;
	exec.externals = externals;
	op.pkg = &package;
	op.rec = &rec;
	op.exec = &exec;
	op.row0 = 0;
	op.rows = 0;
}

/* Place the input rows of a slice, run it, compare all bytes of both tensors. */
static bool run_rows(uint32_t first, uint32_t rows, const struct guarded buffers[2],
		     const struct guarded *scratch)
{
	const struct guarded *in = &buffers[0];
	const struct guarded *out = &buffers[in_place ? 0 : 1];
	uint32_t width = (uint32_t)params.width;
	uint32_t plane = width * (uint32_t)params.height;

	for (uint32_t i = 0; i < (uint32_t)params.in_c * rows * width; i++) {
		uint32_t y = first + i / width % rows;
		uint32_t c = i / (rows * width);

		*element(&params.in, in->data, c, y, i % width) =
			(uint8_t)image[c * plane + y * width + i % width];
	}
	memcpy(wanted, out->data, out->bytes);
	for (uint32_t i = 0; i < (uint32_t)params.out_c * rows * width; i++) {
		uint32_t y = first + i / width % rows;
		uint32_t o = i / (rows * width);

		*element(&params.out, wanted, o, y, i % width) =
			(uint8_t)layer_output(o, image + y * width + i % width, plane);
	}
	op.row0 = first;
	if (use_twin) {
		rnv_pointwise_run(&op, &twin);
	} else {
		rnv_pointwise_dsp_s8.run(&op);
	}
	if (memcmp(wanted, out->data, out->bytes) != 0) {
		return fail("output");
	}
	return (guard_holds(in) && guard_holds(out) && guard_holds(scratch)) || fail("guard");
}

static bool run_image(const struct guarded *scratch)
{
	struct guarded buffers[2];
	uint32_t height = (uint32_t)params.height;
	uint32_t most = (uint32_t)params.in.ring;

	for (uint32_t i = 0; i < 2u; i++) {
		buffers[i] =
			guard(pools[i], sizeof(pools[i]), tensors[i].bytes, random_word() % 8u);
		externals[i] = buffers[i].data;
	}
	if (in_place) {
		externals[1] = externals[0];
	}
	if (most == height && random_word() % 2u != 0u) {
		op.rows = 0;
		return run_rows(0, height, buffers, scratch);
	}
	for (uint32_t y = 0; y < height; y += op.rows) {
		op.rows = (uint32_t)random_in(1, (int32_t)most);
		if (op.rows > height - y) {
			op.rows = height - y;
		}
		if (!run_rows(y, op.rows, buffers, scratch)) {
			return false;
		}
	}
	return true;
}

/* Both limits of every constant of the textbook epilogue, in a random block. */
static bool tail_refusals(void)
{
	static const struct {
		uint32_t m;
		uint32_t f; /* shift, zero point, lowest, highest; low byte first */
		int answer;
	} tails[] = {
		{0, 0x7F80001Eu, 0},           {0x7FFFFFFFu, 0x000000E1u, 0},
		{0x80000000u, 0, RNV_EFORMAT}, {1, 0x0000001Fu, RNV_EFORMAT},
		{1, 0x000000E0u, RNV_EFORMAT}, {1, 0x80810000u, RNV_EFORMAT},
	};
	uint32_t blocks = ((uint32_t)params.out_c + 1u) / 2u;
	uint32_t *tail = stream + rec.weights_bytes / blocks / 4u * (1u + random_word() % blocks) -
			 2u * (1u + random_word() % 2u);
	uint32_t good[2] = {tail[0], tail[1]};
	int base = rnv_pointwise_dsp_s8.check(&op);

	for (uint32_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		tail[0] = tails[i].m;
		tail[1] = tails[i].f;
		if (rnv_pointwise_dsp_s8.check(&op) !=
		    ((tails[i].answer == 0) ? base : RNV_EFORMAT)) {
			return fail("check() of a multiplier, shift or clamp");
		}
	}
	tail[0] = good[0];
	tail[1] = good[1];
	return true;
}

/* Every change of one word that must not pass, undone afterwards. */
static bool refusals(void)
{
	static const struct {
		uint32_t word;
		int32_t value;
	} bad[] = {{0, 3}, {0, 32768}, {1, 0}, {2, 0},     {3, 0},  {4, 0},  {5, 0},
		   {6, 0}, {7, -1},    {8, 0}, {9, 32768}, {10, 3}, {10, -1}};
	int32_t *words = (int32_t *)&params;

	for (uint32_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		int32_t good = words[bad[i].word];
		int answer;

		words[bad[i].word] = bad[i].value;
		answer = rnv_pointwise_dsp_s8.check(&op);
		if (answer != RNV_EFORMAT) {
			return fail("check() of a bad word");
		}
		words[bad[i].word] = good;
	}
	for (uint32_t i = 0; i < 4u; i++) {
		uint32_t *word = (i < 2u) ? &rec.weights_bytes : &rec.scratch_bytes;
		uint32_t change = (i % 2u == 0u) ? 8u : (uint32_t)-8;

		*word += change;
		if (rnv_pointwise_dsp_s8.check(&op) != RNV_EFORMAT) {
			return fail("check() of bytes");
		}
		*word -= change;
	}
	return (params.epilogue != RNV_EPILOGUE_TEXTBOOK) || tail_refusals();
}

static bool one_round(int32_t number)
{
	struct guarded scratch;
	struct rnv_reach reach;
	bool same;

	round_number = number;
	random_params();
	for (uint32_t i = 0; i < sizeof(image); i++) {
		image[i] = (int8_t)random_word();
	}
	layer_random((uint32_t)params.in_c, (uint32_t)params.out_c,
		     (enum rnv_epilogue)params.epilogue, image,
		     (uint32_t)(params.width * params.height));
	build_op(&scratch);
	same = memcmp(&params.in, &params.out, sizeof(params.in)) == 0;
	if (rnv_pointwise_dsp_s8.check(&op) != (same ? 1 : 0)) {
		return fail("check()");
	}
	if (!refusals()) {
		return false;
	}
	rnv_pointwise_dsp_s8.reach(&op, &reach);
	if (reach.in_rows != (uint32_t)params.height || reach.out_rows != reach.in_rows ||
	    reach.stride != 1u || reach.before != 0u || reach.extent != 1u) {
		return fail("reach()");
	}
	for (int version = 0; version < 2; version++) {
		use_twin = version != 0;
		if (!run_image(&scratch)) {
			return false;
		}
	}
	return true;
}

int test_main(int32_t seed, int32_t rounds)
{
	twin.block_bytes = rnv_dsp_tile_ops.block_bytes;
	return run_rounds("pointwise", one_round, seed, rounds);
}
