/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Copy rows to scratch: depthwise_tiles.h. Armv7E-M.
 *
 *   void rnv_depthwise_copy_asm(const int8_t *from, int8_t *to, const struct rnv_row_copy *copy)
 *
 * A row is whole words and, at its end, one more that overlaps the one before: no loop over
 * columns and no single bytes, 2 instructions a word and 7 a row. All words are at offsets in the
 * instructions, the last one of the row first; a row starts with a jump to where its words begin.
 */

#include "kernels/dsp/select.h"

#if RNV_DSP_ASM

	.syntax unified
	.thumb

#define PITCH 64

#define from  r0
#define to    r1
#define data  r3
#define last  r4	/* offset of a row's last word */
#define entry r5
#define pitch r6
#define rows  r12

	.section .text.rnv_depthwise_copy_asm, "ax", %progbits
	.global	rnv_depthwise_copy_asm
	.type	rnv_depthwise_copy_asm, %function
	.balign	4
rnv_depthwise_copy_asm:
	push	{r4-r6, lr}
	ldr	r3, [r2]			/* columns */
	ldrd	rows, pitch, [r2, #4]
	subs	last, r3, #4
	blo	3f
	subs	r3, #1
	bic	r3, r3, #3			/* 4 bytes of code for each word before the last one */
	adr	entry, 2f
	subs	entry, entry, r3
1:	mov	pc, entry
	.irp	word, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
	ldr.n	data, [from, #4 * \word]
	str.n	data, [to, #4 * \word]
	.endr
	.balign	4
2:	ldr	data, [from, last]
	str	data, [to, last]
	add	from, pitch
	adds	to, #PITCH
	subs	rows, #1
	bne	1b
	pop	{r4-r6, pc}

3:	/* rows of 1 to 3 bytes */
	mov	r5, r3
4:	subs	r5, #1
	ldrb	r2, [from, r5]
	strb	r2, [to, r5]
	bne	4b
	add	from, pitch
	adds	to, #PITCH
	subs	rows, #1
	bne	3b
	pop	{r4-r6, pc}
	.size	rnv_depthwise_copy_asm, . - rnv_depthwise_copy_asm

#endif
