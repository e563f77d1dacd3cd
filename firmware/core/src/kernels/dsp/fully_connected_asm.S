/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * One column times 8 outputs (fully_connected.h has the stream and the packing).
 *
 *   void f(const void *w, const void *column, int8_t *out, const void *w_end, uint32_t quads,
 *          uint32_t epilogue)
 *
 * Why 8 outputs: each weight is used once, so its word has to be loaded (half an LDRD), split
 * (SXTB16) and multiplied (2 SMLAD): 3.5 instructions for 4 MACs whatever the tile is. The column's
 * LDRD is what a wider tile shares, and 8 accumulators are what 14 registers leave room for:
 * 29 instructions for 32 MACs.
 *
 * No register is left for a loop counter. The loop is unrolled and compares the column pointer with
 * its end on the stack once a turn; a number of quads that is no multiple of a turn enters it in
 * the middle, at an address computed once a call. Every quad has the same size because all its
 * instructions are 32 bits wide. Both functions share all but the loop: a block reaches it, and the
 * epilogue after it, at addresses on the stack.
 */

#include "kernels/dsp/select.h"

#if RNV_DSP_ASM

	.syntax unified
	.thumb

/* Arguments, then the two running pointers. */
w	.req r0
col	.req r1
/* Sums; outputs at the end of a block. */
sum0	.req r2
sum1	.req r3
sum2	.req r4
sum3	.req r5
sum4	.req r6
sum5	.req r7
sum6	.req r8
sum7	.req r9
/* Column of one quad. */
y	.req r10
z	.req r11
/* Weights of two outputs. */
w0	.req r12
w1	.req r14

/* Frame below the nine saved registers, pushed from r0-r4, r11 and r12. */
#define F_COLUMN   4  /* start of the column */
#define F_OUT      8  /* next outputs */
#define F_W_END    12 /* end of the stream */
#define F_ENTRY    16 /* where a block enters the loop */
#define F_COL_END  20 /* end of the column */
#define F_EPILOGUE 24 /* where a block goes after the loop */
#define FRAME      28 /* with the saved registers a multiple of 8 */
#define ARGUMENTS  36 /* from the stack pointer to quads and epilogue, after r4-r11 and lr */

/* Quads a turn (powers of two), and the code of one. */
#define COLUMN_LOOP  4
#define COLUMN_BYTES 116
#define DIRECT_LOOP  1
#define DIRECT_BYTES 128

/* What a call of rnv_dsp_textbook() has on the stack: two arguments and the sums. */
#define CALL_BYTES 40

/* 8 MACs of two outputs: all four of a quad with Y, then with Z and the low bytes of the word. */
.macro TWO a, b
	ldrd w0, w1, [w], #8
	smlad \a, w0, y, \a
	smlad \b, w1, y, \b
	sxtb16 w0, w0
	sxtb16 w1, w1
	smlad \a, w0, z, \a
	smlad \b, w1, z, \b
.endm

.macro EIGHT
	TWO sum0, sum1
	TWO sum2, sum3
	TWO sum4, sum5
	TWO sum6, sum7
.endm

