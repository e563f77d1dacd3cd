/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Two columns times pairs of output channels; stream and arithmetic: gemm.h. Armv7-M, Armv8-M
 * Mainline, no extensions.
 *
 *   void f(const void *w, const void *columns, int8_t *out, uint32_t channel,
 *          const void *w_end, uint32_t quads)
 *
 * A block of four channels keeps 4 sums of 64 bits; 2 words of weights, 2 of columns and 2 pointers
 * fill the 14 registers. What else is needed lies on the stack.
 */

#include "kernels/base/select.h"

#if RNV_BASE_ASM

	.syntax unified
	.thumb

#define wp   r0 /* stream */
#define cols r1 /* prepared columns */
/* Sums by pair and column: low and high word. In the end each word is the sum of one channel. */
#define lo00 r2
#define hi00 r3
#define lo10 r4
#define hi10 r5
#define lo01 r6
#define hi01 r7
#define lo11 r8
#define hi11 r9
#define w0   r10 /* weights of pair 0 */
#define w1   r11
#define x0   r12 /* value of column 0 */
#define x1   lr

/* Frame, pushed from r1-r9. The first five are reloaded by one LDM at the end of a block. */
#define FRAME_COLUMNS 0
#define FRAME_OUT     4
#define FRAME_CHANNEL 8
#define FRAME_W_END   12
#define FRAME_PAIR    16 /* bytes of a pair in the stream */
#define FRAME_ENTRY   20 /* where in the unrolled quads a block of four starts */
#define FRAME_STOP    24 /* value of cols at the end */
#define FRAME_FOUR    28 /* epilogue of a block of four */
#define FRAME_TWO     32 /* epilogue of a block of two */
#define FRAME_BYTES   36
#define ARGUMENTS     36 /* from the stack pointer to w_end and quads, after r4-r11 and lr */

#define LOOP         8  /* quads, a power of two */
#define QUAD_BYTES   96 /* code of a quad: 24 instructions of 4 bytes */
#define COLUMN_SHIFT 5  /* log2 of a prepared quad: 8 words */

/* A value of each column times four channels: 8 products. */
.macro	VALUE
	ldrd	w0, w1, [wp], #8
	ldrd	x0, x1, [cols], #8
	smlal	lo00, hi00, w0, x0
	smlal	lo10, hi10, w1, x0
	smlal	lo01, hi01, w0, x1
	smlal	lo11, hi11, w1, x1
.endm

/* Two sums of 24 bits, one a word. */
.macro	SPLIT lo, hi, t
	lsr	\t, \lo, #24
	orr	\hi, \t, \hi, lsl #8
	bic	\lo, \lo, #0xFF000000
.endm

/*
 * The outputs of one channel, from the sums of both columns, as the low halfword of `a`. K is
 * loaded twice, because SMLAL adds in place; at this point the columns' pointer is free.
 */
