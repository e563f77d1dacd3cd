/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef KERNELS_DEPTHWISE_EXERCISE_H_
#define KERNELS_DEPTHWISE_EXERCISE_H_

/*
 * Runs one op over views in all the ways that its interface allows, and compares every byte of the
 * output's memory with what it should be.
 */

#include <stdbool.h>
#include <stdint.h>

#include "kernels/kernel.h"

#define MAX_PARAMS   40
#define MAX_ELEMENTS 40000

/* An op, its input and the expected output, both as [channel][row][column]. */
struct subject {
	const struct rnv_kernel *kernel;
	int32_t params[MAX_PARAMS];
	uint32_t param_words;
	uint32_t in_view; /* words of the views in the parameters */
	uint32_t out_view;
	const void *weights;
	uint32_t weights_bytes;
	int32_t in_c;
	int32_t in_h;
	int32_t in_w;
	int32_t out_c;
	int32_t out_h;
	int32_t out_w;
	int32_t stride; /* of rows; window of `extent` rows, the first one `before` above the input
			 */
	int32_t before;
	int32_t extent;
	uint32_t slack; /* bytes that the output needs after its last element */
	uint32_t line;  /* bytes of scratch: `line` for each row, and `more` */
	uint32_t more;
	int32_t in_place_w; /* most columns of outputs for which the input may be replaced */
	const int8_t *in;
	const int8_t *expected;
};

/* Fail with a message and end the program unless `ok`. */
void expect(bool ok, const char *what);

/* Name what is being tested, for messages. */
void begin(const char *what, int32_t number);

/* True once in `n` times. */
bool once_in(int32_t n);

/* The whole op in random layouts, in place where allowed, and in slices with rings. */
void exercise(struct subject *s);

/* Expect check() to refuse each parameter word outside of its limits, and other sizes. */
void expect_refusals(struct subject *s, const int32_t (*limits)[2], uint32_t words);

void test_tiles(int32_t rounds);
void test_dsp(int32_t rounds);
void test_planes(int32_t rounds);

#endif /* KERNELS_DEPTHWISE_EXERCISE_H_ */
