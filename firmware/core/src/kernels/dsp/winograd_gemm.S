/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Two output channels times four tiles (winograd.h has the stream and the transforms).
 *
 * For each of the 16 positions the eight sums run over the pairs of input channels: one LDRD of
 * weights, two of inputs and 8 SMLAD, 11 instructions for what are 36 MACs of the convolution.
 * Weights and inputs lie in the order in which they are used, so two pointers run through all
 * positions.
 *
 * The transform back is interleaved, because the positions come as i = 1, 2, 0, 3 for each j:
 *
 *     s1 = m1,  s2 = m1 + m2,  p = s2 + m0  and  q = 2 s1 - s2 + m3 = m1 - m2 + m3
 *
 * are one chain of accumulation with two sums kept aside. p belongs to the upper outputs and q to
 * the lower ones, and j is combined in the same manner: left = p1 + p2 + p0, right = p1 - p2 + p3.
 *
 * All 14 registers are in use in a step. So a position is a subroutine whose return address lies on
 * the stack, like everything else it needs: a loop of UNROLL steps, entered where pairs modulo
 * UNROLL says. What the four j have in common are subroutines as well: a few instructions more for
 * a block of some thousands, and half of the code.
 * Sums are kept aside by STM and LDM, one instruction for all eight.
 */

#include "kernels/dsp/select.h"

#if RNV_DSP_ASM

	.syntax unified
	.thumb

w	.req r0
v	.req r1
/* sum<o><t>: output o, tile t */
sum00	.req r2
sum10	.req r3
sum01	.req r4
sum11	.req r5
sum02	.req r6
sum12	.req r7
sum03	.req r8
sum13	.req r9
/* weights of two outputs, inputs of two tiles; free between the positions */
w0	.req r10
w1	.req r11
in0	.req r12
in1	.req r14

#define UNROLL     4
#define STEP_BYTES 44

/* Frame below the nine saved registers. Eight sums each: */
#define F_S1       0
#define F_S2       32
#define F_PLUS     64  /* p1, then p1 + p2 */
#define F_MINUS    96  /* p1 - p2 */
#define F_Q_PLUS   128 /* the same of q */
#define F_Q_MINUS  160
#define F_ZERO     192
/* Left outputs, packed, of the upper and the lower row: */
#define F_UPPER    224
#define F_LOWER    240
/* Words: */
#define F_RETURN   256 /* where a position, or what calls nothing, returns */
#define F_BACK     260 /* where a subroutine that calls positions returns */
#define F_LOOP     264 /* where a position enters the loop */
#define F_END      268 /* of the position in v */
#define F_V        272
#define F_W_END    276
#define F_OUT      280 /* next output, and bytes to the next channel */
#define F_CHANNEL  284
#define F_ROW      288
#define F_EPILOGUE 292 /* where sums become outputs */
#define F_TAIL     296 /* the block's tail, and its length */
#define F_TAIL_LEN 300
#define F_POSITION 304 /* bytes of a position in v */
#define FRAME      308 /* with the saved registers a multiple of 8 */

.macro STEP
	ldrd w0, w1, [w], #8
	ldrd in0, in1, [v], #8
	smlad sum00, w0, in0, sum00
	smlad sum10, w1, in0, sum10
	smlad sum01, w0, in1, sum01
	smlad sum11, w1, in1, sum11
	ldrd in0, in1, [v], #8
	smlad sum02, w0, in0, sum02
	smlad sum12, w1, in0, sum12
	smlad sum03, w0, in1, sum03
	smlad sum13, w1, in1, sum13
.endm

