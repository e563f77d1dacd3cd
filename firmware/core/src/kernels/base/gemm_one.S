/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * One column times pairs of output channels: pixels that fill no tile, and fully connected layers.
 * Stream and arithmetic: gemm.h. Armv7-M, Armv8-M Mainline, no extensions.
 *
 *   void f(const void *w, const void *column, int8_t *out, uint32_t channel,
 *          const void *w_end, uint32_t quads)
 *
 * A block of four channels has two sums only, so there is room for four words of weights and four
 * values: LDM loads them. 11 instructions for 16 products; 14 where the values are bytes
 * (`direct`).
 */

#include "kernels/base/select.h"

#if RNV_BASE_ASM

	.syntax unified
	.thumb

#define wp     r0 /* stream */
#define column r1
/* Sums of a pair: low and high word. In the end each word is the sum of one channel. */
#define lo0    r2
#define hi0    r3
#define lo1    r4
#define hi1    r5
/* Weights of two values and two pairs, or of four values and one pair. */
#define w0     r6
#define w1     r7
#define w2     r8
#define w3     r9
/* Values. */
#define x0     r10
#define x1     r11
#define x2     r12
#define x3     lr

/* Frame, pushed from r1-r9; as in gemm.S. */
#define FRAME_COLUMN 0
#define FRAME_OUT    4
#define FRAME_W_END  12
#define FRAME_PAIR   16 /* bytes of a pair in the stream */
#define FRAME_ENTRY  20 /* where in the unrolled quads a block of four starts */
#define FRAME_STOP   24 /* end of the column */
#define FRAME_FOUR   28 /* epilogue of a block of four */
#define FRAME_TWO    32 /* epilogue of a block of two */
#define FRAME_BYTES  36
#define ARGUMENTS    36 /* from the stack pointer to w_end and quads, after r4-r11 and lr */

#define LOOP 4 /* quads, a power of two */

