/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_BASE_PREPARE_H_
#define RNV_KERNELS_BASE_PREPARE_H_

/**
 * @file
 * @brief Columns in the form that the inner loops of packing base read (gemm.h): int32, values of a
 * full tile's two pixels side by side.
 */

#include "kernels/base/select.h"
#include "kernels/planes/tile.h"

rnv_prepare_fn rnv_base_planes_c;
rnv_prepare_fn rnv_base_pixels_c;
rnv_prepare_fn rnv_base_planes_one_c;
rnv_prepare_fn rnv_base_pixels_one_c;

#if RNV_BASE_ASM
rnv_prepare_fn rnv_base_planes_asm;
rnv_prepare_fn rnv_base_pixels_asm;
rnv_prepare_fn rnv_base_planes_one_asm;
rnv_prepare_fn rnv_base_pixels_one_asm;
#endif

#endif /* RNV_KERNELS_BASE_PREPARE_H_ */
