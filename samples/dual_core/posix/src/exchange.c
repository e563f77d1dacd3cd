/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "exchange.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "region.h"

#define OUTPUT_AT ((FRAME_BYTES + RNV_IPC_ALIGN - 1) / RNV_IPC_ALIGN * RNV_IPC_ALIGN)

/* A frame under way. */
struct flight {
	uint64_t begin_us;
	uint32_t frame;
};

static struct rnv_client *client;
static struct flight flights[SLOTS];
static struct rnv_ipc_model model;
static bool looking; /* the look-up is under way */
static bool found;   /* `model` is the server's */
static bool lost;    /* the server has no such model */
static uint32_t left;
static uint32_t under_way;
static uint32_t next_frame;
static struct exchange_totals totals;
static int8_t first[FRAMES][SCORES];
static bool seen[FRAMES];

static uint64_t now_us(void)
{
	struct timespec time;

	(void)clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000u + (uint64_t)time.tv_nsec / 1000u;
}

static uint32_t largest(const int8_t *scores)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < SCORES; i++) {
		best = scores[i] > scores[best] ? i : best;
	}
	return best;
}

static void count_time(uint64_t us)
{
	totals.sum_us += us;
	if (totals.least_us == 0u || us < totals.least_us) {
		totals.least_us = (uint32_t)us;
	}
	if (us > totals.most_us) {
		totals.most_us = (uint32_t)us;
	}
}

static void check(uint32_t frame, const int8_t *scores)
{
	if (!seen[frame]) {
		memcpy(first[frame], scores, SCORES);
		seen[frame] = true;
	}
	totals.other += memcmp(first[frame], scores, SCORES) != 0;
	if (largest(scores) == frame) {
		totals.right++;
	} else {
		totals.wrong++;
	}
}

static void on_result(void *context, const struct rnv_client_result *result)
{
	const struct flight *flight = context;
	const int8_t *slot = rnv_client_slot_data(client, result->slot, NULL);

	under_way--;
	if (result->status == RNV_OK && slot != NULL) {
		check(flight->frame, slot + OUTPUT_AT);
		count_time(now_us() - flight->begin_us);
		left--;
	} else if (result->status == RNV_ESTALE) {
		totals.stale++;
		found = false;
	} else {
		totals.failed++;
		found = false;
	}
	(void)rnv_client_slot_give(client, result->slot);
}

static void on_model(void *context, const struct rnv_client_result *result)
{
	const void *slot = rnv_client_slot_data(client, result->slot, NULL);

	(void)context;
	looking = false;
	if (result->status == RNV_OK && slot != NULL) {
		memcpy(&model, slot, sizeof(model));
		found = model.lanes != 0u && model.inputs == 1u && model.outputs == 1u &&
			model.tensor_bytes[0] == FRAME_BYTES && model.tensor_bytes[1] == SCORES;
	}
	lost = !found && result->status != RNV_ESTALE;
	(void)rnv_client_slot_give(client, result->slot);
}

static void look_up(void)
{
	uint32_t slot;

	if (looking || rnv_client_slot_take(client, &slot) != RNV_OK) {
		return;
	}
	looking = rnv_client_lookup(client, slot, "digits", 0, on_model, NULL) == RNV_OK;
	if (!looking) {
		(void)rnv_client_slot_give(client, slot);
	}
}

/* The model takes 0 (black) to 1 (white), quantised: a pixel for each step, from -128 on. */
static void write_frame(uint32_t frame, int8_t *input)
{
	for (uint32_t i = 0; i < FRAME_BYTES; i++) {
		input[i] = (int8_t)((int)frames[frame][i] - 128);
	}
}

/* False: not now. */
static bool send(void)
{
	struct rnv_client_job job = {
		.model = model.model,
		.bytes = model.bytes,
		.deadline_us = RNV_IPC_NO_DEADLINE,
		.lane = (uint8_t)__builtin_ctz(model.lanes),
		.done = on_result,
	};
	uint32_t slot;

	if (rnv_client_slot_take(client, &slot) != RNV_OK) {
		return false;
	}
	write_frame(next_frame, rnv_client_slot_data(client, slot, NULL));
	flights[slot] = (struct flight){now_us(), next_frame};
	job.context = &flights[slot];
	if (rnv_client_submit(client, slot, &job, NULL) != RNV_OK) {
		(void)rnv_client_slot_give(client, slot);
		return false;
	}
	next_frame = (next_frame + 1u) % FRAMES;
	under_way++;
	return true;
}

void exchange_init(struct rnv_client *of, uint32_t count)
{
	client = of;
	left = count;
}

int exchange_move(void)
{
	if (lost) {
		return RNV_ENOENT;
	}
	if (left != 0u && !found) {
		look_up();
	}
	while (found && under_way < left && under_way < SLOTS && send()) {
	}
	return left != 0u || under_way != 0u || looking;
}

const struct exchange_totals *exchange_totals_get(void)
{
	return &totals;
}

const int8_t *exchange_output(uint32_t frame)
{
	return seen[frame] ? first[frame] : NULL;
}
