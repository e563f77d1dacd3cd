/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Depthwise 3x3, stride 2: depthwise_tiles.h. Armv7E-M.
 *
 *   void rnv_depthwise_s2_asm(const int8_t *in, int8_t *out, const uint32_t *w, plan)
 *
 * A tile is 2 x 2 outputs from five rows of inputs, the one in the middle read once for both: 65
 * instructions. The two words at x0 and x2 give the outer pixels of both outputs, (x0, x2) and
 * (x2, x4), and the first one the middle pixels as well, (x1, x3).
 */

#include "kernels/dsp/select.h"

#if RNV_DSP_ASM

	.syntax unified
	.thumb

#define PITCH 64

#define in    r0
#define out   r1
#define left  r2	/* x0, x2 */
#define acc0  r3	/* first row: left, right */
#define acc1  r4
#define acc2  r5	/* second row */
#define acc3  r6
#define out0  r7	/* outer taps of row 0: w00, w02 */
#define out1  r8
#define out2  r9
#define mid01 r10	/* middle taps w01, w11 */
#define mid2  r11	/* w21, 0 */
#define right r12	/* x2, x4 */
#define mid   lr	/* x1, x3 */

/* In the one-row loop the second row's registers are free. */
#define mult  r5
#define constant r6

/* Stack, as in depthwise_s1.S */
#define AT_MULT    0	/* m, K, second: one LDM */
#define AT_SECOND  8
#define AT_START   12
#define AT_STEPS   16	/* in_step, out_step */
#define AT_END     24	/* `in` after the pairs; odd */
#define AT_ODD     28
#define FRAME      32

.macro	SPLIT
	sxtb16	right, right
	sxtb16	mid, left, ror #8
	sxtb16	left, left
.endm

.macro	PIXELS offset
	ldr	right, [in, #\offset + 2]
	ldr	left, [in, #\offset]
	SPLIT
.endm

/* Row 0 of the input moves the address on; the others are reached from there. */
.macro	PIXELS_FIRST
	ldr	right, [in, #2]
	ldr	left, [in], #-4
	SPLIT
.endm

/* Add a row's products to two outputs; `half` of `middle` is the middle tap. */
.macro	ROW a, b, outer, half, middle
	smlad	\a, left, \outer, \a
	smlad	\b, right, \outer, \b
	smlab\half \a, mid, \middle, \a
	smlat\half \b, mid, \middle, \b
.endm

/* Row 0 of the window of two outputs, which start from `from`: it may be `b`. */
.macro	ROW_FIRST a, b, from
	smlad	\a, left, out0, \from
	smlad	\b, right, out0, \from
	smlabb	\a, mid, mid01, \a
	smlatb	\b, mid, mid01, \b
.endm

	.section .text.rnv_depthwise_s2_asm, "ax", %progbits
	.global	rnv_depthwise_s2_asm
	.type	rnv_depthwise_s2_asm, %function
	.balign	4
rnv_depthwise_s2_asm:
	push	{r4-r11, lr}
	sub	sp, #FRAME
	ldm	r2!, {r7-r12, lr}		/* out0-2, mid01, mid2, c, m */
	ldr	r2, [r2]
	strd	lr, r2, [sp, #AT_MULT]
	str	r12, [sp, #AT_START]
	ldm	r3, {r2, r4-r6, r12, lr}	/* start, in_step, out_step, second, pairs, odd */
	add	in, in, r2, lsl #1
	add	out, r2
	strd	r4, r5, [sp, #AT_STEPS]
	str	r6, [sp, #AT_SECOND]
	add	r12, in
	strd	r12, lr, [sp, #AT_END]
	cmp	in, r12
	beq	3f

1:	PIXELS_FIRST
	ldr	acc3, [sp, #AT_START]
	ROW_FIRST acc0, acc1, acc3
	PIXELS	PITCH + 4
	ROW	acc0, acc1, out1, t, mid01
	PIXELS	2 * PITCH + 4
	ROW	acc0, acc1, out2, b, mid2
	ROW_FIRST acc2, acc3, acc3
	PIXELS	3 * PITCH + 4
	ROW	acc2, acc3, out1, t, mid01
	PIXELS	4 * PITCH + 4
	ROW	acc2, acc3, out2, b, mid2

	ldm	sp, {r2, r12, lr}		/* m, K, second */
	smmla	acc0, acc0, r2, r12
	smmla	acc1, acc1, r2, r12
	smmla	acc2, acc2, r2, r12
	smmla	acc3, acc3, r2, r12
	ssat	acc0, #8, acc0, asr #10
	ssat	acc1, #8, acc1, asr #10
	ssat	acc2, #8, acc2, asr #10
	ssat	acc3, #8, acc3, asr #10
	bfi	acc0, acc1, #8, #8
	bfi	acc2, acc3, #8, #8
	strh	acc0, [out], #-2
	strh	acc2, [out, lr]
	lsls	r2, in, #26			/* a multiple of 64? */
	bne	1b

	ldrd	r2, r12, [sp, #AT_STEPS]
	add	in, r2
	add	out, r12
	ldr	r2, [sp, #AT_END]
	cmp	in, r2
	bne	1b

3:	ldr	r2, [sp, #AT_ODD]
	cmp	r2, #0
	beq	5f
	ldrd	mult, constant, [sp, #AT_MULT]
4:	/* two outputs of one row: 36 instructions */
	PIXELS_FIRST
	ldr	acc1, [sp, #AT_START]
	ROW_FIRST acc0, acc1, acc1
	PIXELS	PITCH + 4
	ROW	acc0, acc1, out1, t, mid01
	PIXELS	2 * PITCH + 4
	ROW	acc0, acc1, out2, b, mid2
	smmla	acc0, acc0, mult, constant
	smmla	acc1, acc1, mult, constant
	ssat	acc0, #8, acc0, asr #10
	ssat	acc1, #8, acc1, asr #10
	bfi	acc0, acc1, #8, #8
	strh	acc0, [out], #-2
	lsls	r2, in, #26
	bne	4b
5:	add	sp, #FRAME
	pop	{r4-r11, pc}
	.size	rnv_depthwise_s2_asm, . - rnv_depthwise_s2_asm

#endif
