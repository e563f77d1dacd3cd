/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The server's life, and the requests that are the update engine's. */

#include "server_internal.h"

#define WAIT_US 2000u   /* until jobs or flash are looked at again */
#define IDLE_US 500000u /* until time-outs are */

void rnv_server_lock(const struct rnv_server *server)
{
	if (server->config.lock != NULL) {
		server->config.lock(server->config.context);
	}
}

void rnv_server_unlock(const struct rnv_server *server)
{
	if (server->config.unlock != NULL) {
		server->config.unlock(server->config.context);
	}
}

void rnv_server_unlock_wake(const struct rnv_server *server)
{
	if (server->config.wake != NULL) {
		server->config.wake(server->config.context);
	}
	rnv_server_unlock(server);
}

const struct rnv_store_view *rnv_server_running(const struct rnv_server *server, uint32_t model)
{
	const struct rnv_server_config *config = &server->config;

	return (model < config->model_count && config->models[model].slot != RNV_STORE_NO_SLOT)
		       ? &config->models[model].view
		       : NULL;
}

/* --- hooks of the update engine: the lock is held --------------------------------------------- */

static bool has_ops(const struct rnv_header *header)
{
	uint8_t ops[RNV_OPSET_BYTES];
	uint32_t missing = 0;

	rnv_opset_get(ops);
	for (uint32_t i = 0; i < RNV_OPSET_BYTES; i++) {
		missing |= header->opset[i] & (uint32_t)~ops[i];
	}
	return missing == 0u;
}

/* Packings that are executed at all: what is MVE's reads portable streams. */
static bool has_isa(const struct rnv_server *server, const struct rnv_header *header,
		    uint32_t flags)
{
	if (header->isa > RNV_ISA_BASE || header->isa == RNV_ISA_MVE) {
		return false;
	}
	return (server->config.isa_fast & (1u << header->isa)) != 0u ||
	       (flags & RNV_OTA_ALLOW_SLOW) != 0u;
}

static int admit(void *context, uint32_t model, const struct rnv_header *header, uint32_t flags)
{
	const struct rnv_server *server = context;
	const struct rnv_server_place *place = &server->config.places[model];
	const struct rnv_model_config config = {
		.lanes = place->lanes, .state = place->state, .state_bytes = place->state_bytes};
	struct rnv_diag diag;

	if (!has_isa(server, header, flags) || !has_ops(header)) {
		return RNV_ENOTSUP;
	}
	if (rnv_server_io_bytes(header) > server->config.io_bytes ||
	    rnv_model_fits(server->config.sched, header, &config, &diag) != RNV_OK) {
		return RNV_ENOMEM;
	}
	return RNV_OK;
}

static void changed(void *context, uint32_t model)
{
	const struct rnv_server *server = context;

	server->config.models[model].changed = 1;
}

static void session(void *context, uint32_t active)
{
	const struct rnv_server *server = context;

	if (server->config.session != NULL) {
		server->config.session(server->config.context, active);
	}
}

/* --- life ------------------------------------------------------------------------------------- */

static bool is_aligned(const void *data)
{
	return (uintptr_t)data % RNV_PACKAGE_ALIGN == 0u;
}

static int check(const struct rnv_server_config *config, uint32_t lane_count)
{
	if (config->model_count != config->store->config.model_count) {
		return RNV_EINVAL;
	}
	for (uint32_t i = 0; i < config->model_count; i++) {
		uint32_t lanes = config->places[i].lanes;

		if (lanes == 0u || (lanes >> lane_count) != 0u) {
			return RNV_EINVAL;
		}
		if (!is_aligned(config->places[i].state)) {
			return RNV_EALIGN;
		}
	}
	return is_aligned(config->io) ? RNV_OK : RNV_EALIGN;
}

int rnv_server_init(struct rnv_server *server, const struct rnv_server_config *config)
{
	struct rnv_ota_hooks hooks = {.admit = admit,
				      .test = rnv_test_hook,
				      .changed = changed,
				      .session = session,
				      .context = server};
	struct rnv_lane_stats stats;
	uint16_t lane_count = 0;
	int status;

	if (server == NULL || config == NULL || config->sched == NULL || config->store == NULL ||
	    config->places == NULL || config->models == NULL || config->drain_us == 0u) {
		return RNV_EINVAL;
	}
	while (rnv_lane_stats_get(config->sched, lane_count, &stats) == RNV_OK) {
		lane_count++;
	}
	status = check(config, lane_count);
	if (status != RNV_OK) {
		return status;
	}
	memset(server, 0, sizeof(*server));
	memset(config->models, 0, config->model_count * sizeof(config->models[0]));
	server->config = *config;
	server->lane_count = lane_count;
	for (uint32_t i = 0; i < config->model_count; i++) {
		config->models[i].slot = RNV_STORE_NO_SLOT;
		config->models[i].changed = 1;
	}
	return rnv_ota_init(&server->ota, config->store, &hooks, config->idle_us);
}