/* Calls `to`, which goes on at the address in `slot`. */
.macro CALL to, slot
	adr in1, .Lafter\@ + 1		/* bit 0: Thumb */
	str in1, [sp, #\slot]
	b \to
.Lafter\@:
.endm

/* Adds the products of the next position to the sums. */
.macro POSITION
	CALL .Lposition, F_RETURN
.endm

/* The same, as the last thing that a subroutine does. */
.macro LAST_POSITION
	ldr in1, [sp, #F_BACK]
	str in1, [sp, #F_RETURN]
	b .Lposition
.endm

.macro KEEP slot
	add in0, sp, #\slot
	stm in0, {sum00-sum13}
.endm

.macro RECALL slot
	add in0, sp, #\slot
	ldm in0, {sum00-sum13}
.endm

/* sum = 2 sum - s2, at in0 */
.macro TWICE_MINUS a, b
	ldm in0!, {w0, w1}
	rsb \a, w0, \a, lsl #1
	rsb \b, w1, \b, lsl #1
.endm

/* sum = sum + what lies at in0 */
.macro PLUS a, b
	ldm in0!, {w0, w1}
	add \a, w0
	add \b, w1
.endm

/* What lies at in0 plus sum, there; and minus sum, in sum. */
.macro PLUS_AND_MINUS a, b
	ldrd w0, w1, [in0]
	add in1, w0, \a
	sub \a, w0, \a
	str in1, [in0], #4
	add in1, w1, \b
	sub \b, w1, \b
	str in1, [in0], #4
.endm

/* Runs `macro` for the sums, two by two. */
.macro ALL macro
	\macro sum00, sum10
	\macro sum01, sum11
	\macro sum02, sum12
	\macro sum03, sum13
.endm

/* The sums plus those in `slot` become four packed words of halves. */
.macro FINISH slot
	add in0, sp, #\slot
	CALL .Lfinish, F_RETURN
.endm

/* Left outputs of a row wait for the right ones. */
.macro KEEP_LEFT slot
	strd sum00, sum02, [sp, #\slot]
	strd sum10, sum12, [sp, #\slot + 8]
.endm

/* One word of four outputs: left ones are its even bytes, right ones its odd bytes. */
.macro MERGE left, right
	lsl \right, \right, #8
	sel \right, \left, \right
.endm

/* void rnv_winograd_gemm_asm(w, v, first, out) */
	.section .text.rnv_winograd_gemm_asm, "ax", %progbits
	.balign 4
	.global rnv_winograd_gemm_asm
	.type rnv_winograd_gemm_asm, %function
rnv_winograd_gemm_asm:
	push {r4-r11, lr}
	sub sp, sp, #FRAME
	str v, [sp, #F_V]
	ldm r3, {r4-r8}			/* struct rnv_winograd_out: w_end, pairs, channel, row, .. */
	str r4, [sp, #F_W_END]
	strd r2, r6, [sp, #F_OUT]
	str r7, [sp, #F_ROW]
	lsl r4, r5, #4
	str r4, [sp, #F_POSITION]
	rsb r6, r5, #0			/* steps to skip in the first turn: -pairs mod UNROLL */
	and r6, r6, #UNROLL - 1
	movs r7, #STEP_BYTES
	adr r4, .Lloop + 1
	mla r4, r6, r7, r4
	str r4, [sp, #F_LOOP]
	adr r4, .Lrelu + 1
	movs r5, #16
	cmp r8, #0			/* .. epilogue */
	beq 1f
	adr r4, .Llinear + 1
	movs r5, #32
1:	str r4, [sp, #F_EPILOGUE]
	str r5, [sp, #F_TAIL_LEN]
	movs r4, #0
	movs r5, #0
	.irp at, 0, 8, 16, 24
	strd r4, r5, [sp, #F_ZERO + \at]
	.endr
	mov r4, #0x50000		/* GE = 0101: SEL takes even bytes from its first operand */
	msr APSR_g, r4

.Lblock:
	ldm w!, {sum00, sum10}		/* c0 c1 */
	ldr in0, [sp, #F_TAIL_LEN]
	ldr v, [sp, #F_V]
	str w, [sp, #F_TAIL]
	add w, w, in0
	mov sum01, sum00
	mov sum11, sum10
	mov sum02, sum00
	mov sum12, sum10
	mov sum03, sum00
	mov sum13, sum10

	CALL .Lupper, F_BACK		/* j = 1 */
	KEEP F_PLUS
	CALL .Llower, F_BACK
	KEEP F_Q_PLUS

	CALL .Lupper_of_0, F_BACK	/* j = 2 */
	add in0, sp, #F_PLUS
	CALL .Lplus_and_minus, F_RETURN
	KEEP F_MINUS
	CALL .Llower, F_BACK
	add in0, sp, #F_Q_PLUS
	CALL .Lplus_and_minus, F_RETURN
	KEEP F_Q_MINUS

	CALL .Lupper_of_0, F_BACK	/* j = 0: left outputs */
	FINISH F_PLUS
	KEEP_LEFT F_UPPER
	CALL .Llower, F_BACK
	FINISH F_Q_PLUS
	KEEP_LEFT F_LOWER

	CALL .Lupper_of_0, F_BACK	/* j = 3: right outputs */
	FINISH F_MINUS
	add r4, sp, #F_UPPER
	ldrd in0, w1, [sp, #F_OUT]
	CALL .Lstore_row, F_RETURN
	CALL .Llower, F_BACK
	FINISH F_Q_MINUS
	add r4, sp, #F_LOWER
	ldrd in0, w1, [sp, #F_OUT]
	add r5, in0, w1, lsl #1
	str r5, [sp, #F_OUT]
	ldr r5, [sp, #F_ROW]
	add in0, in0, r5
	CALL .Lstore_row, F_RETURN

	ldr in0, [sp, #F_W_END]
	cmp w, in0
	bne .Lblock
	add sp, sp, #FRAME
	pop {r4-r11, pc}

/* Positions i = 1, 2, 0: p in the sums, s1 and s2 kept. */
.Lupper_of_0:
	RECALL F_ZERO
.Lupper:
	POSITION
	KEEP F_S1
	POSITION
	KEEP F_S2
	LAST_POSITION

/* q from what .Lupper kept, and position i = 3. */
.Llower:
	RECALL F_S1
	add in0, sp, #F_S2
	ALL TWICE_MINUS
	LAST_POSITION

	.balign 4
.Lposition:
	ldr in0, [sp, #F_POSITION]
	add in0, in0, v
	str in0, [sp, #F_END]
	ldr pc, [sp, #F_LOOP]
	.balign 4
.Lloop:
	.rept UNROLL
	STEP
	.endr
	.if . - .Lloop != UNROLL * STEP_BYTES
	.error "STEP_BYTES"
	.endif
	ldr in0, [sp, #F_END]
	cmp v, in0
	bne .Lloop
	ldr pc, [sp, #F_RETURN]

.Lplus_and_minus:
	ALL PLUS_AND_MINUS
	ldr pc, [sp, #F_RETURN]

.Lfinish:
	ALL PLUS
	ldr in0, [sp, #F_TAIL]
	ldr pc, [sp, #F_EPILOGUE]

/* K + V where the sum is negative, as rounding by halves is away from zero. */
.macro LINEAR a
	and in1, in0, \a, asr #31
	add in1, in1, w1
	smmla \a, \a, w0, in1
.endm

	.balign 4
.Llinear:
	ldm in0, {w0, w1, in0}		/* m0 K0 V0 */
	.irp a, sum00, sum01, sum02, sum03
	LINEAR \a
	.endr
	ldr in0, [sp, #F_TAIL]
	ldrd w0, w1, [in0, #16]
	ldr in0, [in0, #24]
	.irp a, sum10, sum11, sum12, sum13
	LINEAR \a
	.endr
	b .Lpack

	.balign 4
.Lrelu:
	ldm in0, {w0, w1, in0, in1}	/* m0 K0 m1 K1 */
	.irp a, sum00, sum01, sum02, sum03
	smmla \a, \a, w0, w1
	.endr
	.irp a, sum10, sum11, sum12, sum13
	smmla \a, \a, in0, in1
	.endr

/* Saturated; two tiles of an output as halves of a word: output 0 becomes r2, r6. */
.Lpack:
	.irp a, sum00, sum10, sum01, sum11, sum02, sum12, sum03, sum13
	ssat \a, #8, \a, asr #12
	.endr
	pkhbt sum00, sum00, sum01, lsl #16
	pkhbt sum02, sum02, sum03, lsl #16
	pkhbt sum10, sum10, sum11, lsl #16
	pkhbt sum12, sum12, sum13, lsl #16
	ldr pc, [sp, #F_RETURN]

/* Row of both channels at in0, channels `w1` bytes apart; the left outputs at r4. */
.Lstore_row:
	ldm r4, {r4, r5, r8, r9}
	MERGE r4, sum00
	MERGE r5, sum02
	MERGE r8, sum10
	MERGE r9, sum12
	str sum00, [in0]
	str sum02, [in0, #4]
	add in0, in0, w1
	str sum10, [in0]
	str sum12, [in0, #4]
	ldr pc, [sp, #F_RETURN]
	.size rnv_winograd_gemm_asm, . - rnv_winograd_gemm_asm

#endif
