/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Outputs of depthwise convolutions from cells, see cells.h; 4 channels at a time.
 *
 * Sums fill the even registers, which VMLADAV wants; pointers are odd. Channels 0 and 2 are summed
 * together, then 1 and 3, because VMOV writes lanes 0 and 2 or 1 and 3 of a vector.
 */

#include "requant.inc"

	.syntax	unified
	.thumb

#define cells r1
#define w0    r3	/* weights of the windows on the left */
#define w1    r5	/* and on the right */
#define shift r7
#define bias  r9
#define mult  r11

#define SCALE 32	/* behind 8 words of struct rnv_mve_cells in the frame */
#define FRAME 36

/*
 * Columns to cells, r0 = struct rnv_mve_cells; moves r0 behind what it reads. A scatter writes one
 * value of 16 channels, 16 bytes apart; channels that are not there are neither read nor written.
 */
	.macro	fill
	movs	r2, #0
	vidup.u8	q7, r2, #1
	vshl.i8	q7, q7, #4
	ldm	r0!, {r1-r8}
	vctp.8	r8
	wls	lr, r7, 8f
7:
	vpstttt
	vldrbt.u8	q0, [r1]
	vldrbt.u8	q1, [r2]
	vstrbt.8	q0, [r3, q7]
	vstrbt.8	q1, [r4, q7]
	add	r1, r1, r5
	add	r2, r2, r6
	adds	r3, r3, #1
	adds	r4, r4, #1
	le	lr, 7b
