/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * The transforms of the inputs (winograd.h): along the row, of every input row once, and down the
 * image, of every group once. Values are pairs of int16: SADD16 and SSUB16 do two at a time.
 */

#include "kernels/dsp/select.h"

#if RNV_DSP_ASM

	.syntax unified
	.thumb

/* struct rnv_winograd_row */
#define R_IN           0
#define R_CHANNEL      4
#define R_CHANNELS     8
#define R_BYTES        12
#define R_PADDED       16
#define R_PADDED_BYTES 20
#define R_PAD_LEFT     24
#define R_H            28
#define R_GROUPS       32

/* The next `len` bytes from `from` to `to`; at any alignment, len is used up. */
.macro COPY from, to, len, word
	subs \len, \len, #8
	bcc 12f
11:	ldr \word, [\from], #4
	str \word, [\to], #4
	ldr \word, [\from], #4
	str \word, [\to], #4
	subs \len, \len, #8
	bcs 11b
12:	adds \len, \len, #8
	beq 14f
13:	ldrb \word, [\from], #1
	strb \word, [\to], #1
	subs \len, \len, #1
	bne 13b
14:
.endm

/*
 * Two tiles of one channel, at x: halves are the tiles. Each tile's inputs begin two bytes after
 * those of the one before: a word at x has d0 and d2 of the first tile as its even bytes, one at
 * x + 2 those of the second and d2 of the first; of d1 and d3 the odd bytes.
 */