int rnv_server_boot(struct rnv_server *server)
{
	int open = 0;

	rnv_server_lock(server);
	while (rnv_load_poll(server) == RNV_WORK_MORE) {
	}
	for (uint32_t i = 0; i < server->config.model_count; i++) {
		open += (rnv_server_running(server, i) != NULL) ? 1 : 0;
	}
	rnv_server_unlock(server);
	return open;
}

/* The engine's piece of work. It waits where its test does, or the flash is refused. */
static enum rnv_work poll_ota(struct rnv_server *server)
{
	const struct rnv_store *store = server->config.store;
	uint32_t refusals = rnv_store_refusals(store);

	server->test.waiting = 0;
	if (rnv_load_verifies(server) || rnv_ota_poll(&server->ota, rnv_now_us()) == 0) {
		return RNV_WORK_NONE;
	}
	return (server->test.waiting != 0u || rnv_store_refusals(store) != refusals)
		       ? RNV_WORK_WAIT
		       : RNV_WORK_MORE;
}

uint32_t rnv_server_poll(struct rnv_server *server)
{
	static const uint32_t delay_us[] = {
		[RNV_WORK_NONE] = IDLE_US, [RNV_WORK_WAIT] = WAIT_US, [RNV_WORK_MORE] = 0};
	enum rnv_work most;
	enum rnv_work work;

	rnv_server_lock(server);
	most = poll_ota(server);
	work = rnv_load_poll(server);
	most = (work > most) ? work : most;
	work = rnv_test_poll(server);
	most = (work > most) ? work : most;
	rnv_run_poll(server);
	rnv_server_unlock(server);
	return delay_us[most];
}

/* --- requests --------------------------------------------------------------------------------- */

int rnv_server_upload_begin(struct rnv_server *server, const struct rnv_ota_request *request,
			    uint32_t *offset)
{
	int status;

	rnv_server_lock(server);
	status = rnv_ota_begin(&server->ota, request, rnv_now_us(), offset);
	rnv_server_unlock_wake(server);
	return status;
}

int rnv_server_upload_chunk(struct rnv_server *server, const void *sha, uint32_t at,
			    const void *data, uint32_t bytes, uint32_t crc, uint32_t *offset)
{
	struct rnv_ota_status update;
	int status = RNV_ESTATE;

	rnv_server_lock(server);
	rnv_ota_status_get(&server->ota, &update);
	if (sha == NULL || memcmp(sha, update.sha256, RNV_SERVER_SHA_BYTES) == 0) {
		status = rnv_ota_chunk(&server->ota, at, data, bytes, crc, rnv_now_us(), offset);
	}
	rnv_server_unlock_wake(server);
	return status;
}

void rnv_server_update_get(struct rnv_server *server, struct rnv_ota_status *status)
{
	rnv_server_lock(server);
	rnv_ota_status_get(&server->ota, status);
	rnv_server_unlock(server);
}

int rnv_server_activate(struct rnv_server *server, uint32_t model, uint32_t permanent)
{
	int status;

	rnv_server_lock(server);
	status = rnv_ota_activate(&server->ota, model, permanent);
	rnv_server_unlock_wake(server);
	return status;
}

int rnv_server_confirm(struct rnv_server *server, uint32_t model)
{
	const struct rnv_store_view *view;
	struct rnv_store_info info;
	int status;

	rnv_server_lock(server);
	status = rnv_store_info_get(server->config.store, model, &info);
	view = (status == RNV_OK) ? rnv_server_running(server, model) : NULL;
	if (status == RNV_OK && (info.trial != RNV_TRIAL_TRYING || view == NULL ||
				 info.trial_slot != server->config.models[model].slot)) {
		status = RNV_ESTATE;
	}
	if (status == RNV_OK) {
		const struct rnv_header *header = view->data;

		status = rnv_ota_confirm(&server->ota, model, header->security_version);
	}
	rnv_server_unlock(server);
	return status;
}

int rnv_server_rollback(struct rnv_server *server, uint32_t model)
{
	int status;

	rnv_server_lock(server);
	status = rnv_ota_rollback(&server->ota, model);
	rnv_server_unlock_wake(server);
	return status;
}

int rnv_server_erase(struct rnv_server *server, uint32_t model, uint32_t slot)
{
	int status;

	rnv_server_lock(server);
	status = rnv_ota_erase(&server->ota, model, slot);
	rnv_server_unlock_wake(server);
	return status;
}

int rnv_server_abort(struct rnv_server *server)
{
	int status;

	rnv_server_lock(server);
	status = rnv_ota_abort(&server->ota);
	rnv_server_unlock_wake(server);
	return status;
}

int rnv_server_revoke(struct rnv_server *server, uint32_t key_id)
{
	int status;

	rnv_server_lock(server);
	status = rnv_store_revoke(server->config.store, key_id);
	rnv_server_unlock(server);
	return status;
}
