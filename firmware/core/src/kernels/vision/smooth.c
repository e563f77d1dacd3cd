/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief SMOOTH_S8: an event where the mean of a class's scores over the latest runs is high.
 *
 * The class with the highest mean, the first one of several, is an event where it is not ignored,
 * its mean is `threshold` or more, `minimum` runs were seen and no event keeps it quiet: for
 * `refractory` runs after an event there is no other one, or with `any_class` 0 none of the same
 * class. State, which is read and written (output 0): i16 runs seen, next place in the history,
 * quiet runs left, class of the latest event; then the history, Q15 [window][classes]. All of it is
 * data and clamped. The weight stream: i16 score[256], Q15 by the input's raw byte;
 * u8 ignored[classes].
 */

#include "kernels/fixed_point.h"
#include "kernels/vision/entries.h"

struct smooth_params {
	int32_t classes;
	int32_t window;
	int32_t threshold;
	int32_t refractory;
	int32_t minimum;
	int32_t any_class;
};

#define PARAMS      6
#define WINDOW_MAX  1024
#define STATE_WORDS 4

struct smooth_state {
	int16_t runs;
	int16_t next;
	int16_t quiet;
	int16_t latest;
	int16_t history[];
};

static int check(const struct rnv_op *op)
{
	const struct smooth_params *p = (const void *)rnv_op_params(op);
	uint32_t state;

	if (!rnv_op_has(op, 2, 3, PARAMS) || !rnv_words_within(&p->classes, 1, 1, INT16_MAX) ||
	    !rnv_words_within(&p->window, 1, 1, WINDOW_MAX) ||
	    !rnv_words_within(&p->threshold, 2, 0, INT16_MAX) ||
	    !rnv_words_within(&p->minimum, 1, 1, INT16_MAX) ||
	    !rnv_words_within(&p->any_class, 1, 0, 1) || op->rec->scratch_bytes != 0u ||
	    op->rec->weights_bytes != 2u * RNV_SCORES + (uint32_t)p->classes) {
		return RNV_EFORMAT;
	}
	state = STATE_WORDS + (uint32_t)p->classes * (uint32_t)p->window;
	if (!rnv_op_is_int8(op, 0, &p->classes, 1) ||
	    !rnv_tensor_is(rnv_op_in_rec(op, 1), RNV_TYPE_INT16, state) ||
	    op->pkg->operands[op->rec->operand_first + 1u] !=
		    op->pkg->operands[op->rec->operand_first + 2u] ||
	    !rnv_entries_are(op, 3, 4, 1)) {
		return RNV_EFORMAT;
	}
	return 0x2; /* the state, which is output 0 */
}

/** Put the scores into the history; the number of runs in it. */
static uint32_t remember(const struct smooth_params *p, struct smooth_state *state,
			 const int16_t *scores, const uint8_t *in)
{
	int32_t next = rnv_clamp(state->next, 0, p->window - 1);
	int32_t runs = rnv_clamp(state->runs, 0, INT16_MAX - 1) + 1;
	int16_t *row = state->history + next * p->classes;

	for (int32_t c = 0; c < p->classes; c++) {
		row[c] = scores[in[c]];
	}
	state->next = (int16_t)((next + 1 < p->window) ? next + 1 : 0);
	state->runs = (int16_t)runs;
	return (uint32_t)((runs < p->window) ? runs : p->window);
}

/** Sum of a class's scores in the history, as far as it was written. */
static uint32_t sum_of(const struct smooth_params *p, const struct smooth_state *state, uint32_t n,
		       int32_t class_index)
{
	const int16_t *score = state->history + class_index;
	uint32_t sum = 0;

	for (uint32_t i = 0; i < n; i++, score += p->classes) {
		sum += (uint32_t)rnv_clamp(*score, 0, INT16_MAX);
	}
	return sum;
}

static void run(const struct rnv_op *op)
{
	const struct smooth_params *p = (const void *)rnv_op_params(op);
	const int16_t *scores = (const void *)rnv_op_weights(op);
	const uint8_t *ignored = (const void *)(scores + RNV_SCORES);
	struct smooth_state *state = rnv_op_out(op, 0);
	struct rnv_detection *event = rnv_op_out(op, 2);
	uint32_t n = remember(p, state, scores, rnv_op_in(op, 0));
	uint32_t best = sum_of(p, state, n, 0);
	int32_t where = 0;
	int32_t score;
	bool quiet;

	for (int32_t c = 1; c < p->classes; c++) {
		uint32_t sum = sum_of(p, state, n, c);

		where = (sum > best) ? c : where;
		best = (sum > best) ? sum : best;
	}
	score = (int32_t)((best + n / 2u) / n);
	quiet = state->quiet > 0 && (p->any_class != 0 || state->latest == where);
	state->quiet = (int16_t)rnv_clamp(state->quiet - 1, 0, INT16_MAX);
	if (ignored[where] != 0u || quiet || score < p->threshold || state->runs < p->minimum) {
		rnv_entries_close(event, 0, 1, rnv_op_out(op, 1));
		return;
	}
	state->quiet = (int16_t)p->refractory;
	state->latest = (int16_t)where;
	*event = (struct rnv_detection){.class_index = (int16_t)where, .score = (int16_t)score};
	rnv_entries_close(event, 1, 1, rnv_op_out(op, 1));
}

const struct rnv_kernel rnv_smooth_s8 = {.check = check, .run = run};
