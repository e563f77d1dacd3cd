/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef MVE_TEST_H_
#define MVE_TEST_H_

/*
 * What the tests of the MVE kernels share: random numbers, memory between guards, and the
 * arithmetic of SPEC.md, section 3, written for this test.
 */

#include <stdbool.h>
#include <stdint.h>

/** The kinds of shifts that the kernels tell apart (`enum rnv_mve_scale`). */
struct scaling {
	int32_t multiplier[64];
	int8_t shift[64];
	int32_t out_zp;
	int32_t act_min;
	int32_t act_max;
};

uint32_t random_word(void);

/** Random number in `low .. high`. */
int32_t random_in(int32_t low, int32_t high);

/** Random values; now and then all -128, all 127, or only these. */
void random_values(int8_t *values, uint32_t count);

/** Forget all memory that was taken. */
void release_all(void);

/** `bytes` bytes at an address of any alignment, between guards. */
int8_t *take(uint32_t bytes);

/** Likewise, aligned to 4 bytes. */
void *take_words(uint32_t bytes);

/** Count a case: outputs as expected, all guards whole. */
void end_case(const char *name, bool equal);

/** A random scaling for sums up to about `magnitude`, of a kind that `scale` may serve. */
void random_scaling(struct scaling *s, uint32_t scale, int32_t magnitude);

/** Output of channel `channel` for a sum. */
int8_t output_of(const struct scaling *s, uint32_t channel, int32_t sum);

/** shift_round(high_mul(x 2^max(shift, 0), multiplier), max(-shift, 0)). */
int32_t requantized(int32_t x, int32_t multiplier, int32_t shift);

void test_tiles(void);
void test_cells(void);
void test_rows(void);

#endif /* MVE_TEST_H_ */
