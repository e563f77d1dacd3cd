/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * ADD_S8 of four elements a turn, see add_row.h and s8/add.c. VMLAS takes off the zero point while
 * it shifts by 20 bits; rounding as in requant.inc.
 */

	.syntax	unified
	.thumb

#define x      r1
#define y      r2
#define out    r3
#define x_zero r5
#define y_zero r6
#define x_mult r7
#define y_mult r8
#define o_mult r9
#define o_shft r10
#define o_zp   r11

#define low     q3
#define high    q4
#define y_shift q5
#define unit    q6

	.section	.text.rnv_mve_add_row, "ax", %progbits
	.balign	4
	.global	rnv_mve_add_row
	.type	rnv_mve_add_row, %function
rnv_mve_add_row:
	push	{r4-r11, lr}
	vpush	{d8-d13}
	ldm	r0!, {x, y, out, r4, x_zero, y_zero, x_mult, y_mult, o_mult, o_shft, o_zp}
	ldm	r0, {r0, r12, lr}
	vdup.32	y_shift, r0
	vdup.32	low, r12
	vdup.32	high, lr
	vmov.i32	unit, #0x100000
	dlstp.32	lr, r4
1:
	vldrb.s32	q0, [x], #4
	vmlas.s32	q0, unit, x_zero
	vqrdmulh.s32	q0, q0, x_mult
	vldrb.s32	q1, [y], #4
	vmlas.s32	q1, unit, y_zero
	vqrdmulh.s32	q1, q1, y_mult
	vand	q2, q1, y_shift		/* its sign is that of a number that is shifted */
	vshr.s32	q2, q2, #31
	vadd.i32	q1, q1, q2
	vrshl.s32	q1, q1, y_shift
	vadd.i32	q0, q0, q1
	vqrdmulh.s32	q0, q0, o_mult
	vshr.s32	q2, q0, #31
	vadd.i32	q0, q0, q2
	vrshl.s32	q0, o_shft
	vadd.i32	q0, q0, o_zp
	vmax.s32	q0, q0, low
	vmin.s32	q0, q0, high
	vstrb.32	q0, [out], #4
	letp	lr, 1b
	vpop	{d8-d13}
	pop	{r4-r11, pc}
	.size	rnv_mve_add_row, . - rnv_mve_add_row
