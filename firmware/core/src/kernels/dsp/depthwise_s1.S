/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Depthwise 3x3, stride 1: depthwise_tiles.h. Armv7E-M.
 *
 *   void rnv_depthwise_s1_asm(const int8_t *in, int8_t *out, const uint32_t *w, plan)
 *
 * A tile is 2 x 2 outputs: 51 instructions. A word of four pixels x0..x3 becomes two pairs,
 * (x0, x2) and (x1, x3); each is an SMLAD for the outer taps of one of two adjacent outputs, and
 * has the middle pixel of the other. Of the four rows of inputs, the two in the middle serve both
 * rows of outputs: their middle pixels are paired (two PKH, and one to keep the first row's) and
 * take one SMLAD instead of two SMLAxy for each of the four outputs.
 */

#include "kernels/dsp/select.h"

#if RNV_DSP_ASM

	.syntax unified
	.thumb

#define PITCH 64

#define in   r0
#define out  r1
#define even r2		/* x0, x2 */
#define acc0 r3		/* first row: left, right */
#define acc1 r4
#define acc2 r5		/* second row */
#define acc3 r6
#define out0 r7		/* outer taps of row 0: w00, w02 */
#define out1 r8
#define out2 r9
#define mid01 r10	/* middle taps w01, w11 */
#define mid12 r11	/* w11, w21 */
#define odd  r12	/* x1, x3 */
#define keep lr

/* In the one-row loop the second row's registers are free, and so is `keep`. */
#define mult r5
#define constant r6
#define start lr

/* Stack */
#define AT_MULT    0	/* m, K, second: one LDM */
#define AT_SECOND  8
#define AT_START   12
#define AT_STEPS   16	/* in_step, out_step */
#define AT_END     24	/* `in` after the pairs; odd */
#define AT_ODD     28
#define FRAME      32

.macro	PIXELS offset
	ldr	even, [in, #\offset]
	sxtb16	odd, even, ror #8
	sxtb16	even, even
.endm

	.section .text.rnv_depthwise_s1_asm, "ax", %progbits
	.global	rnv_depthwise_s1_asm
	.type	rnv_depthwise_s1_asm, %function
	.balign	4
rnv_depthwise_s1_asm:
	push	{r4-r11, lr}
	sub	sp, #FRAME
	ldm	r2!, {r7-r12, lr}		/* out0-2, mid01, (w21, 0), c, m */
	ldr	r2, [r2]
	strd	lr, r2, [sp, #AT_MULT]
	str	r12, [sp, #AT_START]
	ldm	r3, {r2, r4-r6, r12, lr}	/* start, in_step, out_step, second, pairs, odd */
	add	in, r2
	add	out, r2
	strd	r4, r5, [sp, #AT_STEPS]
	str	r6, [sp, #AT_SECOND]
	add	r12, in
	strd	r12, lr, [sp, #AT_END]
	lsl	mid12, mid12, #16
	pkhtb	mid12, mid12, mid01, asr #16
	cmp	in, r12
	beq	3f

1:	/* row 0, first of row 0's window; the address moves on for the next tile */
	ldr	even, [in], #-2
	ldr	acc3, [sp, #AT_START]
	sxtb16	odd, even, ror #8
	sxtb16	even, even
	smlad	acc0, even, out0, acc3
	smlad	acc1, odd, out0, acc3
	smlabb	acc0, odd, mid01, acc0		/* x1 w01 */
	smlatb	acc1, even, mid01, acc1		/* x2 w01 */
	/* row 1 */
	PIXELS	PITCH + 2
	smlad	acc0, even, out1, acc0
	smlad	acc1, odd, out1, acc1
	smlad	acc2, even, out0, acc3
	smlad	acc3, odd, out0, acc3
	pkhbt	keep, odd, even			/* x1, x2 */
	/* row 2 */
	PIXELS	2 * PITCH + 2
	smlad	acc0, even, out2, acc0
	smlad	acc1, odd, out2, acc1
	smlad	acc2, even, out1, acc2
	smlad	acc3, odd, out1, acc3
	pkhbt	odd, keep, odd, lsl #16		/* x1 of rows 1 and 2 */
	pkhtb	even, even, keep, asr #16	/* x2 of rows 1 and 2 */
	smlad	acc0, odd, mid12, acc0
	smlad	acc1, even, mid12, acc1
	smlad	acc2, odd, mid01, acc2
	smlad	acc3, even, mid01, acc3
	/* row 3 */
	PIXELS	3 * PITCH + 2
	smlad	acc2, even, out2, acc2
	smlad	acc3, odd, out2, acc3
	smlabt	acc2, odd, mid12, acc2		/* x1 w21 */
	smlatt	acc3, even, mid12, acc3		/* x2 w21 */

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
	cbz	r2, 5f
	ldrd	mult, constant, [sp, #AT_MULT]
	ldr	start, [sp, #AT_START]
4:	/* two outputs of one row: 29 instructions */
	ldr	even, [in], #-2
	sxtb16	odd, even, ror #8
	sxtb16	even, even
	smlad	acc0, even, out0, start
	smlad	acc1, odd, out0, start
	smlabb	acc0, odd, mid01, acc0
	smlatb	acc1, even, mid01, acc1
	PIXELS	PITCH + 2
	smlad	acc0, even, out1, acc0
	smlad	acc1, odd, out1, acc1
	smlabt	acc0, odd, mid01, acc0
	smlatt	acc1, even, mid01, acc1
	PIXELS	2 * PITCH + 2
	smlad	acc0, even, out2, acc0
	smlad	acc1, odd, out2, acc1
	smlabt	acc0, odd, mid12, acc0
	smlatt	acc1, even, mid12, acc1
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
	.size	rnv_depthwise_s1_asm, . - rnv_depthwise_s1_asm

#endif