8:
	.endm

	.macro	enter
	push	{r4-r11, lr}
	vpush	{d8-d15}
	sub	sp, sp, #FRAME		/* 36 + 64 + 36 bytes: aligned to 8 */
	fill
	ldm	r0!, {r1, r3, r5, r7, r9, r11}	/* cells .. mult */
	ldr	r2, [r0, #SCALE]
	str	r2, [sp, #SCALE]
	ldm	r0, {r0, r2, r4, r6, r8, r10, r12, lr}	/* out .. cells_end */
	stm	sp, {r0, r2, r4, r6, r8, r10, r12, lr}
	.endm

	.macro	leave
	add	sp, sp, #FRAME
	vpop	{d8-d15}
	pop	{r4-r11, pc}
	.endm

/* Sums of channel `c` for two rows of two windows. */
	.macro	windows_4 c, left0, right0, left1, right1
	vldrb.u8	q0, [cells, #16 * \c]
	vldrb.u8	q1, [w0, #32 * \c]
	vmladav.s8	\left0, q0, q1
	vldrb.u8	q2, [w1, #32 * \c]
	vmladav.s8	\right0, q0, q2
	vldrb.u8	q1, [w0, #32 * \c - 1]
	vmladav.s8	\left1, q0, q1
	vldrb.u8	q2, [w1, #32 * \c - 1]
	vmladav.s8	\right1, q0, q2
	.endm

/* Sums of channel `c` for two windows. */
	.macro	windows_2 c, left, right
	vldrb.u8	q0, [cells, #16 * \c]
	vldrb.u8	q1, [w0, #32 * \c]
	vmladav.s8	\left, q0, q1
	vldrb.u8	q2, [w1, #32 * \c]
	vmladav.s8	\right, q0, q2
	.endm

/* The next 4 channels; the biases are in q2. */
	.macro	next_channels
	vldrw.u32	q2, [bias], #16
	vldrw.u32	q0, [mult], #16
	vldrb.s32	q1, [shift], #4
	ldr	r0, [sp, #SCALE]
	adds	cells, cells, #4 * 16
	adds	w0, w0, #4 * 32
	adds	w1, w1, #4 * 32
	.endm

	.section	.text.rnv_mve_cells_fill, "ax", %progbits
	.balign	4
	.global	rnv_mve_cells_fill
	.type	rnv_mve_cells_fill, %function
rnv_mve_cells_fill:
	push	{r4-r8, lr}
	vpush	{d14-d15}
	fill
	vpop	{d14-d15}
	pop	{r4-r8, pc}
	.size	rnv_mve_cells_fill, . - rnv_mve_cells_fill

	.section	.text.rnv_mve_cells_4, "ax", %progbits
	.balign	4
	.global	rnv_mve_cells_4
	.type	rnv_mve_cells_4, %function
rnv_mve_cells_4:
	enter
.Lgroup_4:
	windows_4	0, r0, r2, r4, r6
	windows_4	2, r8, r10, r12, lr
	vmov	q4[2], q4[0], r0, r8
	vmov	q5[2], q5[0], r2, r10
	vmov	q6[2], q6[0], r4, r12
	vmov	q7[2], q7[0], r6, lr
	windows_4	1, r0, r2, r4, r6
	windows_4	3, r8, r10, r12, lr
	vmov	q4[3], q4[1], r0, r8
	vmov	q5[3], q5[1], r2, r10
	vmov	q6[3], q6[1], r4, r12
	vmov	q7[3], q7[1], r6, lr
	next_channels
	vadd.i32	q4, q4, q2
	vadd.i32	q5, q5, q2
	vadd.i32	q6, q6, q2
	vadd.i32	q7, q7, q2
	cbz	r0, 1f
	cmp	r0, #1
	b	.Lnot_rectified_4
1:
	scale_rectified	q4
	scale_rectified	q5
	scale_rectified	q6
	scale_rectified	q7
.Lclamp_4:
	ldm	sp, {r0, r2, r4, r6, r8, r10, r12, lr}	/* outputs, zero point, limits, end */
	vdup.32	q2, r10
	vdup.32	q3, r12
	clamp	q4, r8, q2, q3
	clamp	q5, r8, q2, q3
	clamp	q6, r8, q2, q3
	clamp	q7, r8, q2, q3
	vstrb.32	q4, [r0], #4
	vstrb.32	q5, [r2], #4
	vstrb.32	q6, [r4], #4
	vstrb.32	q7, [r6], #4
	cmp	cells, lr
	stm	sp, {r0, r2, r4, r6}
	bne	.Lgroup_4
	leave
.Lnot_rectified_4:
	bne	2f
	scale_right	q4
	scale_right	q5
	scale_right	q6
	scale_right	q7
	b	.Lclamp_4
2:
	scale_any	q4
	scale_any	q5
	scale_any	q6
	scale_any	q7
	b	.Lclamp_4
	.size	rnv_mve_cells_4, . - rnv_mve_cells_4

	.section	.text.rnv_mve_cells_2, "ax", %progbits
	.balign	4
	.global	rnv_mve_cells_2
	.type	rnv_mve_cells_2, %function
rnv_mve_cells_2:
	enter
.Lgroup_2:
	windows_2	0, r0, r2
	windows_2	2, r4, r6
	vmov	q4[2], q4[0], r0, r4
	vmov	q5[2], q5[0], r2, r6
	windows_2	1, r0, r2
	windows_2	3, r4, r6
	vmov	q4[3], q4[1], r0, r4
	vmov	q5[3], q5[1], r2, r6
	next_channels
	vadd.i32	q4, q4, q2
	vadd.i32	q5, q5, q2
	cbz	r0, 3f
	cmp	r0, #1
	b	.Lnot_rectified_2
3:
	scale_rectified	q4
	scale_rectified	q5
.Lclamp_2:
	ldm	sp, {r0, r2, r4, r6, r8, r10, r12, lr}	/* outputs, zero point, limits, end */
	vdup.32	q2, r10
	vdup.32	q3, r12
	clamp	q4, r8, q2, q3
	clamp	q5, r8, q2, q3
	vstrb.32	q4, [r0], #4
	vstrb.32	q5, [r2], #4
	cmp	cells, lr
	stm	sp, {r0, r2}
	bne	.Lgroup_2
	leave
.Lnot_rectified_2:
	bne	4f
	scale_right	q4
	scale_right	q5
	b	.Lclamp_2
4:
	scale_any	q4
	scale_any	q5
	b	.Lclamp_2
	.size	rnv_mve_cells_2, . - rnv_mve_cells_2
