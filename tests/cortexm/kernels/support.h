/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef CORTEXM_KERNELS_SUPPORT_H_
#define CORTEXM_KERNELS_SUPPORT_H_

/* What the tests of kernels share: random numbers, guarded buffers, checked calls, messages. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A pseudo-random word (xorshift32); the same sequence on every machine. */
uint32_t random_word(void);

/* A number in `low .. high`. */
int32_t random_in(int32_t low, int32_t high);

/* Start the sequence anew. */
void random_seed(uint32_t seed);

/* An int8: an extreme where `kind` is 0..2 (the lowest, the highest, either), else any. */
int8_t random_input(int32_t kind);

/* Bytes before and after each guarded buffer. */
#define GUARD_BYTES 32u

/* A buffer whose surroundings must not be written. */
struct guarded {
	uint8_t *pool;
	uint8_t *data;
	size_t bytes;
	size_t pool_bytes;
};

/*
 * Take `bytes` bytes out of `pool`, `offset` (0..15) bytes after a multiple of 16, and fill all
 * else with a pattern. Ends the program where the pool is too small.
 */
struct guarded guard(uint8_t *pool, size_t pool_bytes, size_t bytes, size_t offset);

/* False where a byte around the buffer has changed. */
bool guard_holds(const struct guarded *buffer);

/* Any function with at most six word arguments, the last two on the stack. */
typedef void any_fn(void);

/*
 * Call `function` with `arguments`; `*result` is what it returns. On a Cortex-M: false where it
 * does not keep r4-r11 or the stack pointer, or writes above its arguments on the stack.
 */
bool call_checked(any_fn *function, const uintptr_t arguments[6], uintptr_t *result);

/*
 * Call the inner loop `function` (rnv_gemm_fn) for a stream of pairs of channels as a driver does:
 * an odd channel on its own, with channel 0. False where call_checked() is.
 */
bool call_pairs(any_fn *function, const struct guarded *stream, const uint8_t *columns,
		uint8_t *out, uint32_t outputs, uint32_t step, uint32_t quads);

/* Print a text, a number. */
void say(const char *text);
void say_number(const char *label, int32_t value);

/* Run rounds from the beginning of a sequence up to the first one that fails; what main() returns.
 */
int run_rounds(const char *name, bool (*one_round)(int32_t number), int32_t seed, int32_t rounds);

/* The program: `argc` words of the command line. */
int test_main(int32_t seed, int32_t rounds);

#endif /* CORTEXM_KERNELS_SUPPORT_H_ */
