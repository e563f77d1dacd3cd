/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What a server tells of itself and its models. */

#include "server_internal.h"

void rnv_server_info_get(struct rnv_server *server, struct rnv_server_info *info)
{
	const struct rnv_store_config *store = &server->config.store->config;

	rnv_server_lock(server);
	memset(info, 0, sizeof(*info));
	rnv_store_stats_get(server->config.store, &info->store);
	info->keys = store->keys;
	info->key_count = store->key_count;
	info->model_count = server->config.model_count;
	info->isa_fast = server->config.isa_fast;
	info->io_bytes = server->config.io_bytes;
	info->unsigned_allowed = (store->flags & RNV_STORE_ALLOW_UNSIGNED) != 0u;
	info->patches = server->ota.patch != NULL;
	rnv_server_unlock(server);
}

int rnv_server_find(const struct rnv_server *server, const char *name, uint32_t bytes)
{
	const struct rnv_store_layout *layout = server->config.store->config.layout;

	for (uint32_t i = 0; i < server->config.model_count; i++) { /* reads constants only */
		if (strlen(layout[i].name) == bytes && memcmp(layout[i].name, name, bytes) == 0) {
			return (int)i;
		}
	}
	return RNV_ENOENT;
}

uint32_t rnv_server_handle(struct rnv_server *server, uint32_t model)
{
	uint32_t handle = RNV_NO_HANDLE;

	rnv_server_lock(server);
	if (rnv_server_running(server, model) != NULL) {
		handle = server->config.models[model].handle;
	}
	rnv_server_unlock(server);
	return handle;
}

/* What a slot's header and trailer say; they may say anything. */
static void describe_package(struct rnv_server *server, uint32_t model, uint32_t slot,
			     struct rnv_server_slot *out)
{
	const struct rnv_store *store = server->config.store;
	struct rnv_header header;
	struct rnv_trailer trailer;

	if (rnv_store_read(store, model, slot, 0, &header, sizeof(header)) != RNV_OK ||
	    header.magic != RNV_PACKAGE_MAGIC ||
	    header.total_bytes < RNV_HEADER_BYTES + RNV_TRAILER_BYTES ||
	    rnv_store_read(store, model, slot, header.total_bytes - RNV_TRAILER_BYTES, &trailer,
			   sizeof(trailer)) != RNV_OK) {
		return;
	}
	out->bytes = header.total_bytes;
	out->security_version = header.security_version;
	memcpy(out->version, header.version, sizeof(out->version));
	out->key = trailer.key_id;
	out->crc = trailer.crc32;
}

static void describe_slot(struct rnv_server *server, uint32_t model, uint32_t slot,
			  struct rnv_server_model_info *info)
{
	struct rnv_server_slot *out = &info->slots[slot];

	out->state = info->store.slot[slot];
	out->fills = info->store.fills[slot];
	if (out->state != RNV_SLOT_EMPTY && out->state != RNV_SLOT_FILLING) {
		describe_package(server, model, slot, out);
	}
}

static void describe_running(struct rnv_server *server, uint32_t model,
			     struct rnv_server_model_info *info)
{
	const struct rnv_server_model *served = &server->config.models[model];
	struct rnv_model_info running;

	info->running = served->slot;
	info->handle = served->handle;
	info->changing =
		served->changed != 0u || (server->load.state != 0u && server->load.model == model);
	info->kept = served->kept;
	info->error = served->error;
	info->diag = served->diag;
	if (rnv_model_info_get(server->config.sched, served->handle, &running) == RNV_OK) {
		info->lanes = running.lanes;
		info->jobs = running.jobs;
		info->completed = running.completed;
		info->failed = running.failed;
	}
}

int rnv_server_model_get(struct rnv_server *server, uint32_t model,
			 struct rnv_server_model_info *info)
{
	int status;

	memset(info, 0, sizeof(*info));
	rnv_server_lock(server);
	status = rnv_store_info_get(server->config.store, model, &info->store);
	if (status == RNV_OK) {
		for (uint32_t slot = 0; slot < 2u; slot++) {
			describe_slot(server, model, slot, info);
		}
		describe_running(server, model, info);
	}
	rnv_server_unlock(server);
	return status;
}

int rnv_server_steps_get(struct rnv_server *server, uint32_t model, uint32_t first, uint16_t *codes,
			 uint32_t room, uint32_t *count)
{
	struct rnv_sched *sched = server->config.sched;
	uint32_t steps = 0;
	uint32_t handle;
	int op;

	*count = 0;
	rnv_server_lock(server);
	handle = (rnv_server_running(server, model) != NULL) ? server->config.models[model].handle
							     : RNV_NO_HANDLE;
	while ((op = rnv_model_step_op(sched, handle, steps)) >= 0) {
		if (steps >= first && *count < room) {
			codes[(*count)++] = (uint16_t)op;
		}
		steps++;
	}
	rnv_server_unlock(server);
	return (steps != 0u) ? (int)steps : RNV_ENOENT;
}
