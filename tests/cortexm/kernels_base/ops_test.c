/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * POINTWISE and FULLY_CONNECTED of packing base over random shapes, each output against the plain
 * formula: odd pixels, odd channels, last quads that overlap or are filled up, in place.
 */

#include <string.h>

#include "kernels/base/gemm.h"
#include "kernels/kernel.h"
#include "kernels/planes/pointwise.h"

#include "base_oracle.h"
#include "support.h"

#define MAX_SIDE   7
#define MAX_PIXELS 49u
#define MAX_IN_C   70
#define MAX_BYTES  ((MAX_OUTPUTS + 5u) * 100u)

extern const struct rnv_kernel rnv_pointwise_base_s8;
extern const struct rnv_kernel rnv_fully_connected_base_s8;

struct fully_connected_params {
	int32_t rows;
	int32_t in_c;
	int32_t out_c;
	int32_t epilogue;
	int32_t direct;
};

/* An op in memory, as an opened package has it. */
static union {
	struct rnv_pointwise_params pointwise;
	struct fully_connected_params fully_connected;
	int32_t words[16];
} params;
static struct rnv_tensor_rec tensors[2];
static const uint16_t operands[2] = {0, 1};
static struct rnv_op_rec rec;
static struct rnv_package package;
static void *externals[2];
static struct rnv_exec exec;
static struct rnv_op op;

static int8_t image[MAX_INPUTS * 4u + MAX_IN_C * MAX_PIXELS];
static uint8_t pools[2][MAX_BYTES + MAX_INPUTS * 4u];
static uint8_t wanted[sizeof(pools[0])];
static uint8_t scratch_pool[16u * MAX_INPUTS + 4u * GUARD_BYTES];
static uint8_t stream_pool[(MAX_OUTPUTS + 1u) / 2u * (4u * MAX_INPUTS + 64u)];

static struct guarded buffers[2];
static struct guarded scratch;
static const struct rnv_kernel *kernel;
static bool in_place;
static int32_t round_number;

static bool fail(const char *what)
{
	say("FAILED: ");
	say(what);
	say_number(", round ", round_number);
	say(in_place ? ", in place, parameters" : ", parameters");
	for (uint32_t i = 0; i < rec.params_bytes / 4u; i++) {
		say_number(" ", params.words[i]);
	}
	say("\n");
	return false;
}

static void build_op(uint32_t params_words, uint32_t scratch_bytes, bool overlap)
{
	for (uint32_t i = 0; i < 2u; i++) {
		tensors[i].type = RNV_TYPE_INT8;
		tensors[i].storage = RNV_STORAGE_EXTERNAL;
		tensors[i].offset = i;
		buffers[i] =
			guard(pools[i], sizeof(pools[i]), tensors[i].bytes, random_word() % 8u);
		externals[i] = buffers[i].data;
	}
	if (in_place) {
		externals[1] = externals[0];
	}
	rec.input_count = 1;
	rec.output_count = 1;
	rec.params_bytes = (uint16_t)(4u * params_words);
	rec.weights_bytes = layer_pack((uint32_t *)(void *)stream_pool, overlap);
	rec.scratch_bytes = scratch_bytes;
	package.tensors = tensors;
	package.operands = operands;
	package.params = params.words;
	package.weights = stream_pool;
	scratch = guard(scratch_pool, sizeof(scratch_pool), scratch_bytes, 0);
	exec.pkg = &package;
	exec.arena = scratch.data;
	exec.externals = externals;
	op.pkg = &package;
	op.rec = &rec;
	op.exec = &exec;
	op.row0 = 0;
	op.rows = 0;
}

/* Words and lengths that must not pass, one at a time. */
static bool refusals(uint32_t words)
{
	for (uint32_t i = 0; i < words; i++) {
		int32_t good = params.words[i];

		params.words[i] = -1;
		if (kernel->check(&op) != RNV_EFORMAT) {
			return fail("check() of a negative word");
		}
		params.words[i] = good;
	}
	for (uint32_t i = 0; i < 4u; i++) {
		uint32_t *word = (i < 2u) ? &rec.weights_bytes : &rec.scratch_bytes;
		uint32_t change = (i % 2u == 0u) ? 8u : (uint32_t)-8;

		*word += change;
		if (kernel->check(&op) != RNV_EFORMAT) {
			return fail("check() of bytes");
		}
		*word -= change;
	}
	return true;
}

/* Inputs that are no multiple of 4 cannot be read as they are. */
static bool refuses_direct(void)
{
	struct fully_connected_params *p = &params.fully_connected;
	uint32_t bytes = rec.scratch_bytes;
	int answer = RNV_EFORMAT;

	if (p->in_c % 4 != 0) {
		p->direct = 1;
		rec.scratch_bytes = 0;
		answer = kernel->check(&op);
		p->direct = 0;
		rec.scratch_bytes = bytes;
	}
	return answer == RNV_EFORMAT || fail("check() of direct");
}

static bool run_and_compare(void)
{
	const struct guarded *out = &buffers[in_place ? 0 : 1];

	kernel->run(&op);
	if (memcmp(wanted, out->data, out->bytes) != 0) {
		return fail("output");
	}
	return (guard_holds(&buffers[0]) && guard_holds(&buffers[1]) && guard_holds(&scratch)) ||
	       fail("guard");
}

