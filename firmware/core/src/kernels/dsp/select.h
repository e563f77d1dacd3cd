/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_DSP_SELECT_H_
#define RNV_KERNELS_DSP_SELECT_H_

/**
 * @file
 * @brief Assembly or C: which version of a primitive a build uses.
 *
 * Every primitive of packing dsp exists twice: `name_asm` in a `.S` file for Armv7E-M and Armv8-M
 * with the DSP extension, and its twin `name_c` in portable C, for every other machine and for
 * builds with RNV_NO_ASM. Both names exist where the assembly does, so that a test can link and
 * compare them; what is not called is not linked. Read by C and by assembly.
 */

#if defined(__ARM_FEATURE_DSP) && __ARM_ARCH_PROFILE == 'M' && !defined(RNV_NO_ASM)
#define RNV_DSP_ASM        1
#define RNV_DSP_PICK(name) name##_asm
#else
#define RNV_DSP_ASM        0
#define RNV_DSP_PICK(name) name##_c
#endif

/* clang-format off */
#if defined(__ASSEMBLER__) && defined(__linux__)
	/* This object needs no executable stack; without a word the whole program would get one. */
	.section .note.GNU-stack, "", %progbits
#endif
/* clang-format on */

#endif /* RNV_KERNELS_DSP_SELECT_H_ */
