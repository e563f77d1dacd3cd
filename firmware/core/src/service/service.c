/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The bond with a client, and what is exchanged in it. What it asks for: request.c. */

#include <stddef.h>

#include "service/internal.h"

static bool config_is_valid(const struct rnv_service_config *config)
{
	return config->sched != NULL && config->region != NULL && config->jobs != NULL &&
	       config->wake != NULL && rnv_ipc_bytes(&config->layout) != 0u &&
	       config->max_jobs >= 1u && config->max_jobs <= config->layout.slots;
}

int rnv_service_init(struct rnv_service *service, const struct rnv_service_config *config,
		     uint64_t now_us)
{
	struct rnv_region *region;

	if (service == NULL || config == NULL || !config_is_valid(config)) {
		return RNV_EINVAL;
	}
	if (((uintptr_t)config->region & (RNV_IPC_LINE - 1u)) != 0u) {
		return RNV_EALIGN;
	}
	region = config->region;
	for (uint32_t i = 0; i < config->layout.slots; i++) {
		config->jobs[i] = (struct rnv_service_job){.service = service};
	}
	*service = (struct rnv_service){
		.config = *config,
		.heard_us = now_us,
		.ignored_epoch = rnv_shared_load(&region->client.epoch),
		.slots_offset = rnv_region_slots_offset(config->layout.entries),
	};
	rnv_shared_store(&region->server.park, 0); /* of a server before: nothing is written now */
	service->epoch = rnv_region_format(region, &config->layout, config->beat_us);
	service->ring = 1; /* for who waits for a server */
	return RNV_OK;
}

/* --- the bond --- */

/* The bond is over: its jobs are to let go of the slots, which the client sees have no server. */
static void end_bond(struct rnv_service *service)
{
	rnv_shared_store(&rnv_service_region(service)->server.accept, 0);
	service->ignored_epoch = service->client_epoch;
	service->client_epoch = 0;
	service->holding = 0;
	service->ring = 1;
	service->stats.bonded = 0;
	service->ending = RNV_SERVICE_ENDING;
	for (uint32_t i = 0; i < service->config.layout.slots; i++) {
		struct rnv_service_job *job = &service->config.jobs[i];

		if (rnv_shared_load(&job->state) == RNV_SERVICE_RUNNING) {
			(void)rnv_job_cancel(service->config.sched, job->handle);
		}
	}
}

/* An index of the client's is impossible: spoilt, unless the client has just started anew. */
static void break_bond(struct rnv_service *service)
{
	if (rnv_shared_load(&rnv_service_region(service)->client.epoch) == service->client_epoch) {
		service->stats.broken++;
	}
	end_bond(service);
}

/* Drop what has ended since the bond has: true if no job is left. */
static bool drop_ended(struct rnv_service *service)
{
	for (uint32_t i = 0; i < service->config.layout.slots; i++) {
		if (rnv_shared_load(&service->config.jobs[i].state) == RNV_SERVICE_ENDED) {
			rnv_service_let_go(service, i);
		}
	}
	return service->stats.jobs == 0u;
}

/*
 * The epoch of a client that says hello to this server, and is not that of the present bond or the
 * last one; else 0. The client stores its epoch first.
 */
static uint32_t hello(const struct rnv_service *service)
{
	const struct rnv_region *region = rnv_service_region(service);
	uint32_t epoch;

	if (rnv_shared_load(&region->client.hello) != service->epoch) {
		return 0;
	}
	epoch = rnv_shared_load(&region->client.epoch);
	return epoch == service->client_epoch || epoch == service->ignored_epoch ? 0u : epoch;
}

/* No job is left of the bond before. Both rings are empty, for both sides, before the client sees
 * that it is accepted: it leaves its indices alone from its hello until then. */
static void accept(struct rnv_service *service, uint32_t epoch, uint64_t now_us)
{
	struct rnv_region *region = rnv_service_region(service);
	uint32_t entries = service->config.layout.entries;

	(void)rnv_ring_init(&service->requests, region->request_server, region->request_client,
			    rnv_region_requests(region), entries);
	(void)rnv_ring_init(&service->responses, region->response_server, region->response_client,
			    rnv_region_responses(region, entries), entries);
	service->client_epoch = epoch;
	service->client_beat = rnv_shared_load(&region->client.beat);
	service->heard_us = now_us;
	service->stats.bonds++;
	service->stats.bonded = 1;
	service->ring = 1;
	rnv_shared_store(&region->server.accept, epoch);
}

/* Nobody is bonded: the header is what a client reads next. Where it was spoilt, it is made anew.
 */
