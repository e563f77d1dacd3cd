/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Four columns times pairs of output channels; stream and arithmetic: gemm.h. Armv7E-M.
 *
 *   void f(const void *w, const void *columns, int8_t *out, uint32_t channel,
 *          const void *w_end, uint32_t quads)
 *
 * All 14 registers are in use: 8 sums, 2 words of weights, 2 of columns, 2 pointers. What else is
 * needed per pair lies on the stack. A quad is 23 instructions for 32 products: columns are worth
 * more than outputs, because the weights' load and SXTB16 serve all of them.
 *
 * The three functions differ in how sums become outputs, and share the rest: a pair goes on after
 * its quads at an address on the stack, which is one instruction a pair.
 */

#include "kernels/dsp/select.h"

#if RNV_DSP_ASM

	.syntax unified
	.thumb

#define wp    r0 /* stream */
#define cols  r1 /* prepared columns */
#define acc00 r2 /* sum of output 0, column 0 */
#define acc10 r3 /* sum of output 1, column 0 */
#define acc01 r4
#define acc11 r5
#define acc02 r6
#define acc12 r7
#define acc03 r8
#define acc13 r9
#define w0    r10 /* weights of output 0 */
#define w1    r11
#define x0    r12 /* a word of one column */
#define x1    lr  /* a word of the next one */

/*
 * Frame, pushed from r1-r6 and r12: columns, out, channel, w_end, entry, stop, epilogue. The first
 * four are loaded by one LDM at the end of a pair.
 */
#define FRAME_OUT      4
#define FRAME_ENTRY    16 /* where a pair goes on after its first quad */
#define FRAME_STOP     20 /* value of cols at the end of the loop */
#define FRAME_EPILOGUE 24 /* where it goes on after its quads */
#define FRAME_BYTES    28
#define ARGUMENTS      36 /* from the stack pointer to w_end and quads, after r4-r11 and lr */

#define LOOP         4  /* quads of the loop, a power of two */
#define QUAD_BYTES   92 /* code of a QUAD: 23 instructions of 4 bytes */
#define COLUMN_SHIFT 5  /* log2 of a prepared quad: 8 words */

/* What a call of rnv_dsp_textbook() has on the stack: two arguments and the sums. */
#define CALL_BYTES 40

/* Both outputs times one of the two words of each column; x0 and x1 are columns 0 and 1. */
.macro	PRODUCTS
	smlad	acc00, w0, x0, acc00
	smlad	acc10, w1, x0, acc10
	smlad	acc01, w0, x1, acc01
	smlad	acc11, w1, x1, acc11
	ldrd	x0, x1, [cols], #8
	smlad	acc02, w0, x0, acc02
	smlad	acc12, w1, x0, acc12
	smlad	acc03, w0, x1, acc03
	smlad	acc13, w1, x1, acc13
.endm

/* Four inputs: all Y, then all Z, so that SXTB16 can work in place and once for all columns. */
.macro	QUAD
	ldrd	w0, w1, [wp], #8
	ldrd	x0, x1, [cols], #8
	PRODUCTS
	sxtb16	w0, w0
	ldrd	x0, x1, [cols], #8
	sxtb16	w1, w1
	PRODUCTS
.endm

/*
 * The first four inputs of a pair. The start values c0 c1 are the addend of the first products, so
 * setting up the sums costs nothing; while sums are not live yet, their registers take c0 c1 and
 * two words of the columns, and two LDM do the work of four LDRD.
 */
.macro	FIRST_QUAD
	ldm	wp!, {acc03, acc13, w0, w1}	/* c0 c1 W0 W1 */
	ldm	cols!, {acc02, acc12, x0, x1}	/* Y0 Y1 Y2 Y3 */
	smlad	acc00, w0, acc02, acc03
	smlad	acc10, w1, acc02, acc13
	smlad	acc01, w0, acc12, acc03
	smlad	acc11, w1, acc12, acc13
	smlad	acc02, w0, x0, acc03
	smlad	acc12, w1, x0, acc13
	smlad	acc03, w0, x1, acc03
	smlad	acc13, w1, x1, acc13
	sxtb16	w0, w0
	ldrd	x0, x1, [cols], #8
	sxtb16	w1, w1
	PRODUCTS
.endm

.macro	RELU a, b, c, d, m, k
	smmla	\a, \a, \m, \k
	smmla	\b, \b, \m, \k
	smmla	\c, \c, \m, \k
	smmla	\d, \d, \m, \k
.endm

