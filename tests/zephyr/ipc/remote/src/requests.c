/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "requests.h"

#include <string.h>

#include <zephyr/kernel.h>

#include <ranvier/status.h>
#include <ranvier/zephyr/client.h>

#include "control.h"
#include "scores.h"

#define SEEDS  ARRAY_SIZE(expected_scores)
#define SCORES ARRAY_SIZE(expected_scores[0])

static struct rnv_zephyr_request requests[FLIGHTS];
static uint32_t slots[FLIGHTS];
static uint32_t seeds[FLIGHTS];
static struct rnv_ipc_model model;

/* Pixels from the upper bits of an xorshift generator (Marsaglia, 2003), as in tests/zephyr/sched.
 */
static void fill(int8_t *pixels, uint32_t count, uint32_t seed)
{
	for (uint32_t i = 0; i < count; i++) {
		seed ^= seed << 13;
		seed ^= seed >> 17;
		seed ^= seed << 5;
		pixels[i] = (int8_t)((int32_t)(seed >> 27) - 128);
	}
}

static int look_up(void)
{
	uint32_t slot;
	int status;

	(void)rnv_zephyr_client_wait_bonded(K_FOREVER);
	status = rnv_zephyr_client_slot_take(&slot, K_FOREVER);
	if (status == RNV_OK) {
		status = rnv_zephyr_client_lookup(slot, "digits", 0, &model);
		(void)rnv_zephyr_client_slot_give(slot);
	}
	if (status == RNV_OK) {
		CONTROL->lanes = model.lanes;
	}
	return status;
}

static int begin(uint32_t i)
{
	const struct rnv_client_job job = {
		.model = model.model,
		.bytes = model.bytes,
		.deadline_us = RNV_IPC_NO_DEADLINE,
		.lane = (uint8_t)(find_lsb_set(model.lanes) - 1u),
	};
	int8_t *pixels;
	int status = rnv_zephyr_client_slot_take(&slots[i], K_FOREVER);

	if (status != RNV_OK) {
		return status;
	}
	pixels = rnv_zephyr_client_slot_data(slots[i], NULL);
	status = RNV_ESTALE;
	if (pixels != NULL) {
		seeds[i] = (seeds[i] + 1u) % SEEDS;
		fill(pixels, model.tensor_bytes[0], seeds[i] + 1u);
		status = rnv_zephyr_client_begin(slots[i], &job, &requests[i], NULL);
	}
	if (status != RNV_OK) {
		(void)rnv_zephyr_client_slot_give(slots[i]);
	}
	return status;
}

uint32_t requests_begin(void)
{
	uint32_t count = 0;
	int status = look_up();

	while (status == RNV_OK && count < FLIGHTS) {
		status = begin(count);
		count += (status == RNV_OK) ? 1u : 0u;
	}
	if (status != RNV_OK && status != RNV_ESTALE && status != RNV_ESTATE) {
		CONTROL->status = (uint32_t)status;
	}
	return count;
}

static void judge(uint32_t i)
{
	const int8_t *pixels = rnv_zephyr_client_slot_data(slots[i], NULL);

	if (pixels == NULL) {
		CONTROL->stale++;
	} else if (memcmp(pixels + ROUND_UP(model.tensor_bytes[0], RNV_IPC_ALIGN),
			  expected_scores[seeds[i]], SCORES) == 0) {
		CONTROL->right++;
	} else {
		CONTROL->wrong++;
	}
}

void requests_end(uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		(void)rnv_zephyr_client_wait(&requests[i], K_FOREVER);
		if (requests[i].result.status == RNV_OK) {
			judge(i);
		} else if (requests[i].result.status == RNV_ESTALE) {
			CONTROL->stale++;
		} else {
			CONTROL->status = (uint32_t)requests[i].result.status;
		}
		(void)rnv_zephyr_client_slot_give(slots[i]);
	}
}

void requests_run(uint32_t count)
{
	while (CONTROL->right + CONTROL->wrong < count) {
		requests_end(requests_begin());
	}
}