static void mend(struct rnv_service *service)
{
	struct rnv_region *region = rnv_service_region(service);
	const struct rnv_service_config *config = &service->config;
	struct rnv_region_header header;

	if (rnv_region_read(region, rnv_ipc_bytes(&config->layout), &header) &&
	    header.epoch == service->epoch) {
		return;
	}
	service->ignored_epoch = rnv_shared_load(&region->client.epoch);
	service->epoch = rnv_region_format(region, &config->layout, config->beat_us);
	service->ring = 1;
}

/* The client's heart: true as long as it beats. */
static bool is_alive(struct rnv_service *service, uint64_t now_us)
{
	uint32_t beat = rnv_shared_load(&rnv_service_region(service)->client.beat);

	if (beat != service->client_beat) {
		service->client_beat = beat;
		service->heard_us = now_us;
	}
	return service->config.dead_us == 0u ||
	       now_us - service->heard_us < service->config.dead_us;
}

/* True if there is a bond now, and no job of another. */
static bool is_bonded(struct rnv_service *service, uint64_t now_us)
{
	uint32_t epoch = hello(service);

	if (service->client_epoch != 0u) {
		if (epoch == 0u && is_alive(service, now_us)) {
			return true;
		}
		service->stats.dead += epoch == 0u;
		end_bond(service);
	}
	if (service->ending != RNV_SERVICE_SERVING) {
		if (!drop_ended(service)) {
			return false;
		}
		service->ending = RNV_SERVICE_SERVING;
	}
	if (epoch == 0u) {
		mend(service);
		return false;
	}
	accept(service, epoch, now_us);
	return true;
}

/* --- messages --- */

/* Send the held answer: as rnv_ring_push(). */
static int send(struct rnv_service *service)
{
	int status = rnv_ring_push(&service->responses, &service->answer);

	service->holding = status == RNV_EAGAIN;
	service->ring |= status == RNV_OK;
	return status;
}

/* Send what is held, and the answers of jobs that have ended: RNV_OK if all are sent. */
static int send_answers(struct rnv_service *service)
{
	int status = service->holding != 0u ? send(service) : RNV_OK;

	if (service->stats.jobs == 0u) {
		return status;
	}
	for (uint32_t i = 0; i < service->config.layout.slots && status == RNV_OK; i++) {
		if (rnv_shared_load(&service->config.jobs[i].state) == RNV_SERVICE_ENDED) {
			rnv_service_answer(service, i, &service->answer);
			rnv_service_let_go(service, i);
			status = send(service);
		}
	}
	return status;
}

/*
 * Take requests, at most as many as the ring has entries. RNV_OK: that many; RNV_EAGAIN: there is
 * no more, or no room for an answer.
 */
static int take_requests(struct rnv_service *service, uint64_t now_us)
{
	struct rnv_message *message = &service->answer;
	int status = RNV_OK;

	for (uint32_t i = 0; i < service->config.layout.entries && status == RNV_OK; i++) {
		status = rnv_ring_pop(&service->requests, message);
		if (status != RNV_OK) {
			break;
		}
		if (message->epoch != service->client_epoch) {
			service->stats.foreign++;
			continue;
		}
		service->stats.requests++;
		if (rnv_service_handle(service, message, now_us)) {
			status = send(service);
		}
	}
	return status;
}

static int exchange(struct rnv_service *service, uint64_t now_us)
{
	int status = send_answers(service);

	if (status == RNV_EAGAIN) {
		service->stats.held++;
		return 0;
	}
	if (status == RNV_OK) {
		status = take_requests(service, now_us);
	}
	if (status == RNV_EBADMSG) {
		break_bond(service);
	}
	return status == RNV_OK;
}

int rnv_service_poll(struct rnv_service *service, uint64_t now_us)
{
	int more = 0;

	if (service->ending == RNV_SERVICE_OVER) {
		return 0;
	}
	rnv_shared_store(&rnv_service_region(service)->server.beat, ++service->beat);
	if (is_bonded(service, now_us)) {
		more = exchange(service, now_us);
	}
	if (service->ring != 0u && service->config.doorbell != NULL) {
		service->ring = 0;
		service->config.doorbell(service->config.context);
	}
	return more;
}

int rnv_service_end(struct rnv_service *service)
{
	if (service->ending != RNV_SERVICE_OVER) {
		end_bond(service);
		service->ending = RNV_SERVICE_OVER;
		rnv_region_clear(rnv_service_region(service));
		if (service->config.doorbell != NULL) {
			service->config.doorbell(service->config.context);
		}
	}
	return drop_ended(service) ? RNV_OK : RNV_EAGAIN;
}

void rnv_service_stats_get(const struct rnv_service *service, struct rnv_service_stats *stats)
{
	*stats = service->stats;
}
