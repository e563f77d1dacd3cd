/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "detector.h"

#include <stdbool.h>
#include <stdio.h>

#include <ranvier/result.h>

#include "ranvier_shapes.h"

#define CAPACITY (RANVIER_SHAPES_OUTPUT_1_BYTES / (int)sizeof(struct rnv_detection))

static uint32_t model;
static uint32_t job;
static bool busy;
static uint32_t frames;
static int32_t count;
static struct rnv_detection found[CAPACITY];

int detector_open(void)
{
	return app_open(ranvier_shapes, sizeof(ranvier_shapes), APP_BEST_EFFORT, NULL, 0, &model);
}

int detector_begin(const uint8_t *frame)
{
	const struct rnv_buffer buffers[] = {
		{.data = (void *)(uintptr_t)frame, .bytes = RANVIER_SHAPES_INPUT_0_BYTES},
		{.data = &count, .bytes = sizeof(count)},
		{.data = found, .bytes = sizeof(found)},
	};
	const struct rnv_job_request request = {
		.model = model,
		.lane = APP_BEST_EFFORT,
		.deadline_us = RNV_NEVER,
		.buffers = buffers,
		.buffer_count = 3,
	};
	int status;

	if (busy) {
		return RNV_EBUSY;
	}
	status = rnv_job_submit(app_start(), &request, &job);
	busy = status == RNV_OK;
	if (status != RNV_OK) {
		printf("frame: refused (%d)\n", status);
	}
	return status;
}

static void print_found(void)
{
	printf("frame %u: %d objects\n", (unsigned int)frames, (int)count);
	for (int32_t i = 0; i < count; i++) {
		const struct rnv_detection *d = &found[i];

		printf("  %s (%d %%) y %d to %d, x %d to %d\n", app_label(model, d->class_index),
		       d->score * 100 / 32768, d->y0, d->y1, d->x0, d->x1);
	}
}

int detector_end(int wait, struct latency *latency)
{
	struct rnv_job_result result;
	int status;

	if (!busy) {
		return 0;
	}
	status = wait ? app_wait(job, &result) : app_poll(job, &result);
	if (status == RNV_EAGAIN) {
		return 0;
	}
	busy = false;
	if (status == RNV_OK) {
		latency_add(latency, &result);
		status = result.status;
	}
	if (status != RNV_OK) {
		printf("frame: failed (%d)\n", status);
		return status;
	}
	frames++;
	print_found();
	return 1;
}
