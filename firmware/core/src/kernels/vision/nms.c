/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief NMS: of entries whose boxes overlap, only the best one stays.
 *
 * Inputs and outputs are a count and entries. Entries are taken in their order, best first; one
 * stays unless its intersection with one that stays is more than `iou` / 2^15 of their union. The
 * input's count and boxes are data: the count is clamped, and a box that ends before it begins is
 * empty.
 */

#include "kernels/fixed_point.h"
#include "kernels/vision/entries.h"

struct nms_params {
	int32_t candidates;
	int32_t capacity;
	int32_t iou;
	int32_t per_class;
};

#define PARAMS 4

static int check(const struct rnv_op *op)
{
	const struct nms_params *p = (const void *)rnv_op_params(op);

	if (!rnv_op_has(op, 2, 2, PARAMS) || op->rec->weights_bytes != 0u ||
	    op->rec->scratch_bytes != 0u ||
	    !rnv_words_within(&p->candidates, 2, 1, RNV_ENTRIES_MAX) ||
	    !rnv_words_within(&p->iou, 1, 0, INT16_MAX) ||
	    !rnv_words_within(&p->per_class, 1, 0, 1) ||
	    !rnv_entries_are(op, 0, 1, p->candidates) || !rnv_entries_are(op, 2, 3, p->capacity)) {
		return RNV_EFORMAT;
	}
	return 0;
}

/** Pixels of a box; it may be of any numbers. */
static uint64_t area(int32_t y0, int32_t x0, int32_t y1, int32_t x1)
{
	return (y0 < y1 && x0 < x1) ? (uint64_t)(uint32_t)(y1 - y0) * (uint32_t)(x1 - x0) : 0u;
}

static uint64_t area_of(const struct rnv_detection *box)
{
	return area(box->y0, box->x0, box->y1, box->x1);
}

/** True where the boxes have more than `iou` / 2^15 of their union in common. */
static bool overlap(const struct rnv_detection *a, const struct rnv_detection *b, int32_t iou)
{
	uint64_t common = area((a->y0 > b->y0) ? a->y0 : b->y0, (a->x0 > b->x0) ? a->x0 : b->x0,
			       (a->y1 < b->y1) ? a->y1 : b->y1, (a->x1 < b->x1) ? a->x1 : b->x1);

	return (common << 15) > (uint64_t)iou * (area_of(a) + area_of(b) - common);
}

static bool stays(const struct nms_params *p, const struct rnv_detection *kept, uint32_t count,
		  const struct rnv_detection *box)
{
	for (uint32_t i = 0; i < count; i++) {
		if ((p->per_class == 0 || kept[i].class_index == box->class_index) &&
		    overlap(&kept[i], box, p->iou)) {
			return false;
		}
	}
	return true;
}

static void run(const struct rnv_op *op)
{
	const struct nms_params *p = (const void *)rnv_op_params(op);
	const volatile int32_t *in_count = rnv_op_in(op, 0); /* may change: read once */
	const struct rnv_detection *in = rnv_op_in(op, 1);
	struct rnv_detection *kept = rnv_op_out(op, 1);
	int32_t candidates = rnv_clamp(*in_count, 0, p->candidates);
	uint32_t count = 0;

	for (int32_t i = 0; i < candidates && count < (uint32_t)p->capacity; i++) {
		if (stays(p, kept, count, &in[i])) {
			kept[count++] = in[i];
		}
	}
	rnv_entries_close(kept, count, (uint32_t)p->capacity, rnv_op_out(op, 0));
}

const struct rnv_kernel rnv_nms = {.check = check, .run = run};
