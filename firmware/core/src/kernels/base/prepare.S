/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Prepared columns: prepare.h. Armv7-M, Armv8-M Mainline.
 *
 *   void *f(const int8_t *in, uint32_t step, void *columns, uint32_t quads)
 *
 * LDRSB extends a value at the cost of its load, so nothing is gained by loading words; one STM
 * stores a quad.
 */

#include "kernels/base/select.h"

#if RNV_BASE_ASM

	.syntax unified
	.thumb

#define in      r0
#define step    r1
#define columns r2
#define count   r3
#define step3   r12 /* planes: 3 * step */
#define second  lr  /* full tiles: the second pixel */

.macro	FUNCTION name
	.section .text.\name, "ax", %progbits
	.global	\name
	.type	\name, %function
	.balign	4
\name:
.endm

/* Two quads a turn; an odd number starts with the second. */
.macro	TWICE quad
	adds	count, #1
	lsrs	count, #1
	bcc	2f
1:	\quad
2:	\quad
	subs	count, #1
	bne	1b
.endm

/* Even registers: first pixel, odd ones: second pixel. */
.macro	PLANES_QUAD
	ldrsb	r4, [in]
	ldrsb	r5, [second]
	ldrsb	r6, [in, step]
	ldrsb	r7, [second, step]
	ldrsb	r8, [in, step, lsl #1]
	ldrsb	r9, [second, step, lsl #1]
	ldrsb	r10, [in, step3]
	ldrsb	r11, [second, step3]
	add	in, in, step, lsl #2
	add	second, second, step, lsl #2
	stm	columns!, {r4-r11}
.endm

	FUNCTION rnv_base_planes_asm
	push	{r4-r11, lr}
	add	step3, step, step, lsl #1
	add	second, in, #1
	TWICE	PLANES_QUAD
	mov	r0, columns
	pop	{r4-r11, pc}
	.size	rnv_base_planes_asm, . - rnv_base_planes_asm

.macro	PIXELS_QUAD
	ldrsb	r6, [in, #1]
	ldrsb	r8, [in, #2]
	ldrsb	r10, [in, #3]
	ldrsb	r4, [in], #4
	ldrsb	r7, [second, #1]
	ldrsb	r9, [second, #2]
	ldrsb	r11, [second, #3]
	ldrsb	r5, [second], #4
	stm	columns!, {r4-r11}
.endm

	FUNCTION rnv_base_pixels_asm
	push	{r4-r11, lr}
	add	second, in, step
	TWICE	PIXELS_QUAD
	mov	r0, columns
	pop	{r4-r11, pc}
	.size	rnv_base_pixels_asm, . - rnv_base_pixels_asm

	FUNCTION rnv_base_planes_one_asm
	push	{r4-r8, lr}
	add	step3, step, step, lsl #1
1:	ldrsb	r4, [in]
	ldrsb	r5, [in, step]
	ldrsb	r6, [in, step, lsl #1]
	ldrsb	r7, [in, step3]
	add	in, in, step, lsl #2
	stm	columns!, {r4-r7}
	subs	count, #1
	bne	1b
	mov	r0, columns
	pop	{r4-r8, pc}
	.size	rnv_base_planes_one_asm, . - rnv_base_planes_one_asm

.macro	PIXELS_ONE_QUAD
	ldrsb	r5, [in, #1]
	ldrsb	r6, [in, #2]
	ldrsb	r7, [in, #3]
	ldrsb	r4, [in], #4
	stm	columns!, {r4-r7}
.endm

	FUNCTION rnv_base_pixels_one_asm
	push	{r4-r7}
	TWICE	PIXELS_ONE_QUAD
	mov	r0, columns
	pop	{r4-r7}
	bx	lr
	.size	rnv_base_pixels_one_asm, . - rnv_base_pixels_one_asm

#endif

#if defined(__ELF__) /* empty or not, this file asks for no executable stack */
	.section .note.GNU-stack, "", %progbits
#endif
