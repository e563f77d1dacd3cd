/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* ranvier job submit: queues a job with inputs from a seed, and returns. */

#include <string.h>

#include <zephyr/kernel.h>
#include <zephyr/logging/log.h>

#include <ranvier/port.h>
#include <ranvier/zephyr/runtime.h>

#include "shell_internal.h"
#include "shell_job.h"

LOG_MODULE_DECLARE(ranvier, CONFIG_RANVIER_LOG_LEVEL);

#define JOBS CONFIG_RANVIER_SHELL_JOBS

/* What a job is asked for. */
struct order {
	struct rnv_model_info info;
	uint32_t lane;
	uint64_t deadline_us;
	uint32_t seed;
};

struct rnv_shell_job rnv_shell_jobs[JOBS];
K_MUTEX_DEFINE(rnv_shell_jobs_lock);

static uint32_t submissions;

/*
 * Inputs are the upper bytes of x = x * 1664525 + 1013904223, beginning with the seed; a float is
 * 24 bits of it as a number from -1 to 1, so that no input is NaN.
 */
static uint32_t next_random(uint32_t *x)
{
	*x = *x * 1664525U + 1013904223U;
	return *x;
}

static void fill(const struct rnv_tensor_rec *rec, void *data, uint32_t *x)
{
	uint8_t *bytes = data;
	float *floats = data;

	if (rec->type == RNV_TYPE_FLOAT32) {
		for (uint32_t i = 0; i < rec->bytes / sizeof(float); i++) {
			floats[i] = (float)(next_random(x) >> 8) / 8388608.0f - 1.0f;
		}
		return;
	}
	for (uint32_t i = 0; i < rec->bytes; i++) {
		bytes[i] = (uint8_t)(next_random(x) >> 24);
		bytes[i] &= (rec->type == RNV_TYPE_BOOL) ? 1U : 0xFFU;
	}
}

static const struct rnv_tensor_rec *external(const struct rnv_package *pkg, uint16_t number,
					     uint16_t input_count)
{
	return rnv_package_tensor(pkg, (number < input_count)
					       ? rnv_package_input(pkg, 0, number)
					       : rnv_package_output(pkg, 0, number - input_count));
}

/* Lay inputs and outputs out in the entry's memory; returns the need. */
static uint32_t place(struct rnv_shell_job *entry, const struct rnv_package *pkg, uint32_t *x)
{
	const struct rnv_tensor_rec *rec;
	uint64_t used = 0; /* of any package */
	uint16_t i;

	entry->input_count = 0;
	while (rnv_package_input(pkg, 0, entry->input_count) != RNV_NO_TENSOR) {
		entry->input_count++;
	}
	for (i = 0; (rec = external(pkg, i, entry->input_count)) != NULL; i++) {
		if (used + rec->bytes <= sizeof(entry->memory)) {
			entry->buffers[i].data = &entry->memory[used];
			entry->buffers[i].bytes = rec->bytes;
			if (i < entry->input_count) {
				fill(rec, entry->buffers[i].data, x);
			}
		}
		if (i == entry->input_count) {
			entry->classes = rec->type == RNV_TYPE_INT8 && rec->rank > 0U &&
					 rec->bytes == rec->dims[rec->rank - 1U];
		}
		used += ROUND_UP((uint64_t)rec->bytes, RNV_SHELL_BUFFER_ALIGN);
	}
	entry->buffer_count = i;
	return (uint32_t)MIN(used, UINT32_MAX);
}

/* A free entry, else the one with the oldest result; NULL where all are under way. */
static struct rnv_shell_job *take_entry(void)
{
	struct rnv_shell_job *best = NULL;

	for (uint32_t i = 0; i < JOBS; i++) {
		struct rnv_shell_job *entry = &rnv_shell_jobs[i];

		if (atomic_get(&entry->state) == RNV_SHELL_FREE) {
			return entry;
		}
		if (atomic_get(&entry->state) == RNV_SHELL_DONE &&
		    (best == NULL || (int32_t)(entry->order - best->order) < 0)) {
			best = entry;
		}
	}
	return best;
}

static void done(void *context, const struct rnv_job_result *result)
{
	struct rnv_shell_job *entry = context;

	LOG_INF("job %u of %s: %s, %u us", result->job, entry->model,
		rnv_shell_status(result->status), (uint32_t)(result->end_us - result->submit_us));
	entry->result = *result;
	(void)atomic_set(&entry->state, RNV_SHELL_DONE);
}

