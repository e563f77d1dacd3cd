/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Sum of adjacent values. USADA8 adds the four bytes of a word without sign; a byte with its sign
 * bit flipped is 128 more than its value, which the sum's start takes off.
 */

#include "kernels/dsp/select.h"

#if RNV_DSP_ASM

	.syntax unified
	.thumb

in	.req r0
left	.req r1		/* values left, minus 8 in the loop */
word	.req r2
zero	.req r3
sum	.req r12

.macro WORD
	ldr word, [in], #4
	eor word, word, #0x80808080
	usada8 sum, word, zero, sum
.endm

/* int32_t rnv_sum_asm(in, count) */
	.section .text.rnv_sum_asm, "ax", %progbits
	.balign 4
	.global rnv_sum_asm
	.type rnv_sum_asm, %function
rnv_sum_asm:
	bic sum, left, #3
	lsl sum, sum, #7
	rsb sum, sum, #0
	movs zero, #0
	subs left, left, #8
	bcc 2f
1:	WORD
	WORD
	subs left, left, #8
	bcs 1b
2:	lsls word, left, #30		/* carry: bit 2, a word is left */
	bcc 3f
	WORD
3:	ands left, left, #3
	beq 5f
4:	ldrsb word, [in], #1
	add sum, sum, word
	subs left, left, #1
	bne 4b
5:	mov r0, sum
	bx lr
	.size rnv_sum_asm, . - rnv_sum_asm

#endif

#if defined(__linux__) /* this file is empty there, and asks for no executable stack */
	.section .note.GNU-stack, "", %progbits
#endif
