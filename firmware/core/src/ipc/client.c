/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "ranvier/client.h"

#include <stddef.h>
#include <string.h>

#include "ipc/region.h"

/* A request's record is the number of its slot. The status has no slot, a cancel no record. */
#define RECORD_STATUS RNV_IPC_MAX_SLOTS
#define RECORD_NONE   (RNV_IPC_MAX_SLOTS + 1)

/* Of a request's number, which is otherwise one of a sequence: its record. */
#define RECORD_BITS 6
#define RECORD_MASK ((1u << RECORD_BITS) - 1u)

_Static_assert(RECORD_NONE <= RECORD_MASK, "records have numbers of RECORD_BITS");

static struct rnv_region *region_of(const struct rnv_client *client)
{
	return client->config.region;
}

static void ring_doorbell(const struct rnv_client *client)
{
	if (client->config.doorbell != NULL) {
		client->config.doorbell(client->config.context);
	}
}

int rnv_client_init(struct rnv_client *client, const struct rnv_client_config *config)
{
	static const struct rnv_ipc_layout smallest = {2, 1, 128};

	if (client == NULL || config == NULL || config->region == NULL || config->hello_us == 0u ||
	    config->region_bytes < rnv_ipc_bytes(&smallest)) {
		return RNV_EINVAL;
	}
	if (((uintptr_t)config->region & (RNV_IPC_LINE - 1u)) != 0u) {
		return RNV_EALIGN;
	}
	memset(client, 0, sizeof(*client));
	client->config = *config;
	return RNV_OK;
}

/* --- the bond --- */

/* Whether the server is the one that hello was said to. */
static bool is_same_server(const struct rnv_client *client)
{
	const struct rnv_region *region = region_of(client);

	return rnv_shared_load(&region->header.magic) == RNV_IPC_MAGIC &&
	       rnv_shared_load(&region->header.epoch) == client->server_epoch;
}

static bool is_accepted(const struct rnv_client *client)
{
	return is_same_server(client) &&
	       rnv_shared_load(&region_of(client)->server.accept) == client->epoch;
}

/* Another epoch than this client had, also before a reset, and than the one that is accepted. */
static uint32_t new_epoch(const struct rnv_client *client)
{
	const struct rnv_region *region = region_of(client);
	uint32_t old = client->epoch != 0u ? client->epoch : rnv_shared_load(&region->client.epoch);
	uint32_t epoch = rnv_region_next_epoch(old);

	return epoch == rnv_shared_load(&region->server.accept) ? rnv_region_next_epoch(epoch)
								: epoch;
}

/* Make empty rings and ask for a bond, or stay alone where no server has formatted the region. */
static void say_hello(struct rnv_client *client, uint64_t now_us)
{
	struct rnv_region *region = region_of(client);
	struct rnv_region_header header;

	client->state = RNV_CLIENT_ALONE;
	if (!rnv_region_read(region, client->config.region_bytes, &header)) {
		return;
	}
	client->layout.entries = header.entries;
	client->layout.slots = header.slots;
	client->layout.slot_bytes = header.slot_bytes;
	client->slots_offset = header.slots_offset;
	client->server_epoch = header.epoch;
	client->spoilt = 0;
	/* Before the epoch: the server makes its indices equal to these when it accepts that. */
	rnv_ring_init(&client->requests, region->request_client, region->request_server,
		      rnv_region_requests(region), header.entries);
	rnv_ring_init(&client->responses, region->response_client, region->response_server,
		      rnv_region_responses(region, header.entries), header.entries);
	client->epoch = new_epoch(client);
	rnv_shared_store(&region->client.epoch, client->epoch);
	rnv_shared_store(&region->client.hello, header.epoch);
	client->state = RNV_CLIENT_BONDING;
	client->since_us = now_us;
	ring_doorbell(client);
}

static void finish(struct rnv_client *client, uint32_t record, const struct rnv_message *message,
		   int32_t status)
{
	struct rnv_client_request request = client->under_way[record];
	struct rnv_client_result result = {.id = request.id, .slot = record, .status = status};

	memcpy(result.args, message->args, sizeof(result.args));
	client->under_way[record].id = 0;
	request.done(request.context, &result);
}

/* The bond is over, and so is all that is under way. */
static void end_bond(struct rnv_client *client)
{
	static const struct rnv_message nothing;

	client->state = RNV_CLIENT_ALONE;
	client->fresh = 0;
	for (uint32_t record = 0; record <= RECORD_STATUS; record++) {
		if (client->under_way[record].id != 0u) {
			finish(client, record, &nothing, RNV_ESTALE);
		}
	}
}

/* --- responses --- */

