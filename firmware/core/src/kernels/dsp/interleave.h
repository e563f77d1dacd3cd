/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_DSP_INTERLEAVE_H_
#define RNV_KERNELS_DSP_INTERLEAVE_H_

/**
 * @file
 * @brief Planes to pixels with DSP instructions; its twin is the portable rnv_interleave_c().
 */

#include "kernels/dsp/select.h"
#include "kernels/planes/interleave.h"

#if RNV_DSP_ASM
rnv_interleave_fn rnv_interleave_asm;
#endif

#endif /* RNV_KERNELS_DSP_INTERLEAVE_H_ */
