/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef KERNELS_CONV_INTERLEAVE_TEST_H_
#define KERNELS_CONV_INTERLEAVE_TEST_H_

/* Failures of one random call of each form of rnv_interleave_fn, and of rnv_interleave(). */
int interleave_fails(void);

#endif /* KERNELS_CONV_INTERLEAVE_TEST_H_ */