/* The values of a quad. */
.macro	VALUES direct
	.if	\direct
	ldrsb	x1, [column, #1]
	ldrsb	x2, [column, #2]
	ldrsb	x3, [column, #3]
	ldrsb	x0, [column], #4
	.else
	ldm	column!, {x0, x1, x2, x3}
	.endif
.endm

/* Two values times four channels; weights are W of pair 0, of pair 1, and again. */
.macro	PRODUCTS a, b
	ldm	wp!, {w0, w1, w2, w3}
	smlal	lo0, hi0, w0, \a
	smlal	lo1, hi1, w1, \a
	smlal	lo0, hi0, w2, \b
	smlal	lo1, hi1, w3, \b
.endm

.macro	QUAD direct
	VALUES	\direct
	PRODUCTS x0, x1
	PRODUCTS x2, x3
.endm

/* Two sums of 24 bits, one a word. */
.macro	SPLIT lo, hi
	lsr	w0, \lo, #24
	orr	\hi, w0, \hi, lsl #8
	bic	\lo, \lo, #0xFF000000
.endm

/* Outputs of a pair of channels. */
.macro	RELU a, b
	ldm	wp!, {w0, w1, w2, w3, x0, x1}	/* m K m K */
	smlal	w1, w2, w0, \a
	smlal	x0, x1, w3, \b
	ssat	\a, #8, w2, asr #4
	ssat	\b, #8, x1, asr #4
.endm

/* Output of one channel, with the K of the sum's sign. */
.macro	LINEAR_OUTPUT a
	ldr	w0, [wp], #20			/* m; K[2] now before wp */
	ubfx	w1, \a, #23, #1
	add	w1, wp, w1, lsl #3
	ldrd	w1, w2, [w1, #-16]
	smlal	w1, w2, w0, \a
	ssat	\a, #8, w2, asr #4
.endm

.macro	LINEAR a, b
	LINEAR_OUTPUT \a
	LINEAR_OUTPUT \b
.endm

/* Store a pair's outputs, step to the next pair. */
.macro	STORE a, b
	ldrd	w0, w1, [sp, #FRAME_OUT]	/* out, channel */
	strb	\a, [w0]
	strb	\b, [w0, w1]
	add	w0, w0, w1, lsl #1
	str	w0, [sp, #FRAME_OUT]
.endm

/* Textbook outputs of a pair by C; the other pair's sums survive in r4, r5. */
.macro	TEXTBOOK a, b
	mov	x0, wp
	push	{\a, \b}			/* the stack stays 8-byte aligned */
	mov	r1, wp
	mov	r0, sp
	ldrd	r2, r3, [sp, #8 + FRAME_OUT]
	bl	rnv_base_textbook_one
	add	sp, #8
	add	wp, x0, #16
	ldrd	r2, r3, [sp, #FRAME_OUT]
	add	r2, r2, r3, lsl #1
	str	r2, [sp, #FRAME_OUT]
.endm

/* Both pairs of a block of four; a block of two has pair 1 only. */
.macro	EPILOGUES direct, epilogue
	.balign	4
.L\epilogue\()_four_\direct:
	SPLIT	lo0, hi0
	.ifc	\epilogue, relu
	RELU	lo0, hi0
	STORE	lo0, hi0
	.endif
	.ifc	\epilogue, linear
	LINEAR	lo0, hi0
	STORE	lo0, hi0
	.endif
	.ifc	\epilogue, textbook
	TEXTBOOK lo0, hi0
	.endif
	.balign	4
.L\epilogue\()_two_\direct:
	SPLIT	lo1, hi1
	.ifc	\epilogue, relu
	RELU	lo1, hi1
	STORE	lo1, hi1
	.endif
	.ifc	\epilogue, linear
	LINEAR	lo1, hi1
	STORE	lo1, hi1
	.endif
	.ifc	\epilogue, textbook
	TEXTBOOK lo1, hi1
	.endif
	ldr	column, [sp, #FRAME_COLUMN]
	ldrd	w0, w1, [sp, #FRAME_W_END]
	sub	w0, w0, wp
	cmp	w0, w1
	bhi	.Lfour_\direct
	beq	.Ltwo_\direct
	add	sp, #FRAME_BYTES
	pop	{r4-r11, pc}
.endm

/* An entry: what depends on the epilogue. */
.macro	ENTRY name, epilogue, direct, constants
	.global	\name
	.type	\name, %function
	.balign	4
\name:
	push	{r4-r11, lr}
	adr.w	r8, .L\epilogue\()_four_\direct + 1	/* bit 0: Thumb */
	adr.w	r9, .L\epilogue\()_two_\direct + 1
	movs	r5, #\constants
	b.w	.Lgemm_\direct
	.size	\name, . - \name
.endm

/* The same plan as in gemm.S. `shift` is log2 of a quad in the column, `quad_bytes` its code. */
.macro	GEMM_ONE name, direct, shift, quad_bytes
	.section .text.\name\()_asm, "ax", %progbits
	ENTRY	\name\()_relu_asm, relu, \direct, 8 + 24
	ENTRY	\name\()_linear_asm, linear, \direct, 8 + 40
	ENTRY	\name\()_textbook_asm, textbook, \direct, 8 + 16
	.balign	4
.Lgemm_\direct:
	ldrd	r4, r11, [sp, #ARGUMENTS]	/* w_end, quads */
	add	r5, r5, r11, lsl #4		/* pair */
	add	r7, r1, r11, lsl #\shift	/* stop */
	rsb	r11, r11, #0
	and	r11, r11, #LOOP - 1		/* quads to skip in the first turn */
	mov	r12, #\quad_bytes
	adr.w	r6, .Lquads_\direct + 1
	mla	r6, r11, r12, r6		/* entry */
	push	{r1-r9}
	sub	r4, r4, wp
	cmp	r4, r5
	beq	.Ltwo_\direct
.Lfour_\direct:
	ldm	wp!, {lo0, hi0, lo1, hi1}	/* start of pair 0, start of pair 1 */
	ldr	pc, [sp, #FRAME_ENTRY]
	.balign	4
.Lquads_\direct:
	.rept	LOOP
	QUAD	\direct
	.endr
	.if	. - .Lquads_\direct != LOOP * \quad_bytes
	.error	"quad_bytes"
	.endif
	ldr	x0, [sp, #FRAME_STOP]
	cmp	column, x0
	bne	.Lquads_\direct
	ldr	pc, [sp, #FRAME_FOUR]
.Ltwo_\direct:
	ldrd	lo1, hi1, [wp], #8		/* start */
.Ltwo_quad_\direct:
	ldm	wp!, {w0, w1, w2, w3}
	VALUES	\direct
	smlal	lo1, hi1, w0, x0
	smlal	lo1, hi1, w1, x1
	smlal	lo1, hi1, w2, x2
	smlal	lo1, hi1, w3, x3
	ldr	x0, [sp, #FRAME_STOP]
	cmp	column, x0
	bne	.Ltwo_quad_\direct
	ldr	pc, [sp, #FRAME_TWO]
	EPILOGUES \direct, relu
	EPILOGUES \direct, linear
	EPILOGUES \direct, textbook
.endm

	GEMM_ONE rnv_base_gemm_one, 0, 4, 44
	GEMM_ONE rnv_base_gemm_direct, 1, 2, 56

#endif

#if defined(__ELF__) /* empty or not, this file asks for no executable stack */
	.section .note.GNU-stack, "", %progbits
#endif