/* K, plus V where the sum is negative: AND with the sign. Uses up w0 w1 x0 x1. */
.macro	LINEAR a, b, c, d
	ldm	wp!, {w0, w1, x0, x1}		/* m K V 0 */
	.irp	acc, \a, \b, \c, \d
	and	x1, x0, \acc, asr #31
	smmla	\acc, \acc, w0, w1
	add	\acc, \acc, x1
	.endr
.endm

/* Saturate four values of one output to bytes and pack them into the first. */
.macro	SATURATE a, b, c, d
	ssat	\a, #8, \a, asr #12
	ssat	\b, #8, \b, asr #12
	ssat	\c, #8, \c, asr #12
	ssat	\d, #8, \d, asr #12
	bfi	\a, \b, #8, #8
	bfi	\c, \d, #8, #8
	pkhbt	\a, \a, \c, lsl #16
.endm

.macro	ENTRY name, epilogue
	.global	\name
	.type	\name, %function
\name:
	adr.w	r12, \epilogue + 1		/* bit 0: Thumb */
	b.w	gemm
	.size	\name, . - \name
.endm

	.section .text.rnv_dsp_gemm_asm, "ax", %progbits
	.balign	4
	ENTRY	rnv_dsp_gemm_relu_asm, relu
	ENTRY	rnv_dsp_gemm_linear_asm, linear
	ENTRY	rnv_dsp_gemm_textbook_asm, textbook

/*
 * The first quad of a pair is peeled. The others run through the loop, whose end is tested every
 * LOOP quads. Columns of any length do without a remainder: a pair enters the loop at an address
 * that is worked out once per call, so that whole turns are left after the first one.
 */
	.type	gemm, %function
gemm:
	push	{r4-r11, lr}
	ldrd	r4, r5, [sp, #ARGUMENTS]	/* w_end, quads */
	add	r6, r1, r5, lsl #COLUMN_SHIFT	/* stop */
	rsbs	r5, r5, #1			/* minus the quads of the loop */
	and	r5, r5, #LOOP - 1		/* those that the first turn leaves out */
	mov	r7, #QUAD_BYTES
	adr.w	r8, quads + 1
	mla	r5, r5, r7, r8			/* entry */
	it	eq
	moveq	r5, r12				/* the first quad was the only one */
	push	{r1-r6, r12}			/* columns, out, channel, w_end, entry, stop, epilogue */
pair:
	FIRST_QUAD
	ldr	pc, [sp, #FRAME_ENTRY]

	.balign	4
quads:
	.rept	LOOP
	QUAD
	.endr
	.if	. - quads != LOOP * QUAD_BYTES
	.error	"QUAD_BYTES"
	.endif
	ldr	x1, [sp, #FRAME_STOP]
	cmp	cols, x1
	bne	quads
	ldr	pc, [sp, #FRAME_EPILOGUE]

	.balign	4
linear:
	LINEAR	acc00, acc01, acc02, acc03
	LINEAR	acc10, acc11, acc12, acc13
	b	saturate

	.balign	4
textbook:
	mov	r10, wp				/* tail */
	movs	r0, #4				/* columns */
	movs	r1, #2				/* outputs */
	push	{r0-r9}				/* and the sums; the stack is 8-byte aligned */
	add	r0, sp, #8
	mov	r1, r10
	ldrd	r2, r3, [sp, #CALL_BYTES + FRAME_OUT]	/* and channel */
	bl	rnv_dsp_textbook
	add	sp, #CALL_BYTES
	add	wp, r10, #16
	ldm	sp, {cols, acc01, acc11, acc02}	/* columns, out, channel, w_end */
	b	next

	.balign	4
relu:
	ldm	wp!, {w0, w1, x0, x1}		/* m0 K0 m1 K1 */
	RELU	acc00, acc01, acc02, acc03, w0, w1
	RELU	acc10, acc11, acc12, acc13, x0, x1
saturate:
	SATURATE acc00, acc01, acc02, acc03
	SATURATE acc10, acc11, acc12, acc13
	ldm	sp, {cols, acc01, acc11, acc02}	/* columns, out, channel, w_end */
	str	acc00, [acc01]			/* any alignment */
	str	acc10, [acc01, acc11]
next:
	add	acc01, acc01, acc11, lsl #1
	str	acc01, [sp, #FRAME_OUT]
	cmp	wp, acc02
	bne	pair
	add	sp, #FRAME_BYTES
	pop	{r4-r11, pc}
	.size	gemm, . - gemm

#endif