static void take_response(struct rnv_client *client, const struct rnv_message *message)
{
	uint32_t record = message->id & RECORD_MASK;

	if (message->epoch != client->epoch || message->id == 0u || record > RECORD_STATUS ||
	    client->under_way[record].id != message->id) {
		client->stats.foreign++;
		return;
	}
	client->stats.responses++;
	finish(client, record, message, message->status);
}

/* False: the region is spoilt. */
static bool take_responses(struct rnv_client *client)
{
	struct rnv_message message;

	for (uint32_t i = 0; i < client->layout.entries; i++) {
		int status = rnv_ring_pop(&client->responses, &message);

		if (status != RNV_OK) {
			return status == RNV_EAGAIN;
		}
		take_response(client, &message);
	}
	return true;
}

/* --- poll --- */

static bool is_server_alive(struct rnv_client *client, uint64_t now_us)
{
	uint32_t beat = rnv_shared_load(&region_of(client)->server.beat);

	if (beat != client->server_beat) {
		client->server_beat = beat;
		client->since_us = now_us;
	}
	return client->config.server_dead_us == 0u ||
	       now_us - client->since_us < client->config.server_dead_us;
}

/* Bonding: is it accepted? */
static void wait_for_bond(struct rnv_client *client, uint64_t now_us)
{
	if (!is_same_server(client)) {
		client->state = RNV_CLIENT_ALONE;
	} else if (is_accepted(client)) {
		client->state = RNV_CLIENT_BONDED;
		client->since_us = now_us;
		client->stats.bonds++;
	} else if (now_us - client->since_us >= client->config.hello_us) {
		client->state = RNV_CLIENT_ALONE;
	}
}

/* Bonded: does it hold, and what is there? */
static void keep_bond(struct rnv_client *client, uint64_t now_us)
{
	if (!is_accepted(client) || !is_server_alive(client, now_us)) {
		end_bond(client);
		return;
	}
	if (!take_responses(client) || client->spoilt != 0u) {
		if (is_accepted(client)) {
			client->stats.broken++;
		}
		end_bond(client);
	}
}

int rnv_client_poll(struct rnv_client *client, uint64_t now_us)
{
	if (client->state == RNV_CLIENT_BONDED) {
		keep_bond(client, now_us);
	} else if (client->state == RNV_CLIENT_BONDING) {
		wait_for_bond(client, now_us);
	}
	if (client->state == RNV_CLIENT_ALONE) {
		say_hello(client, now_us);
	}
	if (client->state != RNV_CLIENT_ALONE) {
		uint32_t *beat = &region_of(client)->client.beat;

		rnv_shared_store(beat, rnv_shared_load(beat) + 1u);
	}
	return client->state;
}

/* --- slots --- */

static bool is_taken(const struct rnv_client *client, uint32_t slot)
{
	return slot < RNV_IPC_MAX_SLOTS && (client->taken >> slot & 1u) != 0u;
}

static uint32_t slot_offset(const struct rnv_client *client, uint32_t slot)
{
	return client->slots_offset + slot * client->layout.slot_bytes;
}

int rnv_client_slot_take(struct rnv_client *client, uint32_t *slot)
{
	if (client->state != RNV_CLIENT_BONDED) {
		return RNV_ESTATE;
	}
	for (uint32_t i = 0; i < client->layout.slots; i++) {
		if (!is_taken(client, i)) {
			client->taken |= 1u << i;
			client->fresh |= 1u << i;
			*slot = i;
			return RNV_OK;
		}
	}
	return RNV_EAGAIN;
}

void *rnv_client_slot_data(struct rnv_client *client, uint32_t slot, uint32_t *bytes)
{
	if (!is_taken(client, slot) || (client->fresh >> slot & 1u) == 0u) {
		return NULL;
	}
	if (bytes != NULL) {
		*bytes = client->layout.slot_bytes;
	}
	return (uint8_t *)client->config.region + slot_offset(client, slot);
}

int rnv_client_slot_give(struct rnv_client *client, uint32_t slot)
{
	if (!is_taken(client, slot)) {
		return RNV_EINVAL;
	}
	if (client->under_way[slot].id != 0u) {
		return RNV_EBUSY;
	}
	client->taken &= ~(1u << slot);
	return RNV_OK;
}

/* --- requests --- */

/* Whether a request of a slot may be made now. */
static int check_slot(const struct rnv_client *client, uint32_t slot)
{
	if (!is_taken(client, slot)) {
		return RNV_EINVAL;
	}
	if (client->state != RNV_CLIENT_BONDED) {
		return RNV_ESTATE;
	}
	if ((client->fresh >> slot & 1u) == 0u) {
		return RNV_ESTALE;
	}
	return client->under_way[slot].id != 0u ? RNV_EBUSY : RNV_OK;
}

