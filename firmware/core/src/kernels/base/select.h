/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_BASE_SELECT_H_
#define RNV_KERNELS_BASE_SELECT_H_

/**
 * @file
 * @brief Assembly or C: which version of a primitive of packing base a build uses.
 *
 * As kernels/dsp/select.h, but the assembly needs no extension: Armv7-M and Armv8-M Mainline.
 */

#if defined(__thumb2__) && __ARM_ARCH_PROFILE == 'M' && !defined(RNV_NO_ASM)
#define RNV_BASE_ASM        1
#define RNV_BASE_PICK(name) name##_asm
#else
#define RNV_BASE_ASM        0
#define RNV_BASE_PICK(name) name##_c
#endif

#endif /* RNV_KERNELS_BASE_SELECT_H_ */
