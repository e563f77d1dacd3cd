/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "spotter.h"

#include <stdbool.h>
#include <stdio.h>

#include <ranvier/package.h>
#include <ranvier/result.h>

#include "audio.h"
#include "ranvier_keywords.h"

#define HOP       (RANVIER_KEYWORDS_PUSH_INPUT_0_BYTES / (int)sizeof(int16_t))
#define HOP_US    (HOP * 1000000U / AUDIO_RATE)
#define EVERY     5U /* hops from one inference to the next */
#define PATIENCE  2U /* hops of sound that may wait */
#define HOP_SLOTS 8U /* hops that may wait until an inference is done */
#define ENDED     1  /* no failure (RNV_E*): the sound is over */

static _Alignas(RNV_PACKAGE_ALIGN) uint8_t state[RANVIER_KEYWORDS_STATE_BYTES];
static uint32_t model;

/* A job under way, and what it reads. */
struct slot {
	uint32_t job;
	bool busy;
	int16_t samples[HOP];
};

static struct slot hops[HOP_SLOTS];
static struct slot inference;
static uint32_t inference_hops; /* that it knows of */
static int32_t heard_count;
static struct rnv_detection heard;

int spotter_open(void)
{
	return app_open(ranvier_keywords, sizeof(ranvier_keywords), APP_REALTIME, state,
			sizeof(state), &model);
}

static int submit(struct slot *slot, uint16_t entry, const struct rnv_buffer *buffers,
		  uint16_t count, uint64_t deadline_us)
{
	const struct rnv_job_request request = {
		.model = model,
		.entry = entry,
		.lane = APP_REALTIME,
		.deadline_us = deadline_us,
		.buffers = buffers,
		.buffer_count = count,
	};
	int status = rnv_job_submit(app_start(), &request, &slot->job);

	slot->busy = status == RNV_OK;
	if (status != RNV_OK) {
		printf("job: refused (%d)\n", status);
	}
	return status;
}

/* Wait for a job, if one is under way, and count it. */
static int settle(struct slot *slot, struct latency *latency)
{
	struct rnv_job_result result;
	int status = RNV_OK;

	if (slot->busy) {
		slot->busy = false;
		status = app_wait(slot->job, &result);
		if (status == RNV_OK) {
			latency_add(latency, &result);
			status = result.status;
		}
		if (status != RNV_OK) {
			printf("job: failed (%d)\n", status);
		}
	}
	return status;
}

/* Wait for the inference, if one is under way, and say what it heard. */
static int report(struct spotter_result *result)
{
	bool asked = inference.busy;
	int status = settle(&inference, &result->infer);

	if (asked && status == RNV_OK && heard_count > 0) {
		uint32_t ms = inference_hops * (HOP_US / 1000U);

		printf("%u.%02u s: %s (%d %%)\n", (unsigned int)(ms / 1000U),
		       (unsigned int)(ms % 1000U / 10U), app_label(model, heard.class_index),
		       heard.score * 100 / 32768);
		result->events++;
	}
	return status;
}

static int push(struct slot *slot, uint64_t arrival_us)
{
	const struct rnv_buffer buffer = {.data = slot->samples, .bytes = sizeof(slot->samples)};

	return submit(slot, RANVIER_KEYWORDS_ENTRY_PUSH, &buffer, 1,
		      arrival_us + PATIENCE * HOP_US);
}

static int infer(uint64_t arrival_us)
{
	const struct rnv_buffer buffers[] = {
		{.data = &heard_count, .bytes = sizeof(heard_count)},
		{.data = &heard, .bytes = sizeof(heard)},
	};

	return submit(&inference, RANVIER_KEYWORDS_ENTRY_INFER, buffers, 2,
		      arrival_us + EVERY * HOP_US);
}

/* Hop number `hop`, from 0: its samples, and what is due after them. */
static int take(uint32_t hop, struct spotter_result *result)
{
	struct slot *slot = &hops[hop % HOP_SLOTS];
	uint64_t arrival_us;
	int status = settle(slot, &result->push);
	int count;

	if (status != RNV_OK) {
		return status;
	}
	count = audio_read(slot->samples, HOP, &arrival_us);
	if (count != HOP) {
		return (count < 0) ? count : ENDED;
	}
	status = push(slot, arrival_us);
	if (status == RNV_OK && (hop + 1U) % EVERY == 0U) {
		status = report(result);
		if (status == RNV_OK) {
			inference_hops = hop + 1U;
			status = infer(arrival_us);
		}
	}
	return status;
}

/* Wait for all that is under way, the oldest first, also after a failure: it uses our memory. */
static int finish(uint32_t hop, struct spotter_result *result)
{
	int status = RNV_OK;
	int last;

	for (uint32_t i = 0; i < HOP_SLOTS; i++) {
		int each = settle(&hops[(hop + i) % HOP_SLOTS], &result->push);

		status = (status == RNV_OK) ? each : status;
	}
	last = report(result);
	return (status == RNV_OK) ? last : status;
}

int spotter_listen(int (*meanwhile)(void), struct spotter_result *result)
{
	int status = RNV_OK;
	uint32_t hop = 0;
	int last;

	*result = (struct spotter_result){0};
	while (status == RNV_OK) {
		status = (meanwhile != NULL) ? meanwhile() : RNV_OK;
		if (status == RNV_OK) {
			status = take(hop++, result);
		}
	}
	last = finish(hop, result);
	return (status == ENDED) ? last : status;
}
