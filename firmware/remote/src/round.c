/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* A frame is written where the server's kernels read it, and the result is read where they write.
 */

#include <zephyr/kernel.h>
#include <zephyr/sys/util.h>

#include <ranvier/status.h>
#include <ranvier/zephyr/client.h>

#include "remote.h"

/* A frame under way. */
struct flight {
	struct rnv_zephyr_request request;
	uint32_t slot;
	uint32_t begin_cycles;
	uint32_t id;
	uint32_t expected; /* index of the output */
	bool cancelled;
};

static struct flight flights[CONFIG_REMOTE_FLIGHTS];

/* The model takes 0 (black) to 1 (white), quantised: a pixel for each step, from -128 on. */
static void write_frame(const struct remote_frame *frame, int8_t *input, uint32_t bytes)
{
	for (uint32_t i = 0; i < MIN(frame->count, bytes); i++) {
		input[i] = (int8_t)((int)frame->pixels[i] - 128);
	}
}

static uint32_t largest(const int8_t *scores, uint32_t count)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < count; i++) {
		best = (scores[i] > scores[best]) ? i : best;
	}
	return best;
}

int remote_find(struct rnv_ipc_model *model)
{
	uint32_t slot;
	int status = rnv_zephyr_client_slot_take(&slot, K_FOREVER);

	if (status != RNV_OK) {
		return status;
	}
	status = rnv_zephyr_client_lookup(slot, CONFIG_REMOTE_MODEL, 0, model);
	(void)rnv_zephyr_client_slot_give(slot);
	if (status == RNV_OK &&
	    (model->inputs != 1u || model->outputs != 1u || model->lanes == 0u)) {
		status = RNV_ENOTSUP;
	}
	return status;
}

/* Every other frame is urgent; the rest has as much time as it takes. */
static int begin(const struct rnv_ipc_model *model, uint32_t number, struct flight *flight)
{
	const bool urgent = number % 2u == 0u;
	const struct rnv_client_job job = {
		.model = model->model,
		.bytes = model->bytes,
		.deadline_us = urgent ? CONFIG_REMOTE_DEADLINE_MS * 1000u : RNV_IPC_NO_DEADLINE,
		.lane = (uint8_t)(urgent ? find_lsb_set(model->lanes) - 1u
					 : find_msb_set(model->lanes) - 1u),
	};
	int8_t *input;
	int status = rnv_zephyr_client_slot_take(&flight->slot, K_FOREVER);

	if (status != RNV_OK) {
		return status;
	}
	input = rnv_zephyr_client_slot_data(flight->slot, NULL);
	status = RNV_ESTALE;
	if (input != NULL) {
		flight->expected = number % remote_frame_count;
		write_frame(&remote_frames[flight->expected], input, model->tensor_bytes[0]);
		flight->begin_cycles = k_cycle_get_32();
		status = rnv_zephyr_client_begin(flight->slot, &job, &flight->request, &flight->id);
	}
	if (status != RNV_OK) {
		(void)rnv_zephyr_client_slot_give(flight->slot);
		return status;
	}
	flight->cancelled = number == remote_frame_count;
	if (flight->cancelled) {
		(void)rnv_zephyr_client_cancel(flight->id);
	}
	return RNV_OK;
}

static void count_time(const struct flight *flight, struct remote_totals *totals)
{
	const uint32_t us = k_cyc_to_us_floor32(k_cycle_get_32() - flight->begin_cycles);

	if (totals->least_us == 0u || us < totals->least_us) {
		totals->least_us = us;
	}
	totals->most_us = MAX(totals->most_us, us);
	totals->late += flight->request.result.args[2];
}

static void read_result(const struct rnv_ipc_model *model, const struct flight *flight,
			struct remote_totals *totals)
{
	const int8_t *input = rnv_zephyr_client_slot_data(flight->slot, NULL);

	if (input == NULL) {
		totals->stale++;
		return;
	}
	if (largest(input + ROUND_UP(model->tensor_bytes[0], RNV_IPC_ALIGN),
		    model->tensor_bytes[1]) == flight->expected) {
		totals->right++;
	} else {
		totals->wrong++;
	}
	count_time(flight, totals);
}

static int end(const struct rnv_ipc_model *model, struct flight *flight,
	       struct remote_totals *totals)
{
	int status;

	(void)rnv_zephyr_client_wait(&flight->request, K_FOREVER);
	status = flight->request.result.status;
	if (status == RNV_OK) {
		read_result(model, flight, totals);
	} else if (status == RNV_ECANCELED && flight->cancelled) {
		totals->cancelled++;
	} else if (status == RNV_ESTALE) {
		totals->stale++;
	} else {
		totals->failed++;
	}
	(void)rnv_zephyr_client_slot_give(flight->slot);
	return status;
}

/* As many as may be under way; their number. */
static uint32_t begin_some(const struct rnv_ipc_model *model, uint32_t first, uint32_t count,
			   int *status)
{
	uint32_t begun = 0;

	*status = RNV_OK;
	while (begun < count && begun < ARRAY_SIZE(flights) && *status == RNV_OK) {
		*status = begin(model, first + begun, &flights[begun]);
		begun += (*status == RNV_OK) ? 1u : 0u;
	}
	return begun;
}

static bool is_over(int status)
{
	return status == RNV_ESTALE || status == RNV_ESTATE;
}

int remote_round(const struct rnv_ipc_model *model, struct remote_totals *totals)
{
	const uint32_t count = remote_frame_count + 1u; /* the last is cancelled */
	bool over = false;

	for (uint32_t first = 0; first < count && !over;) {
		int status;
		uint32_t begun = begin_some(model, first, count - first, &status);

		over = is_over(status);
		for (uint32_t i = 0; i < begun; i++) {
			over = is_over(end(model, &flights[i], totals)) || over;
		}
		if (begun == 0u && !over) {
			totals->failed++;
			begun = 1;
		}
		first += begun;
	}
	return over ? RNV_ESTALE : RNV_OK;
}

void remote_abandon(const struct rnv_ipc_model *model)
{
	int status;

	(void)begin_some(model, 0, remote_frame_count, &status);
}
