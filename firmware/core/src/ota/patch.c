/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * The decoder of SPEC.md 4.6.
 *
 * A binary adaptive range decoder as LZMA's (Igor Pavlov, public domain; after G. N. N. Martin,
 * "Range encoding", 1979). Everything is a walk down a binary tree, one decoded bit a level, which
 * can stop at any level: so the decoder suspends wherever the input ends.
 */

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "ranvier/patch.h"

#define TOP        (1u << 24) /* the range is never below it after normalisation */
#define EVEN       1024u      /* chance of one half */
#define CODE_BYTES 4u         /* the range decoder begins with */
#define SPEED      5u         /* of adaptation */

/* Where in `chances` the trees are. */
#define KIND       0u               /* 4, by the kind of the run before */
#define LENGTH     (KIND + 4u * 4u) /* by the kind */
#define DISTANCE   (LENGTH + 4u * 32u)
#define SHIFT      (DISTANCE + 32u)
#define LITERAL    (SHIFT + 32u)
#define DIFFERENCE (LITERAL + 256u) /* 2, by whether the last one was not 0 */
#define CHANCES    (DIFFERENCE + 2u * 256u)

_Static_assert(CHANCES == sizeof(((struct rnv_patch *)0)->chances) / sizeof(uint16_t),
	       "struct rnv_patch has room for the trees");

enum {
	STATE_HEADER,
	STATE_KIND,
	STATE_LENGTH,
	STATE_PLACE, /* distance or shift */
	STATE_RUN,
	STATE_TAIL, /* the package is complete, the range decoder may have a byte to take */
	STATE_END,
};

enum {
	KIND_LITERALS,
	KIND_MATCH, /* bytes of the package */
	KIND_COPY,  /* bytes of the base */
	KIND_DIFFERENCES,
};

/* Of one call. */
struct piece {
	const uint8_t *in;
	const uint8_t *in_end;
	uint8_t *out; /* its first byte is the package's number `first` */
	uint32_t first;
	uint32_t end; /* of the package, or of the room */
};

void rnv_patch_init(struct rnv_patch *patch, const struct rnv_patch_source *source)
{
	memset(patch, 0, sizeof(*patch));
	patch->source = *source;
	patch->range = UINT32_MAX;
	patch->node = 1;
	for (uint32_t i = 0; i < CHANCES; i++) {
		patch->chances[i] = EVEN;
	}
}

/* Walk to a leaf `bits` below the root; NULL: all chances are even. False: the input ends. */
static bool walk(struct rnv_patch *patch, struct piece *piece, uint16_t *tree, uint32_t bits)
{
	uint32_t node = patch->node;

	while (node >> bits == 0u) {
		uint32_t chance = tree == NULL ? EVEN : tree[node];
		uint32_t bit;
		uint32_t bound;

		if (patch->range < TOP) {
			if (piece->in == piece->in_end) {
				break;
			}
			patch->range <<= 8;
			patch->code = patch->code << 8 | *piece->in++;
		}
		bound = (patch->range >> 11) * chance;
		bit = patch->code >= bound;
		if (bit != 0u) {
			patch->code -= bound;
			patch->range -= bound;
			chance -= chance >> SPEED;
		} else {
			patch->range = bound;
			chance += (2048u - chance) >> SPEED;
		}
		if (tree != NULL) {
			tree[node] = (uint16_t)chance;
		}
		node = node << 1 | bit;
	}
	patch->node = node;
	return node >> bits != 0u;
}

/* Likewise; the number of the leaf is in `value`. */
static bool symbol(struct rnv_patch *patch, struct piece *piece, uint32_t tree, uint32_t bits)
{
	if (!walk(patch, piece, patch->chances + tree, bits)) {
		return false;
	}
	patch->value = patch->node - (1u << bits);
	patch->node = 1;
	return true;
}

/* Number of bits in a tree of 5 levels, then those below the highest one, which is 1. */
static bool number(struct rnv_patch *patch, struct piece *piece, uint32_t tree)
{
	if (patch->bits == 0u) {
		if (!symbol(patch, piece, tree, 5)) {
			return false;
		}
		if (patch->value == 0u) {
			return true;
		}
		patch->bits = (uint8_t)patch->value;
	}
	if (!walk(patch, piece, NULL, patch->bits - 1u)) {
		return false;
	}
	patch->value = patch->node;
	patch->node = 1;
	patch->bits = 0;
	return true;
}

