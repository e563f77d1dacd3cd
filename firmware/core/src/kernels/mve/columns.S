/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Copies the rows of three windows, see columns.h: loads are predicated, stores need not be. */

	.syntax	unified
	.thumb

#define to    r0
#define from0 r1
#define from1 r2	/* step at first */
#define pitch r3
#define bytes r4
#define rows  r5
#define from2 r12

	.section	.text.rnv_mve_columns_3, "ax", %progbits
	.balign	4
	.global	rnv_mve_columns_3
	.type	rnv_mve_columns_3, %function
rnv_mve_columns_3:
	push	{r4, r5, r7, lr}
	ldrd	bytes, rows, [sp, #16]
	add	from2, from0, from1, lsl #1
	add	from1, from0, from1
	vctp.8	bytes
	dls	lr, rows
1:
	vpsttt
	vldrbt.u8	q0, [from0]
	vldrbt.u8	q1, [from1]
	vldrbt.u8	q2, [from2]
	vstrb.8	q0, [to]
	vstrb.8	q1, [to, #56]
	vstrb.8	q2, [to, #112]
	add	from0, from0, pitch
	add	from1, from1, pitch
	add	from2, from2, pitch
	add	to, to, bytes
	le	lr, 1b
	pop	{r4, r5, r7, pc}
	.size	rnv_mve_columns_3, . - rnv_mve_columns_3
