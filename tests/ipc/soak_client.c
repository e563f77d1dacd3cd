/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "posix/ipc.h"
#include "ranvier/client.h"
#include "ranvier/job.h"
#include "ranvier/port.h"
#include "soak.h"

#define OUTPUT_AT ((TENSOR + RNV_IPC_ALIGN - 1) / RNV_IPC_ALIGN * RNV_IPC_ALIGN)
#define BEAT_US   1000u
#define HELLO_US  20000u

/* A request under way. */
struct flight {
	struct client *client;
	uint8_t input[TENSOR];
	uint32_t id;
	bool cancelled;
	bool has_deadline;
	bool is_look_up;
};

struct client {
	struct rnv_posix_ipc ipc;
	struct rnv_client client;
	struct rnv_client_config config;
	struct soak_board *board;
	const uint8_t *map;
	struct flight flights[SLOTS];
	struct rnv_ipc_model model;
	bool found;
	bool looking;
	uint64_t random;
};

static uint32_t draw(struct client *client, uint32_t below)
{
	return (uint32_t)(soak_random(&client->random) % below);
}

static void wrong(struct client *client, const char *what, const struct rnv_client_result *result)
{
	if (client->board->spoilt == 0u) {
		client->board->wrong++;
		(void)fprintf(stderr, "%s: request %#x, slot %u, status %d\n", what,
			      (unsigned int)result->id, (unsigned int)result->slot, result->status);
	}
}

/* One doorbell in eight is lost. */
static void ring(void *context)
{
	struct client *client = context;

	if (draw(client, 8) != 0u) {
		rnv_posix_ipc_ring(&client->ipc);
	}
}

static void check(struct client *client, const struct flight *flight,
		  const struct rnv_client_result *result)
{
	const uint8_t *slot = rnv_client_slot_data(&client->client, result->slot, NULL);
	bool right = slot != NULL && result->id == flight->id &&
		     memcmp(slot, flight->input, TENSOR) == 0;

	for (uint32_t i = 0; right && i < TENSOR; i++) {
		right = slot[OUTPUT_AT + i] == client->map[flight->input[i]];
	}
	if (right) {
		client->board->right++;
	} else {
		wrong(client, "another result", result);
	}
}

static void on_model(struct client *client, const struct rnv_client_result *result)
{
	const void *slot = rnv_client_slot_data(&client->client, result->slot, NULL);
	struct rnv_ipc_model *model = &client->model;

	client->looking = false;
	if (result->status != RNV_OK || slot == NULL) {
		wrong(client, "look-up", result);
		return;
	}
	memcpy(model, slot, sizeof(*model));
	client->found = model->lanes == 3u && model->inputs == 1u && model->outputs == 1u &&
			model->tensor_bytes[0] == TENSOR && model->tensor_bytes[1] == TENSOR &&
			model->bytes <= SLOT_BYTES;
	if (client->found) {
		client->board->answers++;
	} else {
		wrong(client, "another model", result);
	}
}

static void on_done(void *context, const struct rnv_client_result *result)
{
	struct flight *flight = context;
	struct client *client = flight->client;
	struct soak_board *board = client->board;

	if (result->status == RNV_ESTALE) {
		board->stale++;
		client->found = false;
		client->looking = client->looking && !flight->is_look_up;
	} else if (flight->is_look_up) {
		on_model(client, result);
	} else if (result->status == RNV_OK) {
		check(client, flight, result);
	} else if (result->status == RNV_ECANCELED && flight->cancelled) {
		board->cancelled++;
	} else if (result->status == RNV_ETIME && flight->has_deadline) {
		board->late++;
	} else if (result->status == RNV_EAGAIN) {
		board->full++;
	} else {
		wrong(client, "failed", result);
		client->found = client->found && board->spoilt == 0u;
	}
	if (rnv_client_slot_give(&client->client, result->slot) != RNV_OK) {
		wrong(client, "slot", result);
	}
}

static void on_status(void *context, const struct rnv_client_result *result)
{
	struct client *client = context;

	if (result->status == RNV_OK && result->args[0] <= SLOTS) {
		client->board->answers++;
	} else if (result->status == RNV_ESTALE) {
		client->board->stale++;
	} else {
		wrong(client, "status", result);
	}
}

