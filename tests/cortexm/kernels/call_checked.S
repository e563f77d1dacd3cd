/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * bool call_watched(any_fn *function, const uintptr_t arguments[6], uintptr_t *result)
 *
 * Calls `function` with known values in r4-r11 and above its two stack arguments, and compares them
 * afterwards. What it needs itself meanwhile lies above those.
 */

	.syntax unified
	.thumb
	.section .text.call_watched, "ax", %progbits
	.global	call_watched
	.type	call_watched, %function

	.equ	GUARD_WORDS, 8
	.equ	ARGUMENT_BYTES, 8

call_watched:
	push	{r4-r11, lr}
	push	{r0-r2}				/* function, arguments, result: 48 bytes in all */
	/* Guard words: the address of each. */
	.rept	GUARD_WORDS
	mov	r3, sp
	push	{r3}
	.endr
	ldrd	r3, r4, [r1, #16]
	push	{r3, r4}			/* fifth and sixth argument */
	mov	lr, r0
	mov	r12, r1
	ldm	r12, {r0-r3}
	/* r4-r11: multiples of the stack pointer. */
	mov	r4, sp
	add	r5, r4, r4
	add	r6, r5, r4
	add	r7, r6, r4
	add	r8, r7, r4
	add	r9, r8, r4
	add	r10, r9, r4
	add	r11, r10, r4
	blx	lr
	/* r1 becomes 0 where all is as it was. */
	mov	r2, sp
	eor	r1, r4, r2
	.irp	reg, r5, r6, r7, r8, r9, r10, r11
	add	r2, r2, r4
	eor	r3, \reg, r2
	orr	r1, r1, r3
	.endr
	add	sp, #ARGUMENT_BYTES
	.rept	GUARD_WORDS
	pop	{r3}
	mov	r2, sp
	eor	r3, r3, r2
	orr	r1, r1, r3
	.endr
	pop	{r2, r3, r4}			/* function, arguments, result */
	str	r0, [r4]
	clz	r0, r1
	lsr	r0, r0, #5			/* 1 where r1 is 0 */
	pop	{r4-r11, pc}
	.size	call_watched, . - call_watched