.macro ALONG x, v0, v1, v2, v3, t
	ldr \v2, [\x, #2]
	ldr \v0, [\x], #4
	sxtb16 \v3, \v2, ror #8		/* d3 */
	sxtb16 \v1, \v0, ror #8		/* d1 */
	sxtb16 \v2, \v2			/* d2 */
	sxtb16 \v0, \v0			/* d0 */
	ssub16 \v3, \v1, \v3
	ssub16 \v0, \v0, \v2
	sadd16 \t, \v1, \v2
	ssub16 \v2, \v2, \v1
.endm

/* From halves that are tiles to halves that are channels, and to their places. */
.macro PUT a, b, t, offset
	pkhbt \t, \a, \b, lsl #16
	pkhtb \b, \b, \a, asr #16
	strd \t, \b, [h, #\offset]
.endm

xa	.req r0		/* padded rows of two channels */
xb	.req r1
h	.req r2
left	.req r3		/* groups left */

.macro TWO_TILES offset
	ALONG xa, r4, r5, r6, r7, r8
	ALONG xb, r9, r10, r11, r12, r14
	PUT r4, r9, r5, \offset		/* j = 0; r5 and r10 are free */
	PUT r8, r14, r5, \offset + 64
	PUT r6, r11, r5, \offset + 128
	PUT r7, r12, r5, \offset + 192
.endm

/* Frame below the nine saved registers. */
#define F_ROW    0  /* the argument */
#define F_IN     4  /* next channel */
#define F_LEFT   8  /* channels left */
#define F_H      12 /* of the next pair */
#define F_GROUP  16 /* bytes from one group to the next */
#define FRAME    20

/* void rnv_winograd_row_asm(row) */
	.section .text.rnv_winograd_row_asm, "ax", %progbits
	.balign 4
	.global rnv_winograd_row_asm
	.type rnv_winograd_row_asm, %function
rnv_winograd_row_asm:
	push {r4-r11, lr}
	sub sp, sp, #FRAME
	str r0, [sp, #F_ROW]
	ldr r1, [r0, #R_IN]
	ldr r2, [r0, #R_CHANNELS]
	strd r1, r2, [sp, #F_IN]
	ldr r1, [r0, #R_H]
	str r1, [sp, #F_H]
	add r2, r2, #1
	lsrs r2, r2, #1
	lsl r2, r2, #8			/* 256 bytes for each pair */
	str r2, [sp, #F_GROUP]

.Lpair:
	ldr r5, [sp, #F_ROW]
	ldrd r0, r7, [sp, #F_IN]
	ldr r1, [r5, #R_PADDED]
	ldr r6, [r5, #R_PAD_LEFT]
	add r8, r1, r6
	ldr r9, [r5, #R_BYTES]
	mov r10, r0
	COPY r10, r8, r9, r4
	subs r7, r7, #1			/* an odd last channel is its own partner: */
	ittt ne				/* that one meets weights of 0 */
	ldrne r4, [r5, #R_CHANNEL]
	addne r0, r0, r4
	subne r7, r7, #1
	ldr r4, [r5, #R_PADDED_BYTES]
	add r11, r1, r4
	add r8, r11, r6
	ldr r9, [r5, #R_BYTES]
	mov r10, r0
	COPY r10, r8, r9, r4
	ldr r4, [r5, #R_CHANNEL]
	add r0, r0, r4
	strd r0, r7, [sp, #F_IN]
	ldr left, [r5, #R_GROUPS]
	ldr h, [sp, #F_H]
	add r4, h, #256
	str r4, [sp, #F_H]
	mov xa, r1
	mov xb, r11
.Lgroup:
	TWO_TILES 0
	TWO_TILES 8
	ldr r4, [sp, #F_GROUP]
	add h, h, r4
	subs left, left, #1
	bne .Lgroup
	ldr r4, [sp, #F_LEFT]
	cmp r4, #0
	bne .Lpair
	add sp, sp, #FRAME
	pop {r4-r11, pc}
	.size rnv_winograd_row_asm, . - rnv_winograd_row_asm

/*
 * Down the image. For each j, in the order 1 2 0 3 of the stream, and each pair of channels: four
 * slots of four tiles to the positions i = 1, 2, 0, 3.
 */
	.unreq xa
	.unreq xb
	.unreq h
	.unreq left

h	.req r0
to1	.req r1		/* positions of i */
to2	.req r2
to0	.req r3
to3	.req r4
end	.req r5		/* of this j in h */

/* Two tiles: the rows are in slots `r`, the positions are two words further. */
.macro DOWN tile, s0, s1, s2, s3
	ldrd r6, r7, [h, #\s0 * 16 + \tile]
	ldrd r10, r11, [h, #\s2 * 16 + \tile]
	ldrd r8, r9, [h, #\s1 * 16 + \tile]
	ssub16 r6, r6, r10
	ssub16 r7, r7, r11
	strd r6, r7, [to0], #8
	sadd16 r6, r8, r10
	sadd16 r7, r9, r11
	strd r6, r7, [to1], #8
	ldrd r6, r7, [h, #\s3 * 16 + \tile]
	ssub16 r10, r10, r8
	ssub16 r11, r11, r9
	strd r10, r11, [to2], #8
	ssub16 r6, r8, r6
	ssub16 r7, r9, r7
	strd r6, r7, [to3], #8
.endm

.macro DOWN_ALL name, s0, s1, s2, s3
.Lj_\name:
	mov h, r12			/* this j of the first pair */
	add end, h, r14, lsl #4		/* 256 bytes a pair, r14 is 16 pairs */
1:	DOWN 0, \s0, \s1, \s2, \s3
	DOWN 8, \s0, \s1, \s2, \s3
	add h, h, #256
	cmp h, end
	bne 1b
	b .Lnext
.endm

/* void rnv_winograd_group_asm(h, v, pairs, odd) */
	.section .text.rnv_winograd_group_asm, "ax", %progbits
	.balign 4
	.global rnv_winograd_group_asm
	.type rnv_winograd_group_asm, %function
rnv_winograd_group_asm:
	push {r4-r11, lr}
	sub sp, sp, #12
	lsl r14, r2, #4			/* bytes of a position */
	str r3, [sp, #8]
	add r12, r0, #64		/* j = 1 */
	movs r4, #4
	str r4, [sp, #4]
.Lj:
	add to2, to1, r14
	add to0, to2, r14
	add to3, to0, r14
	ldr r5, [sp, #8]
	cmp r5, #0
	bne .Lj_odd
	DOWN_ALL even, 0, 1, 2, 3
	DOWN_ALL odd, 2, 3, 0, 1
.Lnext:
	mov to1, to3			/* where position 3 ends the next j begins */
	ldr r4, [sp, #4]
	subs r4, r4, #1
	str r4, [sp, #4]
	beq 4f
	add r12, r12, #64		/* j = 1, 2, 0, 3 */
	cmp r4, #2
	it eq
	subeq r12, r12, #192
	it lt
	addlt r12, r12, #128
	b .Lj
4:	add sp, sp, #12
	pop {r4-r11, pc}
	.size rnv_winograd_group_asm, . - rnv_winograd_group_asm

#endif

#if defined(__linux__) /* this file is empty there, and asks for no executable stack */
	.section .note.GNU-stack, "", %progbits
#endif
