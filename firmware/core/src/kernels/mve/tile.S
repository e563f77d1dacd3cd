/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * The dot products of convolutions and fully connected layers, see tile.h.
 *
 * VMLADAVA adds 16 products to one general register, which must be an even one: 6 sums, their 5
 * pointers and the loop's counter take nearly all registers. 3 pixels x 2 channels is the tile that
 * needs the fewest loads for that: 5 loads for 6 x 16 products. Two such passes give 4 channels,
 * which is what requantisation takes at a time: the first pass sums channels 0 and 2, the second 1
 * and 3, because VMOV writes lanes 0 and 2 or 1 and 3 of a vector.
 */

#include "requant.inc"

	.syntax	unified
	.thumb

/* Offsets in struct rnv_mve_tile and in its copy at sp. */
#define WEIGHTS 0
#define BIAS    4
#define DEPTH   24
#define INPUTS  52
#define SCALE   60
#define BYTES   64
/* Behind the copy: what rnv_mve_tile_3_short() keeps, three vectors. */
#define VECTORS 64

/*
 * Two rounds of LDM and STM copy the struct. Then r0 = weights, r1 = bias, r6 = depth: that is what
 * every block starts with. `extra` keeps sp aligned to 8 bytes: 100 are pushed before.
 */
	.macro	enter extra=4
	push	{r4-r11, lr}
	vpush	{d8-d15}
	sub	sp, sp, #BYTES + \extra
	ldm	r0!, {r1-r8}
	stm	sp, {r1-r8}
	ldm	r0, {r1-r8}
	add	r0, sp, #32
	stm	r0, {r1-r8}
	ldm	sp, {r0-r6}
	.endm

	.macro	leave extra=4
	add	sp, sp, #BYTES + \extra
	vpop	{d8-d15}
	pop	{r4-r11, pc}
	.endm

