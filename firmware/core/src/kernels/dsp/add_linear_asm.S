/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * The linear form of ADD (add_linear.h): 22 instructions for four elements, two quads a turn.
 *
 * SMLAWB and SMLAWT are the only multiplications of 32 by 16 bits, and give bits 16.. of the
 * product. What AND leaves of a word of four values is 256 times two of them, as halves: no
 * extraction, and 8 more bits of the factor count than with sign-extended bytes.
 */

#include "kernels/dsp/select.h"

#if RNV_DSP_ASM

	.syntax unified
	.thumb

fx	.req r0
x	.req r1
y	.req r2
out	.req r3
fy	.req r4
offset	.req r5
end	.req r6		/* of the whole quads of the output */
high	.req r7		/* 0xFF00FF00; as a register because it is ANDed with a shifted word */
x13	.req r8		/* 256 (x1, x3), then output 3 */
y13	.req r9
x02	.req r10	/* 256 (x0, x2), then output 2 */
y02	.req r11
out0	.req r12
out1	.req r14

.macro QUAD
	ldr x13, [x], #4
	ldr y13, [y], #4
	and x02, high, x13, lsl #8
	and y02, high, y13, lsl #8
	and x13, x13, #0xFF00FF00
	and y13, y13, #0xFF00FF00
	smlawb out0, fx, x02, offset
	smlawb out1, fx, x13, offset
	smlawt x02, fx, x02, offset
	smlawt x13, fx, x13, offset
	smlawb out0, fy, y02, out0
	smlawb out1, fy, y13, out1
	smlawt x02, fy, y02, x02
	smlawt x13, fy, y13, x13
	ssat out0, #8, out0, asr #21
	ssat out1, #8, out1, asr #21
	ssat x02, #8, x02, asr #21
	ssat x13, #8, x13, asr #21
	bfi out0, out1, #8, #8
	bfi x02, x13, #8, #8
	pkhbt out0, out0, x02, lsl #16
	str out0, [out], #4
.endm

/* void rnv_add_linear_asm(f, x, y, out, count, offset) */
	.section .text.rnv_add_linear_asm, "ax", %progbits
	.balign 4
	.global rnv_add_linear_asm
	.type rnv_add_linear_asm, %function
rnv_add_linear_asm:
	push {r4-r11, lr}
	ldrd r12, offset, [sp, #36]	/* count, offset */
	ldrd fx, fy, [fx]
	mov high, #0xFF00FF00
	bic end, r12, #3
	add end, end, out
	cmp end, out
	beq 3f
1:	QUAD
	cmp out, end
	bne 1b
	ldr r12, [sp, #36]
3:	ands r12, r12, #3
	beq 5f
	add end, end, r12
4:	ldrsb x13, [x], #1		/* what is left, one by one */
	ldrsb y13, [y], #1
	lsl x13, x13, #8
	lsl y13, y13, #8
	smlawb x13, fx, x13, offset
	smlawb x13, fy, y13, x13
	ssat x13, #8, x13, asr #21
	strb x13, [out], #1
	cmp out, end
	bne 4b
5:	pop {r4-r11, pc}
	.size rnv_add_linear_asm, . - rnv_add_linear_asm

#endif

#if defined(__linux__) /* this file is empty there, and asks for no executable stack */
	.section .note.GNU-stack, "", %progbits
#endif