/* End of a turn: y and z are the only registers that are free. */
.macro TURN_END loop, quads, bytes
	.if . - \loop != \quads * \bytes
	.error "size of a quad"
	.endif
	ldrd y, z, [sp, #F_COL_END]	/* and where to go on */
	cmp col, y
	bne \loop
	ldr col, [sp, #F_OUT]
	bx z
.endm

/* Two outputs: hi32(acc m) + K, shifted and saturated. */
.macro RELU a, b
	ldm w!, {y, z, w0, w1}		/* m0 K0 m1 K1 */
	smmla \a, \a, y, z
	smmla \b, \b, w0, w1
	ssat \a, #8, \a, asr #9
	ssat \b, #8, \b, asr #9
.endm

/* One output: K + V where the sum is negative, as rounding by halves is away from zero. */
.macro LINEAR a
	ldm w!, {y, z, w0, w1}		/* m K V 0 */
	and w0, w0, \a, asr #31
	add z, z, w0
	smmla \a, \a, y, z
	ssat \a, #8, \a, asr #12
.endm

/* Four bytes into one word, which is stored at any alignment. */
.macro STORE4 a, b, c, d, offset
	bfi \a, \b, #8, #8
	bfi \c, \d, #8, #8
	pkhbt \a, \a, \c, lsl #16
	str \a, [col, #\offset]
.endm

/* Registers: log2 of a quad's bytes in the column, code of one, quads a turn - 1, loop. */
.macro ENTRY name, shift, bytes, quads, loop
	.global \name
	.type \name, %function
\name:
	push {r4-r11, lr}
	movs r4, #1 << \shift
	movs r5, #\bytes
	movs r6, #\quads - 1
	adr.w r7, \loop + 1		/* bit 0 of a code address: Thumb */
.endm

	.section .text.rnv_fc_asm, "ax", %progbits
	.balign 4
	ENTRY rnv_fc_direct_asm, 2, DIRECT_BYTES, DIRECT_LOOP, direct
	b begin
	.size rnv_fc_direct_asm, . - rnv_fc_direct_asm
	ENTRY rnv_fc_column_asm, 3, COLUMN_BYTES, COLUMN_LOOP, column
begin:
	ldrd r8, r9, [sp, #ARGUMENTS]	/* quads, epilogue */
	mla r11, r8, r4, r1		/* end of the column */
	rsb r8, r8, #0
	and r8, r8, r6			/* quads to skip in the first turn */
	mla r4, r8, r5, r7		/* entry */
	adr.w r12, relu + 1
	cmp r9, #1
	it eq
	adreq.w r12, linear + 1
	it hi
	adrhi.w r12, textbook + 1
	push {r0-r4, r11, r12}		/* -, column, out, w_end, entry, end of the column, epilogue */
block:
	ldm w!, {sum0-sum7}
	ldr pc, [sp, #F_ENTRY]

	.balign 4
column:
	.rept COLUMN_LOOP
	ldrd y, z, [col], #8
	EIGHT
	.endr
	TURN_END column, COLUMN_LOOP, COLUMN_BYTES

	.balign 4
direct:
	.rept DIRECT_LOOP
	ldr z, [col], #4
	sxtb16 y, z, ror #8		/* (x1, x3) */
	rev16 z, z			/* halves 256 x0 + (x1 & 255) .. */
	eor z, z, #0x007F007F		/* .. where a byte XOR 0x7F is 127 - x1, without sign */
	EIGHT
	.endr
	TURN_END direct, DIRECT_LOOP, DIRECT_BYTES

	.balign 4
textbook:
	mov r10, w			/* tail */
	mov r11, col			/* out */
	movs r0, #1			/* columns */
	movs r1, #8			/* outputs */
	push {r0, r1, sum0-sum7}	/* the stack is 8-byte aligned */
	add r0, sp, #8
	mov r1, r10
	mov r2, r11
	movs r3, #1			/* bytes to the next output */
	bl rnv_dsp_textbook
	add sp, #CALL_BYTES
	add w, r10, #64
	mov col, r11
	b next

	.balign 4
linear:
	.irp a, sum0, sum1, sum2, sum3, sum4, sum5, sum6, sum7
	LINEAR \a
	.endr
	b store

	.balign 4
relu:
	RELU sum0, sum1
	RELU sum2, sum3
	RELU sum4, sum5
	RELU sum6, sum7
store:
	STORE4 sum0, sum1, sum2, sum3, 0
	STORE4 sum4, sum5, sum6, sum7, 4
next:
	adds col, #8
	str col, [sp, #F_OUT]
	ldr w0, [sp, #F_W_END]
	ldr col, [sp, #F_COLUMN]
	cmp w, w0
	bne block
	add sp, sp, #FRAME
	pop {r4-r11, pc}
	.size rnv_fc_column_asm, . - rnv_fc_column_asm

#endif