/*
 * Load the copy of the struct: r0 weights, r1 bias, r2 multiplier, r3 shift, r4 out, r5 blocks,
 * r6 depth, r7 and r8 steps of r2 and r3, r9 out_step, r10 out_zp, r11 act_min, r12 act_max. Load
 * what the block needs and advance. In the end r7 = scale.
 */
	.macro	next_block
	ldm	sp, {r0-r12}
	vldrw.u32	q0, [r2]
	vldrb.s32	q1, [r3]
	add	r0, r0, r6, lsl #2
	add	r2, r2, r7
	add	r3, r3, r8
	ldr	r7, [sp, #SCALE]
	.endm

/* From the sums of three pixels in q5 .. q7 to outputs; then on to the next block or the end. */
	.macro	finish_3 block, bias
	next_block
	.if	\bias
	vldrw.u32	q2, [r1], #16
	vadd.i32	q5, q5, q2
	vadd.i32	q6, q6, q2
	vadd.i32	q7, q7, q2
	.else
	adds	r1, r1, #16
	.endif
	cbz	r7, 8f
	bl	.Lscale_3
	b	9f
8:
	scale_rectified	q5
	scale_rectified	q6
	scale_rectified	q7
9:
	vdup.32	q2, r11
	vdup.32	q3, r12
	clamp	q5, r10, q2, q3
	clamp	q6, r10, q2, q3
	clamp	q7, r10, q2, q3
	add	r7, r4, r9		/* outputs of pixel 1 */
	vstrb.32	q5, [r4], #4
	vstrb.32	q6, [r7]
	add	r7, r7, r9		/* and 2 */
	vstrb.32	q7, [r7]
	subs	r5, r5, #1		/* blocks */
	stm	sp, {r0-r5}
	bne	\block
	.endm

/*
 * The registers of a pass: sums of channels 0 and 1 of the pass for three pixels.
 *
 *   a00 .. a21   sum of pixel 0 .. 2 with channel 0 and 1
 *   x0 .. x2     inputs of the pixels
 *   w0, w1       weights of the channels
 *   table        pointers to the next segment's inputs
 *   length       of a segment
 */
#define a00   r0
#define a01   r2
#define a10   r4
#define a11   r6
#define a20   r8
#define a21   r10
#define x0    r1
#define x1    r3
#define x2    r5
#define w0    r7
#define w1    r9
#define table r11
#define length r12

/* Pointers of the first pass, from the block's r0 and r6, and of the second. */
	.macro	first_pass
	mov	w0, r0
	add	w1, r0, r6, lsl #1
	ldrd	table, length, [sp, #INPUTS]
	.endm

	.macro	second_pass
	ldr	w0, [sp, #WEIGHTS]
	ldr	w1, [sp, #DEPTH]
	ldr	table, [sp, #INPUTS]
	add	w0, w0, w1
	add	w1, w0, w1, lsl #1
	.endm

/* Lanes 0 and 2 (`low` = 0), or 1 and 3, of the three pixels' sums. */
	.macro	to_lanes low, high
	vmov	q5[\high], q5[\low], a00, a01
	vmov	q6[\high], q6[\low], a10, a11
	vmov	q7[\high], q7[\low], a20, a21
	.endm

/* 16 inputs: `op` is vmladava, or vmladav for the first ones. */
	.macro	chunk op=vmladava
	vldrb.u8	q3, [w0], #16
	vldrb.u8	q0, [x0], #16
	\op\().s8	a00, q0, q3
	vldrb.u8	q1, [x1], #16
	\op\().s8	a10, q1, q3
	vldrb.u8	q2, [x2], #16
	\op\().s8	a20, q2, q3
	vldrb.u8	q4, [w1], #16
	\op\().s8	a01, q0, q4
	\op\().s8	a11, q1, q4
	\op\().s8	a21, q2, q4
	.endm

/*
 * A pass over segments of any length, from the biases in a00 and a01 on. DLSTP and LETP predicate
 * the last turn: lanes behind the end read as 0.
 */
	.macro	pass_any
	mov	a10, a00
	mov	a11, a01
	mov	a20, a00
	mov	a21, a01
	ldr	x0, [table], #4
1:
	ldrd	x1, x2, [table], #8
	dlstp.8	lr, length
2:
	chunk
	letp	lr, 2b
	ldr	x0, [table], #4
	cbz	x0, 3f
	b	1b
3:
	.endm

/*
 * A pass over segments of `length` turns of `chunks` times 16 inputs. The first turn of the first
 * segment stands apart: its first products start the sums.
 */
	.macro	pass_turns chunks
	ldr	x0, [table], #4
	ldrd	x1, x2, [table], #8
	chunk	vmladav
	.rept	\chunks - 1
	chunk
	.endr
	sub	lr, length, #1
	wls	lr, lr, 3f
2:
	.rept	\chunks
	chunk
	.endr
	le	lr, 2b
3:
	ldr	x0, [table], #4
	cbz	x0, 4f
	ldrd	x1, x2, [table], #8
	dls	lr, length
	b	2b
4:
	.endm

	.section	.text.rnv_mve_tile_3, "ax", %progbits

/* Shifts of any sign; keeps all but q2, q3 and flags. */
	.balign	4
	.type	.Lscale_3, %function
.Lscale_3:
	cmp	r7, #1
	bne	1f
	scale_right	q5
	scale_right	q6
	scale_right	q7
	bx	lr
1:
	scale_any	q5
	scale_any	q6
	scale_any	q7
	bx	lr

	.balign	4
	.global	rnv_mve_tile_3
	.type	rnv_mve_tile_3, %function
rnv_mve_tile_3:
	enter
.Lany:
	first_pass
	ldr	a01, [r1, #8]
	ldr	a00, [r1]
	pass_any
	to_lanes	0, 2
	second_pass
	ldr	r1, [sp, #BIAS]
	ldr	a00, [r1, #4]
	ldr	a01, [r1, #12]
	pass_any
	to_lanes	1, 3
	finish_3	.Lany, 0
	leave
	.size	rnv_mve_tile_3, . - rnv_mve_tile_3

	.macro	tile_3_turns chunks, name
	.balign	4
	.global	\name
	.type	\name, %function
\name\():
	enter
.Lblock_\name\():
	first_pass
	pass_turns	\chunks
	to_lanes	0, 2
	second_pass
	pass_turns	\chunks
	to_lanes	1, 3
	finish_3	.Lblock_\name, 1
	leave
	.size	\name, . - \name
	.endm

	tile_3_turns	2, rnv_mve_tile_3_by_32
	tile_3_turns	3, rnv_mve_tile_3_by_48

/*
 * One segment of at most 16 inputs: they are kept in the frame for all blocks, 0 behind the end,
 * and all weights of a channel are one vector.
 */
	.balign	4
	.global	rnv_mve_tile_3_short
	.type	rnv_mve_tile_3_short, %function
rnv_mve_tile_3_short:
	enter	(4 + 48)
	ldr	r7, [sp, #INPUTS]
	ldm	r7, {r2, r3, r4}
	vctp.8	r6			/* stays in force for all blocks */
	vpsttt
	vldrbt.u8	q0, [r2]
	vldrbt.u8	q1, [r3]
	vldrbt.u8	q2, [r4]
	vstrw.32	q0, [sp, #VECTORS]
	vstrw.32	q1, [sp, #VECTORS + 16]
	vstrw.32	q2, [sp, #VECTORS + 32]
.Lshort:
	add	r3, r0, r6
	add	r5, r3, r6
	add	r7, r5, r6
	vldrw.u32	q0, [sp, #VECTORS]
	vldrw.u32	q1, [sp, #VECTORS + 16]
	vldrw.u32	q2, [sp, #VECTORS + 32]
	vpstt
	vldrbt.u8	q3, [r0]
	vldrbt.u8	q4, [r5]
	vmladav.s8	a00, q0, q3
	vmladav.s8	a10, q1, q3
	vmladav.s8	a20, q2, q3
	vmladav.s8	a01, q0, q4
	vmladav.s8	a11, q1, q4
	vmladav.s8	a21, q2, q4
	to_lanes	0, 2
	vpstt
	vldrbt.u8	q3, [r3]
	vldrbt.u8	q4, [r7]
	vmladav.s8	a00, q0, q3
	vmladav.s8	a10, q1, q3
	vmladav.s8	a20, q2, q3
	vmladav.s8	a01, q0, q4
	vmladav.s8	a11, q1, q4
	vmladav.s8	a21, q2, q4
	to_lanes	1, 3
	finish_3	.Lshort, 1
	leave	(4 + 48)
	.size	rnv_mve_tile_3_short, . - rnv_mve_tile_3_short

#undef x0
#undef w0
#undef w1

/*
 * One pixel with 4 channels at once.
 *
 *   r0, r2, r4, r6   sums
 *   x                inputs
 *   w0 .. w3         weights of the channels
 */
#define x  r1
#define w0 r3
#define w1 r5
#define w2 r7
#define w3 r9

	.section	.text.rnv_mve_tile_1, "ax", %progbits
	.balign	4
	.global	rnv_mve_tile_1
	.type	rnv_mve_tile_1, %function
rnv_mve_tile_1:
	enter
.Lone:
	mov	r8, r1
	mov	w0, r0
	add	w1, r0, r6
	add	w2, w1, r6
	add	w3, w2, r6
	ldr	x, [sp, #INPUTS]
	dlstp.8	lr, r6
	ldm	r8, {r0, r2, r4, r6}
1:
	vldrb.u8	q0, [x], #16
	vldrb.u8	q1, [w0], #16
	vmladava.s8	r0, q0, q1
	vldrb.u8	q2, [w1], #16
	vmladava.s8	r2, q0, q2
	vldrb.u8	q3, [w2], #16
	vmladava.s8	r4, q0, q3
	vldrb.u8	q4, [w3], #16
	vmladava.s8	r6, q0, q4
	letp	lr, 1b
	vmov	q5[2], q5[0], r0, r4
	vmov	q5[3], q5[1], r2, r6
	next_block
	adds	r1, r1, #16
	cbz	r7, 2f
	cmp	r7, #1
	b	.Lnot_rectified
2:
	scale_rectified	q5
.Lclamp:
	vdup.32	q2, r11
	vdup.32	q3, r12
	clamp	q5, r10, q2, q3
	vstrb.32	q5, [r4], #4
	subs	r5, r5, #1
	stm	sp, {r0-r5}
	bne	.Lone
	leave
.Lnot_rectified:
	bne	3f
	scale_right	q5
	b	.Lclamp
3:
	scale_any	q5
	b	.Lclamp
	.size	rnv_mve_tile_1, . - rnv_mve_tile_1