static void explain_submit(const struct shell *sh, const struct order *order, int status)
{
	const char *name = rnv_shell_name(order->info.pkg);
	const char *lane = rnv_runtime_lane_name(order->lane);

	if (status == RNV_ESTATE && order->info.lanes == 0U) {
		shell_error(sh, "%s is bound to no lane; try: ranvier model bind %s LANE", name,
			    name);
		return;
	}
	switch (status) {
	case RNV_ESTATE:
		shell_error(sh,
			    "%s is not bound to lane %s, is draining, or the lane is claimed; try: "
			    "ranvier model bind %s %u",
			    name, lane, name, order->lane);
		break;
	case RNV_EAGAIN:
		shell_error(sh, "lane %s is full; try again, or: ranvier lane", lane);
		break;
	case RNV_ETIME:
		shell_error(sh, "refused: the deadline could not be met; try a later one");
		break;
	default:
		shell_error(sh, "%s (%d); try: ranvier model info %s", rnv_shell_status(status),
			    status, name);
		break;
	}
}

static int submit_locked(const struct shell *sh, const struct order *order)
{
	struct rnv_shell_job *entry = take_entry();
	struct rnv_job_request request = {
		.model = order->info.model,
		.lane = (uint8_t)order->lane,
		.deadline_us = order->deadline_us,
		.done = done,
	};
	uint32_t x = order->seed;
	uint32_t need;
	int status;

	if (entry == NULL) {
		shell_error(
			sh,
			"all %u jobs of the shell are under way; try: ranvier job list, ranvier "
			"job cancel, or raise CONFIG_RANVIER_SHELL_JOBS",
			JOBS);
		return RNV_EAGAIN;
	}
	(void)atomic_set(&entry->state, RNV_SHELL_FREE);
	need = place(entry, order->info.pkg, &x);
	if (need > sizeof(entry->memory)) {
		shell_error(sh,
			    "%s needs %u bytes for inputs and outputs, "
			    "CONFIG_RANVIER_SHELL_BUFFER_SIZE "
			    "is %u",
			    rnv_shell_name(order->info.pkg), need, (uint32_t)sizeof(entry->memory));
		return RNV_ENOMEM;
	}
	memcpy(entry->model, rnv_package_header(order->info.pkg)->name, sizeof(entry->model));
	entry->lane = order->lane;
	entry->order = submissions;
	request.buffers = entry->buffers;
	request.buffer_count = entry->buffer_count;
	request.context = entry;
	(void)atomic_set(&entry->state, RNV_SHELL_PENDING); /* before `done` can come */
	status = rnv_job_submit(rnv_runtime_sched(), &request, &entry->job);
	if (status != RNV_OK) {
		(void)atomic_set(&entry->state, RNV_SHELL_FREE);
		explain_submit(sh, order, status);
		return status;
	}
	submissions++;
	shell_print(sh, "job %u of %s in lane %s", entry->job, entry->model,
		    rnv_runtime_lane_name(order->lane));
	return RNV_OK;
}

/* MODEL [LANE] [DEADLINE_MS], and --seed N anywhere behind MODEL. */
static int parse(const struct shell *sh, size_t argc, char **argv, struct order *order)
{
	size_t given = 0;
	uint32_t deadline_ms;
	int status = rnv_shell_model(sh, argv[1], &order->info);

	for (size_t i = 2; i < argc && status == RNV_OK; i++) {
		if (strcmp(argv[i], "--seed") == 0) {
			i++;
			status = rnv_shell_number(sh, (i < argc) ? argv[i] : "", "seed",
						  &order->seed);
		} else if (given == 0U) {
			status = rnv_shell_lane(sh, argv[i], &order->lane);
			given++;
		} else if (given == 1U) {
			status = rnv_shell_number(sh, argv[i], "deadline", &deadline_ms);
			order->deadline_us = rnv_now_us() + 1000ULL * deadline_ms;
			given++;
		} else {
			shell_error(sh, "cannot use \"%s\"; try: ranvier job submit --help",
				    argv[i]);
			status = RNV_EINVAL;
		}
	}
	if (status == RNV_OK && given == 0U && order->info.lanes != 0U) {
		order->lane = 31U - (uint32_t)__builtin_clz(order->info.lanes);
	}
	return status;
}

int rnv_shell_submit(const struct shell *sh, size_t argc, char **argv)
{
	struct order order = {.deadline_us = RNV_NEVER};
	int status = parse(sh, argc, argv, &order);

	if (status != RNV_OK) {
		return status;
	}
	if ((rnv_package_header(order.info.pkg)->flags & RNV_FLAG_IO_MASK) == RNV_IO_RESIDENT) {
		shell_error(
			sh,
			"inputs of %s lie in a lane's arena; only its application can fill them",
			rnv_shell_name(order.info.pkg));
		return RNV_ENOTSUP;
	}
	(void)k_mutex_lock(&rnv_shell_jobs_lock, K_FOREVER);
	status = submit_locked(sh, &order);
	(void)k_mutex_unlock(&rnv_shell_jobs_lock);
	return status;
}