.macro	RELU a, b
	ldm	wp!, {w0, w1, x0}		/* m K */
	ldrd	cols, x1, [wp, #-8]		/* K */
	smlal	w1, x0, w0, \a
	smlal	cols, x1, w0, \b
	ssat	\a, #8, x0, asr #4
	ssat	x1, #8, x1, asr #4
	bfi	\a, x1, #8, #8
.endm

/* The same with the K of the sum's sign: UBFX, so that no sum is an index beyond both. */
.macro	LINEAR a, b
	ldr	w0, [wp], #20			/* m; K[2] now before wp */
	ubfx	w1, \a, #23, #1
	add	w1, wp, w1, lsl #3
	ldrd	w1, x0, [w1, #-16]
	smlal	w1, x0, w0, \a
	ssat	\a, #8, x0, asr #4
	ubfx	w1, \b, #23, #1
	add	w1, wp, w1, lsl #3
	ldrd	w1, x0, [w1, #-16]
	smlal	w1, x0, w0, \b
	ssat	x0, #8, x0, asr #4
	bfi	\a, x0, #8, #8
.endm

/* Store a pair's outputs (any alignment), step to the next pair. */
.macro	STORE a, b, out, channel
	strh	\a, [\out]
	strh	\b, [\out, \channel]
	add	\out, \out, \channel, lsl #1
	str	\out, [sp, #FRAME_OUT]
.endm

/*
 * The second pair of a block, or the only one: store, then on to what is left of the stream. The
 * first pair's registers are free.
 */
.macro	STORE_LAST a, b
	ldm	sp, {cols, lo00, hi00, lo01, hi01}	/* columns, out, channel, w_end, pair */
	STORE	\a, \b, lo00, hi00
	NEXT	lo01, hi01
.endm

.macro	NEXT w_end, pair
	sub	\w_end, \w_end, wp
	cmp	\w_end, \pair
	bhi	.Lfour
	beq	.Ltwo
	add	sp, #FRAME_BYTES
	pop	{r4-r11, pc}
.endm

/* Textbook outputs of a pair by C; sums of the other pair survive in r4, r5, r8, r9. */
.macro	TEXTBOOK a0, b0, a1, b1
	push	{\a0, \b0, \a1, \b1}		/* the stack stays 8-byte aligned */
	mov	w0, wp
	mov	r1, wp
	mov	r0, sp
	ldrd	r2, r3, [sp, #16 + FRAME_OUT]	/* out, channel */
	bl	rnv_base_textbook
	add	sp, #16
	add	wp, w0, #16
	ldrd	r2, r3, [sp, #FRAME_OUT]
	add	r2, r2, r3, lsl #1
	str	r2, [sp, #FRAME_OUT]
.endm

/* An entry: what depends on the epilogue. r11: bytes of a pair that are not weights. */
.macro	ENTRY name, epilogue, constants
	.global	\name
	.type	\name, %function
	.balign	4
\name:
	push	{r4-r11, lr}
	adr.w	r8, .L\epilogue\()_four + 1	/* bit 0: Thumb */
	adr.w	r9, .L\epilogue\()_two + 1
	movs	r5, #\constants
	b.w	.Lgemm
	.size	\name, . - \name
.endm

	.section .text.rnv_base_gemm_asm, "ax", %progbits

	ENTRY	rnv_base_gemm_relu_asm, relu, 8 + 24
	ENTRY	rnv_base_gemm_linear_asm, linear, 8 + 40
	ENTRY	rnv_base_gemm_textbook_asm, textbook, 8 + 16

/*
 * No register is left for a counter: the unrolled quads end with a comparison of the columns'
 * pointer. A number of quads that is no multiple of LOOP enters them in the middle, at an address
 * that is worked out once per call.
 */
	.balign	4
.Lgemm:
	ldrd	r4, r11, [sp, #ARGUMENTS]	/* w_end, quads */
	add	r5, r5, r11, lsl #4		/* pair */
	add	r7, r1, r11, lsl #COLUMN_SHIFT	/* stop */
	rsb	r11, r11, #0
	and	r11, r11, #LOOP - 1		/* quads to skip in the first turn */
	mov	r12, #QUAD_BYTES
	adr.w	r6, .Lquads + 1
	mla	r6, r11, r12, r6		/* entry */
	push	{r1-r9}
	sub	r4, r4, wp
	cmp	r4, r5
	beq	.Ltwo

.Lfour:
	ldm	wp, {lo00, hi00, lo10, hi10}	/* start of pair 0, start of pair 1 */
	ldm	wp!, {lo01, hi01, lo11, hi11}
	ldr	pc, [sp, #FRAME_ENTRY]
	.balign	4
.Lquads:
	.rept	4 * LOOP
	VALUE
	.endr
	.if	. - .Lquads != LOOP * QUAD_BYTES
	.error	"QUAD_BYTES"
	.endif
	ldr	x1, [sp, #FRAME_STOP]
	cmp	cols, x1
	bne	.Lquads
	SPLIT	lo00, hi00, x0
	SPLIT	lo01, hi01, x1
	ldr	pc, [sp, #FRAME_FOUR]

/*
 * Two channels. The first pair's registers hold two values of each column, so LDM loads four words
 * at a time. Runs once a call at most and is not unrolled.
 */
.Ltwo:
	ldrd	lo10, hi10, [wp]		/* start */
	ldrd	lo11, hi11, [wp], #8
.Ltwo_quad:
	ldm	wp!, {w0, w1, x0, x1}		/* W of four values */
	ldm	cols!, {lo00, hi00, lo01, hi01}	/* two values of columns 0 1 0 1 */
	smlal	lo10, hi10, w0, lo00
	smlal	lo11, hi11, w0, hi00
	smlal	lo10, hi10, w1, lo01
	smlal	lo11, hi11, w1, hi01
	ldm	cols!, {lo00, hi00, lo01, hi01}
	smlal	lo10, hi10, x0, lo00
	smlal	lo11, hi11, x0, hi00
	smlal	lo10, hi10, x1, lo01
	smlal	lo11, hi11, x1, hi01
	ldr	x1, [sp, #FRAME_STOP]
	cmp	cols, x1
	bne	.Ltwo_quad
	ldr	pc, [sp, #FRAME_TWO]

	.balign	4
.Lrelu_four:
	RELU	lo00, lo01
	RELU	hi00, hi01
	ldrd	w0, w1, [sp, #FRAME_OUT]
	STORE	lo00, hi00, w0, w1
.Lrelu_two:
	SPLIT	lo10, hi10, x0
	SPLIT	lo11, hi11, x1
	RELU	lo10, lo11
	RELU	hi10, hi11
	STORE_LAST lo10, hi10

	.balign	4
.Llinear_four:
	LINEAR	lo00, lo01
	LINEAR	hi00, hi01
	ldrd	w0, w1, [sp, #FRAME_OUT]
	STORE	lo00, hi00, w0, w1
	.balign	4
.Llinear_two:
	SPLIT	lo10, hi10, x0
	SPLIT	lo11, hi11, x1
	LINEAR	lo10, lo11
	LINEAR	hi10, hi11
	STORE_LAST lo10, hi10

	.balign	4
.Ltextbook_four:
	TEXTBOOK lo00, hi00, lo01, hi01
	.balign	4
.Ltextbook_two:
	SPLIT	lo10, hi10, x0
	SPLIT	lo11, hi11, x1
	TEXTBOOK lo10, hi10, lo11, hi11
	ldr	cols, [sp, #FRAME_COLUMNS]
	ldrd	lo01, hi01, [sp, #FRAME_W_END]
	NEXT	lo01, hi01

#endif

#if defined(__ELF__) /* empty or not, this file asks for no executable stack */
	.section .note.GNU-stack, "", %progbits
#endif
