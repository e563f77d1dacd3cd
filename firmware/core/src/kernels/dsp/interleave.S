/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Four channels of many pixels, from planes to pixels: rnv_interleave_fn. Armv7E-M.
 *
 *   void f(int8_t *out, uint32_t pixel, const int8_t *in, uint32_t channel, uint32_t count)
 *
 * Blocks of 4x4 bytes are transposed in registers, 24 instructions each. SEL takes bytes 0 and 2
 * from its first source and bytes 1 and 3 from its second (GE = 0101), so two channels are merged
 * by one shift and one SEL. Words may lie at any alignment.
 */

#include "kernels/dsp/select.h"

#if RNV_DSP_ASM

	.syntax unified
	.thumb

#define out      r0
#define pixel    r1
#define in       r2
#define channel  r3
#define count    r4 /* pixels left, less the four of this block */
#define pixel3   r5
#define channel3 r6
#define ch0      r7 /* a word of each channel: a0 a1 a2 a3, b0 .., c0 .., d0 .. */
#define ch1      r8
#define ch2      r9
#define ch3      r10
#define ab       r11
#define cd       r12

	.section .text.rnv_interleave_asm, "ax", %progbits
	.global	rnv_interleave_asm
	.type	rnv_interleave_asm, %function
	.balign	4
rnv_interleave_asm:
	push	{r4-r11}
	ldr	count, [sp, #32]
	mov	ch0, #0x00050000			/* GE = 0101 */
	msr	APSR_g, ch0
	add	pixel3, pixel, pixel, lsl #1
	add	channel3, channel, channel, lsl #1
	subs	count, #4
.Lblock:
	ldr	ch1, [in, channel]
	ldr	ch2, [in, channel, lsl #1]
	ldr	ch3, [in, channel3]
	ldr	ch0, [in], #4
	lsl	ab, ch1, #8
	lsl	cd, ch3, #8
	sel	ab, ch0, ab			/* a0 b0 a2 b2 */
	sel	cd, ch2, cd			/* c0 d0 c2 d2 */
	lsr	ch0, ch0, #8
	lsr	ch2, ch2, #8
	sel	ch0, ch0, ch1				/* a1 b1 a3 b3 */
	sel	ch2, ch2, ch3				/* c1 d1 c3 d3 */
	pkhbt	ch1, ab, cd, lsl #16		/* pixel 0 */
	pkhtb	ch3, cd, ab, asr #16		/* pixel 2 */
	pkhbt	ab, ch0, ch2, lsl #16		/* pixel 1 */
	pkhtb	cd, ch2, ch0, asr #16		/* pixel 3 */
	str	ch1, [out]
	str	ab, [out, pixel]
	str	ch3, [out, pixel, lsl #1]
	str	cd, [out, pixel3]
	add	out, out, pixel, lsl #2
	subs	count, #4
	bhs	.Lblock
	adds	count, #4
	beq	.Ldone
	/* One to three pixels are left: once more from four before the end. */
	rsb	ch0, count, #4
	sub	in, in, ch0
	mls	out, ch0, pixel, out
	movs	count, #0
	b	.Lblock
.Ldone:
	pop	{r4-r11}
	bx	lr
	.size	rnv_interleave_asm, . - rnv_interleave_asm

#endif