/* Number a message and push it. A ring that is spoilt is full, until the poll ends the bond. */
static int send(struct rnv_client *client, uint32_t record, struct rnv_message *message)
{
	int status;

	client->next_id += 1u << RECORD_BITS;
	if (client->next_id == 0u) {
		client->next_id = 1u << RECORD_BITS;
	}
	message->id = client->next_id | record;
	message->epoch = client->epoch;
	status = rnv_ring_push(&client->requests, message);
	if (status == RNV_EBADMSG) {
		client->spoilt = 1;
		return RNV_EAGAIN;
	}
	if (status == RNV_OK) {
		ring_doorbell(client);
	}
	return status;
}

/* Send a request that has a response. */
static int ask(struct rnv_client *client, uint32_t record, struct rnv_message *message,
	       void (*done)(void *context, const struct rnv_client_result *result), void *context)
{
	int status = send(client, record, message);

	if (status == RNV_OK) {
		client->under_way[record] = (struct rnv_client_request){done, context, message->id};
		client->stats.requests++;
	}
	return status;
}

int rnv_client_lookup(struct rnv_client *client, uint32_t slot, const char *name, uint16_t entry,
		      void (*done)(void *context, const struct rnv_client_result *result),
		      void *context)
{
	struct rnv_message message = {.type = RNV_IPC_LOOKUP, .args = {entry}};
	char padded[RNV_IPC_NAME] = {0};
	uint32_t length = 0;
	int status;

	if (name == NULL || done == NULL) {
		return RNV_EINVAL;
	}
	while (name[length] != '\0') {
		padded[length] = name[length];
		length++;
		if (length == RNV_IPC_NAME) {
			return RNV_EINVAL;
		}
	}
	status = check_slot(client, slot);
	if (status != RNV_OK) {
		return status;
	}
	memcpy(rnv_client_slot_data(client, slot, NULL), padded, sizeof(padded));
	message.offset = slot_offset(client, slot);
	message.bytes = RNV_IPC_NAME;
	return ask(client, slot, &message, done, context);
}

int rnv_client_submit(struct rnv_client *client, uint32_t slot, const struct rnv_client_job *job,
		      uint32_t *id)
{
	struct rnv_message message = {.type = RNV_IPC_SUBMIT};
	int status;

	if (job == NULL || job->done == NULL) {
		return RNV_EINVAL;
	}
	status = check_slot(client, slot);
	if (status == RNV_OK && job->bytes > client->layout.slot_bytes) {
		status = RNV_EINVAL;
	}
	if (status != RNV_OK) {
		return status;
	}
	message.offset = slot_offset(client, slot);
	message.bytes = job->bytes;
	message.args[0] = job->model;
	message.args[1] = job->entry | (uint32_t)job->lane << 16 | (uint32_t)job->flags << 24;
	message.args[2] = job->deadline_us;
	status = ask(client, slot, &message, job->done, job->context);
	if (status == RNV_OK && id != NULL) {
		*id = message.id;
	}
	return status;
}

int rnv_client_cancel(struct rnv_client *client, uint32_t id)
{
	struct rnv_message message = {.type = RNV_IPC_CANCEL, .args = {id}};
	uint32_t record = id & RECORD_MASK;

	/* When the bond is over all is, although some of it has not been told yet. */
	if (client->state != RNV_CLIENT_BONDED || id == 0u || record > RECORD_STATUS ||
	    client->under_way[record].id != id) {
		return RNV_ENOENT;
	}
	return send(client, RECORD_NONE, &message);
}

int rnv_client_status(struct rnv_client *client,
		      void (*done)(void *context, const struct rnv_client_result *result),
		      void *context)
{
	struct rnv_message message = {.type = RNV_IPC_STATUS};

	if (done == NULL) {
		return RNV_EINVAL;
	}
	if (client->state != RNV_CLIENT_BONDED) {
		return RNV_ESTATE;
	}
	if (client->under_way[RECORD_STATUS].id != 0u) {
		return RNV_EBUSY;
	}
	return ask(client, RECORD_STATUS, &message, done, context);
}

/* --- looking --- */

void rnv_client_stats_get(const struct rnv_client *client, struct rnv_client_stats *stats)
{
	*stats = client->stats;
}

uint32_t rnv_client_park_asked(const struct rnv_client *client)
{
	const struct rnv_region *region = region_of(client);

	return rnv_shared_load(&region->header.magic) == RNV_IPC_MAGIC
		       ? rnv_shared_load(&region->server.park)
		       : 0u;
}
