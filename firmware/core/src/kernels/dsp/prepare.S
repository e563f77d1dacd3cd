/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Prepared columns: prepare.h. Armv7E-M.
 *
 *   void *f(const int8_t *in, uint32_t step, void *columns, uint32_t quads)
 *
 * Z is, seen as bytes, (x1 ^ 0x7F, x0, x3 ^ 0x7F, x2): 127 - x has the bits of x but for the sign
 * inverted. So both words come from byte moves and one EOR. Inputs may lie at any alignment (LDR),
 * columns are words (STM).
 */

#include "kernels/dsp/select.h"

#if RNV_DSP_ASM

	.syntax unified
	.thumb

#define in      r0
#define step    r1
#define columns r2
#define count   r3
#define step3   r12

.macro	FUNCTION name
	.section .text.\name, "ax", %progbits
	.global	\name
	.type	\name, %function
	.balign	4
\name:
.endm

/*
 * Four channels of four pixels, a word of each channel: a transposition. Letters are channels.
 * SEL takes bytes 0 and 2 from its first source and 1 and 3 from the second (GE = 0101).
 */
.macro	PLANES_QUAD
	ldr	r8, [in]			/* a0 a1 a2 a3 */
	ldr	r4, [in, step]			/* b0 .. */
	ldr	r9, [in, step, lsl #1]		/* c0 .. */
	ldr	r5, [in, step3]			/* d0 .. */
	add	in, in, step, lsl #2
	pkhbt	lr, r4, r5, lsl #16		/* b0 b1 d0 d1 */
	pkhtb	r7, r5, r4, asr #16		/* b2 b3 d2 d3 */
	pkhbt	r10, r8, r9, lsl #16		/* a0 a1 c0 c1 */
	pkhtb	r11, r9, r8, asr #16		/* a2 a3 c2 c3 */
	sxtb16	r4, lr				/* Y0 */
	sxtb16	r5, lr, ror #8			/* Y1 */
	eor	lr, lr, #0x7F7F7F7F
	lsl	r8, r10, #8
	sel	r8, lr, r8			/* Z0 */
	lsr	lr, lr, #8
	sel	r9, lr, r10			/* Z1 */
	eor	lr, r7, #0x7F7F7F7F
	sxtb16	r6, r7				/* Y2 */
	sxtb16	r7, r7, ror #8			/* Y3 */
	lsl	r10, r11, #8
	sel	r10, lr, r10			/* Z2 */
	lsr	lr, lr, #8
	sel	r11, lr, r11			/* Z3 */
	stm	columns!, {r4-r11}
.endm

	FUNCTION rnv_dsp_planes_asm
	push	{r4-r11, lr}
	mov	r4, #0x00050000			/* GE = 0101 */
	msr	APSR_g, r4
	add	step3, step, step, lsl #1
1:	PLANES_QUAD
	subs	count, #1
	bne	1b
	mov	r0, columns
	pop	{r4-r11, pc}
	.size	rnv_dsp_planes_asm, . - rnv_dsp_planes_asm

/* A word of each of four pixels. */
.macro	PIXELS_QUAD
	ldr	r9, [in, step]
	ldr	r10, [in, step, lsl #1]
	ldr	r11, [in, step3]
	ldr	r8, [in], #4
	sxtb16	r4, r8, ror #8			/* Y0 */
	sxtb16	r5, r9, ror #8
	sxtb16	r6, r10, ror #8
	sxtb16	r7, r11, ror #8
	rev16	r8, r8
	rev16	r9, r9
	rev16	r10, r10
	rev16	r11, r11
	eor	r8, r8, #0x007F007F		/* Z0 */
	eor	r9, r9, #0x007F007F
	eor	r10, r10, #0x007F007F
	eor	r11, r11, #0x007F007F
	stm	columns!, {r4-r11}
.endm

	FUNCTION rnv_dsp_pixels_asm
	push	{r4-r11, lr}
	add	step3, step, step, lsl #1
1:	PIXELS_QUAD
	subs	count, #1
	bne	1b
	mov	r0, columns
	pop	{r4-r11, pc}
	.size	rnv_dsp_pixels_asm, . - rnv_dsp_pixels_asm

/* One pixel of planes. x0 and x2 as unsigned bytes, so that shifting both by 8 at once is clean. */
	FUNCTION rnv_dsp_planes_one_asm
	push	{r4-r8, lr}
	mov	r8, #0x007F007F
	add	step3, step, step, lsl #1
1:	ldrb	r4, [in]
	ldrsb	r5, [in, step]
	ldrb	r6, [in, step, lsl #1]
	ldrsb	r7, [in, step3]
	add	in, in, step, lsl #2
	pkhbt	r4, r4, r6, lsl #16		/* x0 x2 */
	pkhbt	r6, r5, r7, lsl #16		/* Y */
	orr	r7, r8, r4, lsl #8		/* 256 x0 + 127, 256 x2 + 127 */
	ssub16	r7, r7, r6			/* Z */
	strd	r6, r7, [columns], #8
	subs	count, #1
	bne	1b
	mov	r0, columns
	pop	{r4-r8, pc}
	.size	rnv_dsp_planes_one_asm, . - rnv_dsp_planes_one_asm

/* One pixel: the column is one run of bytes. Uses nothing but scratch registers. */
	FUNCTION rnv_dsp_pixels_one_asm
1:	ldr	r1, [in], #4
	sxtb16	r12, r1, ror #8			/* Y */
	rev16	r1, r1
	eor	r1, r1, #0x007F007F		/* Z */
	strd	r12, r1, [columns], #8
	subs	count, #1
	bne	1b
	mov	r0, columns
	bx	lr
	.size	rnv_dsp_pixels_one_asm, . - rnv_dsp_pixels_one_asm

#endif
