/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_DSP_PREPARE_H_
#define RNV_KERNELS_DSP_PREPARE_H_

/**
 * @file
 * @brief Columns in the form that the inner loops of packing dsp read (gemm.h).
 *
 * A quad of a full tile is eight words `[Y0 Y1 Y2 Y3 Z0 Z1 Z2 Z3]`, one of each kind for every
 * pixel; a quad of a single pixel is `[Y Z]`.
 */

#include "kernels/dsp/select.h"
#include "kernels/planes/tile.h"

rnv_prepare_fn rnv_dsp_planes_c;
rnv_prepare_fn rnv_dsp_pixels_c;
rnv_prepare_fn rnv_dsp_planes_one_c;
rnv_prepare_fn rnv_dsp_pixels_one_c;

#if RNV_DSP_ASM
rnv_prepare_fn rnv_dsp_planes_asm;
rnv_prepare_fn rnv_dsp_pixels_asm;
rnv_prepare_fn rnv_dsp_planes_one_asm;
rnv_prepare_fn rnv_dsp_pixels_one_asm;
#endif

#endif /* RNV_KERNELS_DSP_PREPARE_H_ */