/* Planes with gaps between rows and planes, or without; returns the bytes. */
static uint32_t random_planes(struct rnv_view *view, int32_t channels)
{
	const struct rnv_pointwise_params *p = &params.pointwise;
	int32_t gap = (random_word() % 2u != 0u) ? random_in(0, 3) : 0;

	view->ring = p->height;
	view->row = p->width + gap;
	view->channel = p->height * view->row + random_in(0, gap);
	return (uint32_t)((channels - 1) * view->channel + (p->height - 1) * view->row + p->width);
}

static uint32_t place(const struct rnv_view *view, uint32_t c, uint32_t pixel)
{
	uint32_t width = (uint32_t)params.pointwise.width;

	return c * (uint32_t)view->channel + pixel / width * (uint32_t)view->row + pixel % width;
}

static void pointwise_params(void)
{
	struct rnv_pointwise_params *p = &params.pointwise;
	int32_t channels;

	p->in_c = random_in(4, (random_word() % 4u != 0u) ? 20 : MAX_IN_C);
	p->out_c = random_in(1, (random_word() % 4u != 0u) ? 9 : (int32_t)MAX_OUTPUTS);
	p->height = random_in(1, MAX_SIDE);
	p->width = random_in(1, MAX_SIDE);
	p->epilogue = random_in(0, RNV_EPILOGUES - 1);
	channels = (p->in_c > p->out_c) ? p->in_c : p->out_c;
	tensors[0].bytes = random_planes(&p->in, channels);
	tensors[1].bytes = random_planes(&p->out, channels);
	in_place = random_word() % 2u != 0u;
	if (in_place) {
		p->out = p->in;
		tensors[1].bytes = tensors[0].bytes;
	}
}

static bool pointwise_round(void)
{
	const struct rnv_pointwise_params *p = &params.pointwise;
	uint32_t quads;
	uint32_t pixels;
	struct columns columns = {image, 0, 1, 0};

	kernel = &rnv_pointwise_base_s8;
	pointwise_params();
	quads = ((uint32_t)p->in_c + 3u) / 4u;
	pixels = (uint32_t)(p->width * p->height);
	columns.count = pixels;
	columns.step = pixels;
	layer_random((uint32_t)p->in_c, (uint32_t)p->out_c, (enum rnv_epilogue)p->epilogue,
		     &columns);
	build_op(sizeof(*p) / 4u, 32u * quads, true);
	if (kernel->check(&op) != (memcmp(&p->in, &p->out, sizeof(p->in)) == 0 ? 1 : 0)) {
		return fail("check()");
	}
	if (!refusals(sizeof(*p) / 4u)) {
		return false;
	}
	for (uint32_t i = 0; i < (uint32_t)p->in_c * pixels; i++) {
		buffers[0].data[place(&p->in, i / pixels, i % pixels)] = (uint8_t)image[i];
	}
	memcpy(wanted, buffers[in_place ? 0 : 1].data, tensors[1].bytes);
	for (uint32_t i = 0; i < (uint32_t)p->out_c * pixels; i++) {
		wanted[place(&p->out, i / pixels, i % pixels)] =
			(uint8_t)layer_output(i / pixels, image + i % pixels, pixels);
	}
	return run_and_compare();
}

static bool fully_connected_round(void)
{
	struct fully_connected_params *p = &params.fully_connected;
	uint32_t quads;
	struct columns columns = {image, 0, 0, 1};
	int answer;

	kernel = &rnv_fully_connected_base_s8;
	p->in_c = random_in(1, (random_word() % 8u != 0u) ? 64 : (int32_t)MAX_INPUTS);
	p->out_c = random_in(1, (random_word() % 4u != 0u) ? 9 : (int32_t)MAX_OUTPUTS);
	p->rows = random_in(1, 4);
	p->epilogue = random_in(0, RNV_EPILOGUES - 1);
	p->direct = (p->in_c % 4 == 0) ? random_in(0, 1) : 0;
	quads = ((uint32_t)p->in_c + 3u) / 4u;
	columns.count = (uint32_t)p->rows;
	columns.pixel = (uint32_t)p->in_c;
	layer_random((uint32_t)p->in_c, (uint32_t)p->out_c, (enum rnv_epilogue)p->epilogue,
		     &columns);
	tensors[0].bytes = (uint32_t)(p->rows * p->in_c);
	tensors[1].bytes = (uint32_t)(p->rows * p->out_c);
	answer = (p->direct == 0 && (p->rows == 1 || p->out_c <= p->in_c)) ? 1 : 0;
	in_place = answer == 1 && p->out_c <= p->in_c && random_word() % 2u != 0u;
	build_op(sizeof(*p) / 4u, (p->direct != 0) ? 0u : 16u * quads, false);
	if (kernel->check(&op) != answer) {
		return fail("check()");
	}
	if (!refusals(sizeof(*p) / 4u) || !refuses_direct()) {
		return false;
	}
	memcpy(buffers[0].data, image, tensors[0].bytes);
	memcpy(wanted, buffers[0].data, tensors[0].bytes);
	for (uint32_t i = 0; i < tensors[1].bytes; i++) {
		uint32_t row = i / (uint32_t)p->out_c;

		wanted[i] = (uint8_t)layer_output(i % (uint32_t)p->out_c,
						  image + row * (uint32_t)p->in_c, 1);
	}
	return run_and_compare();
}

static bool one_round(int32_t number)
{
	round_number = number;
	for (uint32_t i = 0; i < sizeof(image); i++) {
		image[i] = (int8_t)random_word();
	}
	return (random_word() % 2u != 0u) ? pointwise_round() : fully_connected_round();
}

int test_main(int32_t seed, int32_t rounds)
{
	return run_rounds("ops", one_round, seed, rounds);
}
