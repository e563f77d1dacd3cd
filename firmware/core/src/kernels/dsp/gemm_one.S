/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * One column times pairs of output channels, for pixels that fill no tile; the stream is that of
 * gemm.S. Armv7E-M.
 *
 *   void f(const void *w, const void *columns, int8_t *out, uint32_t channel,
 *          const void *w_end, uint32_t quads)
 *
 * With two sums only, there is room for the weights and the column of two quads: LDM of four words
 * each, 14 instructions for 16 products.
 */

#include "kernels/dsp/select.h"

#if RNV_DSP_ASM

	.syntax unified
	.thumb

#define wp      r0 /* stream */
#define column  r1 /* prepared column */
#define out     r2
#define channel r3
#define acc0    r4 /* sum of output 0 */
#define acc1    r5
#define w0      r6 /* weights of output 0 */
#define w1      r7
#define w0b     r8 /* of the next quad */
#define w1b     r9
#define y       r10
#define z       r11
#define yb      r12
#define zb      lr

/* Frame, pushed from r4-r9 and r12. */
#define FRAME_COLUMN   0  /* and w_end */
#define FRAME_ENTRY    8  /* where a pair goes on in the loop */
#define FRAME_START    12 /* where a pair starts: at the odd quad, or as FRAME_ENTRY */
#define FRAME_STOP     16 /* end of the column */
#define FRAME_EPILOGUE 24 /* where a pair goes on after its quads */
#define FRAME_BYTES    28
#define ARGUMENTS      36 /* from the stack pointer to w_end and quads, after r4-r11 and lr */

#define LOOP           2  /* pairs of quads in the loop: -twos and twos are the same modulo 2 */
#define TWO_QUAD_BYTES 56 /* code of TWO_QUADS: 14 instructions of 4 bytes */

/* What a call of rnv_dsp_textbook() has on the stack: two arguments, out, channel and the sums. */
#define CALL_BYTES 24

.macro	PRODUCTS wa, wb, ya, za
	smlad	acc0, \wa, \ya, acc0
	smlad	acc1, \wb, \ya, acc1
	sxtb16	\wa, \wa
	sxtb16	\wb, \wb
	smlad	acc0, \wa, \za, acc0
	smlad	acc1, \wb, \za, acc1
.endm

.macro	TWO_QUADS
	ldm	wp!, {w0, w1, w0b, w1b}
	ldm	column!, {y, z, yb, zb}
	PRODUCTS w0, w1, y, z
	PRODUCTS w0b, w1b, yb, zb
.endm

/* K, plus V where the sum is negative: AND with the sign. */
.macro	LINEAR acc
	ldm	wp!, {w0, w1, w0b, w1b}		/* m K V 0 */
	and	w0b, w0b, \acc, asr #31
	smmla	\acc, \acc, w0, w1
	add	\acc, w0b
.endm

.macro	ENTRY name, epilogue
	.global	\name
	.type	\name, %function
\name:
	adr.w	r12, \epilogue + 1		/* bit 0: Thumb */
	b	gemm_one
	.size	\name, . - \name
.endm

	.section .text.rnv_dsp_gemm_one_asm, "ax", %progbits
	.balign	4
	ENTRY	rnv_dsp_gemm_one_relu_asm, relu
	ENTRY	rnv_dsp_gemm_one_linear_asm, linear
	ENTRY	rnv_dsp_gemm_one_textbook_asm, textbook

/* The same plan as in gemm.S; quads go in twos, and an odd one comes first. */
	.type	gemm_one, %function
gemm_one:
	push	{r4-r11, lr}
	ldrd	r5, r6, [sp, #ARGUMENTS]	/* w_end, quads */
	mov	r4, r1
	add	r8, r1, r6, lsl #3		/* stop: 8 bytes a quad */
	lsrs	r9, r6, #1			/* twos; C: an odd quad */
	and	r10, r9, #LOOP - 1		/* twos that the first turn leaves out */
	mov	r11, #TWO_QUAD_BYTES
	adr.w	r6, twos + 1
	mla	r6, r10, r11, r6		/* entry */
	it	eq
	moveq	r6, r12				/* there are no twos */
	mov	r7, r6				/* start */
	it	cs
	adrcs.w	r7, odd + 1
	push	{r4-r9, r12}			/* r9: the stack stays 8-byte aligned */
pair:
	ldrd	acc0, acc1, [wp], #8
	ldr	pc, [sp, #FRAME_START]

	.balign	4
odd:
	ldrd	w0, w1, [wp], #8
	ldrd	y, z, [column], #8
	PRODUCTS w0, w1, y, z
	ldr	pc, [sp, #FRAME_ENTRY]

	.balign	4
twos:
	.rept	LOOP
	TWO_QUADS
	.endr
	.if	. - twos != LOOP * TWO_QUAD_BYTES
	.error	"TWO_QUAD_BYTES"
	.endif
	ldr	zb, [sp, #FRAME_STOP]
	cmp	column, zb
	bne	twos
	ldr	pc, [sp, #FRAME_EPILOGUE]

	.balign	4
linear:
	LINEAR	acc0
	LINEAR	acc1
	b	saturate

	.balign	4
textbook:
	mov	r6, wp				/* tail */
	movs	r0, #1				/* columns */
	movs	r1, #2				/* outputs */
	push	{r0-r5}				/* and out, channel, sums */
	add	r0, sp, #16
	mov	r1, r6
	bl	rnv_dsp_textbook
	ldrd	out, channel, [sp, #8]
	add	sp, #CALL_BYTES
	add	wp, r6, #16
	b	next

	.balign	4
relu:
	ldm	wp!, {w0, w1, w0b, w1b}		/* m0 K0 m1 K1 */
	smmla	acc0, acc0, w0, w1
	smmla	acc1, acc1, w0b, w1b
saturate:
	ssat	acc0, #8, acc0, asr #12
	ssat	acc1, #8, acc1, asr #12
	strb	acc0, [out]
	strb	acc1, [out, channel]
next:
	add	out, out, channel, lsl #1
	ldrd	column, w0, [sp, #FRAME_COLUMN]	/* and w_end */
	cmp	wp, w0
	bne	pair
	add	sp, #FRAME_BYTES
	pop	{r4-r11, pc}
	.size	gemm_one, . - gemm_one

#endif
