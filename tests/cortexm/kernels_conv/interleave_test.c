/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "interleave_test.h"

#include <string.h>

#include "../kernels/support.h"
#include "kernels/dsp/interleave.h"

#define POOL_BYTES 4096u
#define FOUR       4u

static uint8_t in_pool[POOL_BYTES];
static uint8_t out_pool[POOL_BYTES];
static uint8_t wanted[POOL_BYTES];

/* Shape of a call. */
struct shape {
	uint32_t pixel;
	uint32_t channel;
	uint32_t channels;
	uint32_t count;
};

/* Random input, a patterned output, and in `wanted` what the output has to be. */
static void prepare(const struct shape *s, struct guarded *in, struct guarded *out)
{
	*in = guard(in_pool, POOL_BYTES, (s->channels - 1u) * s->channel + s->count,
		    random_word() % 4u);
	*out = guard(out_pool, POOL_BYTES, (s->count - 1u) * s->pixel + s->channels,
		     random_word() % 4u);
	for (size_t i = 0; i < in->bytes; i++) {
		in->data[i] = (uint8_t)random_word();
	}
	memcpy(wanted, out->data, out->bytes);
	for (uint32_t x = 0; x < s->count; x++) {
		for (uint32_t c = 0; c < s->channels; c++) {
			wanted[x * s->pixel + c] = in->data[c * s->channel + x];
		}
	}
}

static bool holds(const struct guarded *in, const struct guarded *out)
{
	return guard_holds(in) && guard_holds(out) && memcmp(wanted, out->data, out->bytes) == 0;
}

static bool four_holds(rnv_interleave_fn *four, struct shape s)
{
	struct guarded in;
	struct guarded out;
	uintptr_t result;
	bool kept;

	s.channels = FOUR;
	s.count += FOUR - 1u;
	prepare(&s, &in, &out);
	kept = call_checked((any_fn *)four,
			    (const uintptr_t[6]){(uintptr_t)out.data, s.pixel, (uintptr_t)in.data,
						 s.channel, s.count, 0},
			    &result);
	return kept && holds(&in, &out);
}

int interleave_fails(void)
{
	struct shape s = {.channels = (uint32_t)random_in(1, 13),
			  .count = (uint32_t)random_in(1, 20)};
	struct guarded in;
	struct guarded out;
	int fails = 0;

	s.pixel = s.channels + FOUR + (uint32_t)random_in(0, 5);
	s.channel = s.count + FOUR + (uint32_t)random_in(0, 9);
	prepare(&s, &in, &out);
	rnv_interleave((int8_t *)out.data, s.pixel, (const int8_t *)in.data, s.channel, s.channels,
		       s.count, RNV_DSP_PICK(rnv_interleave));
	fails += !holds(&in, &out);
	fails += !four_holds(rnv_interleave_c, s);
#if RNV_DSP_ASM
	fails += !four_holds(rnv_interleave_asm, s);
#endif
	return fails;
}