static uint32_t word(const uint8_t *from)
{
	uint32_t value;

	memcpy(&value, from, sizeof(value));
	return value;
}

static int check_header(const struct rnv_patch *patch)
{
	const uint8_t *header = patch->cache;

	if (word(header) != RNV_PATCH_MAGIC ||
	    word(header + 4) != (RNV_PATCH_FORMAT | RNV_PATCH_HEADER_BYTES << 16) ||
	    word(header + 8) != patch->source.bytes) {
		return RNV_EFORMAT;
	}
	return (word(header + 12) == patch->source.base_bytes &&
		word(header + 16) == patch->source.base_crc32)
		       ? RNV_OK
		       : RNV_ESTALE;
}

/* The header, and what the range decoder begins with: it is left in `code`. */
static int take_header(struct rnv_patch *patch, struct piece *piece)
{
	while (patch->held < RNV_PATCH_HEADER_BYTES + CODE_BYTES) {
		if (piece->in == piece->in_end) {
			return RNV_EAGAIN;
		}
		patch->cache[patch->held] = *piece->in++;
		patch->code = patch->code << 8 | patch->cache[patch->held++];
	}
	patch->held = 0;
	patch->state = (patch->source.bytes != 0u) ? STATE_KIND : STATE_TAIL;
	return check_header(patch);
}

static int take_kind(struct rnv_patch *patch, struct piece *piece)
{
	if (!symbol(patch, piece, KIND + 4u * patch->kind, 2)) {
		return RNV_EAGAIN;
	}
	patch->kind = (uint8_t)patch->value;
	patch->state = STATE_LENGTH;
	return RNV_OK;
}

static int take_length(struct rnv_patch *patch, struct piece *piece)
{
	if (!number(patch, piece, LENGTH + 32u * patch->kind)) {
		return RNV_EAGAIN;
	}
	if (patch->value >= patch->source.bytes - patch->done) {
		return RNV_EFORMAT;
	}
	patch->left = patch->value + 1u;
	patch->state = (patch->kind == KIND_LITERALS) ? STATE_RUN : STATE_PLACE;
	return RNV_OK;
}

/* Where a run's bytes come from; all of them have to be there. */
static int take_place(struct rnv_patch *patch, struct piece *piece)
{
	bool is_match = patch->kind == KIND_MATCH;
	uint32_t at;

	if (!number(patch, piece, is_match ? DISTANCE : SHIFT)) {
		return RNV_EAGAIN;
	}
	patch->state = STATE_RUN;
	if (is_match) {
		if (patch->value != 0u) {
			patch->distance = patch->value;
		}
		return (patch->distance - 1u < patch->done) ? RNV_OK : RNV_EFORMAT;
	}
	/* 0, -1, 1, -2 ... modulo 2^32 */
	patch->shift += (patch->value >> 1) ^ (0u - (patch->value & 1u));
	at = patch->done + patch->shift;
	return (at < patch->source.base_bytes && patch->left <= patch->source.base_bytes - at)
		       ? RNV_OK
		       : RNV_EFORMAT;
}

static uint8_t *place(const struct rnv_patch *patch, const struct piece *piece)
{
	return piece->out + (patch->done - piece->first);
}

static void advance(struct rnv_patch *patch, uint32_t bytes)
{
	patch->done += bytes;
	patch->left -= bytes;
}

static int take_literals(struct rnv_patch *patch, struct piece *piece)
{
	while (patch->left != 0u && patch->done < piece->end) {
		if (!symbol(patch, piece, LITERAL, 8)) {
			return RNV_EAGAIN;
		}
		*place(patch, piece) = (uint8_t)patch->value;
		advance(patch, 1);
	}
	return RNV_OK;
}

static int take_match(struct rnv_patch *patch, struct piece *piece)
{
	uint32_t from = patch->done - patch->distance;
	uint32_t count = piece->end - patch->done;
	int status = RNV_OK;

	if (count > patch->left) {
		count = patch->left;
	}
	if (from >= piece->first) { /* may overlap what it makes */
		for (uint32_t i = 0; i < count; i++) {
			place(patch, piece)[i] = piece->out[from - piece->first + i];
		}
	} else {
		if (count > piece->first - from) {
			count = piece->first - from;
		}
		status = patch->source.output(patch->source.context, from, place(patch, piece),
					      count);
	}
	advance(patch, count);
	return status;
}