static struct flight *take(struct client *client, uint32_t *slot)
{
	struct flight *flight;

	if (rnv_client_slot_take(&client->client, slot) != RNV_OK) {
		return NULL;
	}
	flight = &client->flights[*slot];
	*flight = (struct flight){.client = client};
	return flight;
}

static void look_up(struct client *client)
{
	uint32_t slot;
	struct flight *flight = client->looking ? NULL : take(client, &slot);

	if (flight == NULL) {
		return;
	}
	flight->is_look_up = true;
	client->looking =
		rnv_client_lookup(&client->client, slot, "soak", 0, on_done, flight) == RNV_OK;
	if (!client->looking) {
		(void)rnv_client_slot_give(&client->client, slot);
	}
}

/* False: not now. */
static bool send(struct client *client)
{
	uint32_t slot;
	struct flight *flight = take(client, &slot);
	struct rnv_client_job job = {
		.model = client->model.model,
		.bytes = client->model.bytes,
		.deadline_us = RNV_IPC_NO_DEADLINE,
		.lane = (uint8_t)draw(client, 2),
		.done = on_done,
		.context = flight,
	};

	if (flight == NULL) {
		return false;
	}
	for (uint32_t i = 0; i < TENSOR; i++) {
		flight->input[i] = (uint8_t)draw(client, 256);
	}
	memcpy(rnv_client_slot_data(&client->client, slot, NULL), flight->input, TENSOR);
	if (draw(client, 8) == 0u) {
		flight->has_deadline = true;
		job.deadline_us = draw(client, 200);
		job.flags = draw(client, 2) != 0u ? RNV_JOB_DROP_LATE : 0u;
	}
	if (rnv_client_submit(&client->client, slot, &job, &flight->id) != RNV_OK) {
		(void)rnv_client_slot_give(&client->client, slot);
		return false;
	}
	if (draw(client, 16) == 0u) {
		flight->cancelled = rnv_client_cancel(&client->client, flight->id) == RNV_OK;
	}
	return true;
}

static void move(struct client *client)
{
	if (!client->found) {
		look_up(client);
		return;
	}
	if (draw(client, 32) == 0u) {
		(void)rnv_client_status(&client->client, on_status, client);
	}
	while (send(client)) {
	}
}

static void count(const struct client *client)
{
	struct rnv_client_stats stats;

	rnv_client_stats_get(&client->client, &stats);
	client->board->foreign += stats.foreign + stats.broken;
	client->board->bonds += stats.bonds;
}

static void run(struct client *client)
{
	struct soak_board *board = client->board;

	while (board->stop_client == 0u) {
		if (atomic_exchange(&board->client_again, 0u) != 0u) { /* as after a reset */
			count(client);
			(void)rnv_client_init(&client->client, &client->config);
			client->found = false;
			client->looking = false;
		}
		if (rnv_client_poll(&client->client, rnv_now_us()) == RNV_CLIENT_BONDED) {
			move(client);
		}
		(void)rnv_posix_ipc_wait(&client->ipc, BEAT_US);
	}
	count(client);
}

int soak_client(const struct soak *soak)
{
	const struct rnv_ipc_layout layout = {
		.entries = ENTRIES, .slots = SLOTS, .slot_bytes = SLOT_BYTES};
	struct client *client = calloc(1, sizeof(*client));
	int status;

	if (client == NULL) {
		return RNV_ENOMEM;
	}
	client->board = soak->board;
	client->map = soak->map;
	client->random = soak->seed * 2654435761u + 1u;
	status = rnv_posix_ipc_open(&client->ipc, soak->region, rnv_ipc_bytes(&layout),
				    RNV_POSIX_IPC_CLIENT);
	client->config = (struct rnv_client_config){.region = client->ipc.region,
						    .region_bytes = client->ipc.bytes,
						    .doorbell = ring,
						    .context = client,
						    .hello_us = HELLO_US};
	if (status == 0) {
		status = rnv_client_init(&client->client, &client->config);
	}
	if (status == 0) {
		run(client);
		rnv_posix_ipc_close(&client->ipc);
	}
	free(client);
	return status;
}
