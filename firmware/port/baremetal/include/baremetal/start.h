/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef BAREMETAL_START_H_
#define BAREMETAL_START_H_

/**
 * @file
 * @brief Start-up of a bare-metal Cortex-M program, and its stack measurement.
 *
 * The start-up enables the FPU or MVE, initialises .data and .bss, paints the stack, calls
 * `int main(void)` and ends the program with its result through semihosting. A fault prints one
 * line and ends the program with RNV_EXIT_FAULT.
 */

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Exit code of a program that a fault ended. */
#define RNV_EXIT_FAULT 70

/**
 * @brief Paint the unused part of the stack, so that a new measurement starts here.
 *
 * The start-up does this once before main. Not for an ISR.
 */
void rnv_stack_paint(void);

/**
 * @brief Deepest use of the stack since it was last painted.
 *
 * Right after rnv_stack_paint() this is the present depth, so that the difference of two calls is
 * what the code in between needed. A value that happens to equal the paint at the very end is
 * missed.
 *
 * @return Bytes, counted from the top of the stack.
 */
size_t rnv_stack_high_water(void);

#ifdef __cplusplus
}
#endif

#endif /* BAREMETAL_START_H_ */