static int take_copy(struct rnv_patch *patch, struct piece *piece)
{
	uint32_t from = patch->done + patch->shift;
	uint32_t count = piece->end - patch->done;
	int status;

	if (count > patch->left) {
		count = patch->left;
	}
	status = patch->source.base(patch->source.context, from, place(patch, piece), count);
	advance(patch, count);
	return status;
}

/* The base's byte at `at`, which is in the cache then. */
static int fetch(struct rnv_patch *patch, uint32_t at)
{
	uint32_t count = patch->source.base_bytes - at;
	int status;

	if (at - patch->cached < patch->held) {
		return RNV_OK;
	}
	if (count > sizeof(patch->cache)) {
		count = sizeof(patch->cache);
	}
	status = patch->source.base(patch->source.context, at, patch->cache, count);
	patch->cached = at;
	patch->held = (uint8_t)count;
	return status;
}

static int take_differences(struct rnv_patch *patch, struct piece *piece)
{
	while (patch->left != 0u && patch->done < piece->end) {
		uint32_t at = patch->done + patch->shift;
		int status = fetch(patch, at);

		if (status != RNV_OK) {
			return status;
		}
		if (!symbol(patch, piece, DIFFERENCE + 256u * patch->changed, 8)) {
			return RNV_EAGAIN;
		}
		patch->changed = patch->value != 0u;
		*place(patch, piece) = (uint8_t)(patch->cache[at - patch->cached] + patch->value);
		advance(patch, 1);
	}
	return RNV_OK;
}

static int take_run(struct rnv_patch *patch, struct piece *piece)
{
	static int (*const take[])(struct rnv_patch *, struct piece *) = {
		[KIND_LITERALS] = take_literals,
		[KIND_MATCH] = take_match,
		[KIND_COPY] = take_copy,
		[KIND_DIFFERENCES] = take_differences,
	};
	int status;

	if (patch->done == piece->end) {
		return RNV_EAGAIN;
	}
	status = take[patch->kind](patch, piece);
	if (status == RNV_OK && patch->left == 0u) {
		patch->state = (patch->done < patch->source.bytes) ? STATE_KIND : STATE_TAIL;
	}
	return status;
}

/* All that the encoder wrote has been taken when the range is normal, and then nothing is left. */
static int take_tail(struct rnv_patch *patch, struct piece *piece)
{
	if (patch->range < TOP) {
		if (piece->in == piece->in_end) {
			return RNV_EAGAIN;
		}
		patch->range <<= 8;
		patch->code = patch->code << 8 | *piece->in++;
	}
	patch->state = STATE_END;
	return (patch->code == 0u) ? RNV_OK : RNV_EFORMAT;
}

/* RNV_EAGAIN: the input or the room ends. */
static int step(struct rnv_patch *patch, struct piece *piece)
{
	static int (*const take[])(struct rnv_patch *, struct piece *) = {
		[STATE_HEADER] = take_header, [STATE_KIND] = take_kind,
		[STATE_LENGTH] = take_length, [STATE_PLACE] = take_place,
		[STATE_RUN] = take_run,       [STATE_TAIL] = take_tail,
	};

	return take[patch->state](patch, piece);
}

int rnv_patch_decode(struct rnv_patch *patch, const void *in, uint32_t in_bytes, uint32_t *used,
		     void *out, uint32_t room, uint32_t *given)
{
	uint32_t left = patch->source.bytes - patch->done;
	struct piece piece = {.in = in,
			      .in_end = (const uint8_t *)in + in_bytes,
			      .out = out,
			      .first = patch->done,
			      .end = patch->done + (room < left ? room : left)};
	int status = patch->status;

	while (status == RNV_OK && patch->state != STATE_END) {
		status = step(patch, &piece);
	}
	if (status == RNV_OK && piece.in != piece.in_end) {
		status = RNV_EFORMAT;
	}
	*used = (uint32_t)(piece.in - (const uint8_t *)in);
	*given = patch->done - piece.first;
	if (status == RNV_EAGAIN) {
		return RNV_OK;
	}
	patch->status = status;
	return (status == RNV_OK) ? 1 : status;
}
