/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Models are chosen by the store, verified, opened, exchanged for what runs, and closed. */

#include "server_internal.h"

#define VERIFY_BYTES 4096u /* hashed at once */
#define MOST_ASKS    4u    /* the slot on trial, the confirmed one, the other one, and none */

/* rnv_server_load.state */
enum {
	LOAD_NONE,
	LOAD_CHOOSE, /* ask the store */
	LOAD_VERIFY,
	LOAD_DRAIN,  /* what runs comes to its end, and is exchanged */
	LOAD_CLOSE,  /* nothing may run any more: what runs comes to its end, and is closed */
	LOAD_REJECT, /* what was chosen cannot be loaded: the store is told, and asked again */
};

static int open_model(struct rnv_server *server, const struct rnv_model_config *config,
		      uint32_t *handle, struct rnv_diag *diag)
{
	const struct rnv_server_config *c = &server->config;

	return (c->open != NULL) ? c->open(c->context, config, handle, diag)
				 : rnv_model_open(c->sched, config, handle, diag);
}

static int swap_model(struct rnv_server *server, const struct rnv_model_config *config,
		      uint32_t *handle, uint32_t *kept, struct rnv_diag *diag)
{
	const struct rnv_server_config *c = &server->config;

	return (c->swap != NULL) ? c->swap(c->context, config, handle, kept, diag)
				 : rnv_model_swap(c->sched, config, handle, kept, diag);
}

static struct rnv_server_model *model_of(struct rnv_server *server)
{
	return &server->config.models[server->load.model];
}

/* It is over: what was chosen runs, or `error` says why not. */
static enum rnv_work end(struct rnv_server *server, int error)
{
	if (error != RNV_OK) {
		model_of(server)->error = error;
	}
	server->load.state = LOAD_NONE;
	return RNV_WORK_MORE;
}

/* What was chosen is at fault (and not memory that is short at the moment, or the flash). */
static enum rnv_work reject(struct rnv_server *server, int error)
{
	model_of(server)->error = error;
	server->load.state = LOAD_REJECT;
	return RNV_WORK_MORE;
}

static enum rnv_work choose(struct rnv_server *server)
{
	struct rnv_server_load *load = &server->load;
	struct rnv_server_model *model = model_of(server);
	struct rnv_ota_status ota;
	int slot;

	rnv_ota_status_get(&server->ota, &ota);
	if (ota.phase == RNV_OTA_VERIFYING) {
		return RNV_WORK_WAIT; /* one verification at a time */
	}
	if (load->asks >= MOST_ASKS) {
		return end(server, RNV_OK);
	}
	slot = rnv_store_boot(server->config.store, load->model);
	if (slot == RNV_EAGAIN) {
		return RNV_WORK_WAIT;
	}
	load->asks++;
	if (slot == RNV_ENOENT && model->slot != RNV_STORE_NO_SLOT) {
		load->since_us = rnv_now_us();
		load->state = LOAD_CLOSE;
		return RNV_WORK_MORE;
	}
	if (slot < 0) {
		return end(server, (model->error == RNV_OK) ? slot : RNV_OK);
	}
	load->slot = (uint8_t)slot;
	if (model->slot == load->slot) {
		return end(server, RNV_OK);
	}
	slot = rnv_store_verify_start(server->config.store, load->model, load->slot, &load->verify);
	if (slot != RNV_OK) {
		return end(server, slot);
	}
	load->state = LOAD_VERIFY;
	return RNV_WORK_MORE;
}

static enum rnv_work verify(struct rnv_server *server)
{
	struct rnv_server_load *load = &server->load;
	int status = rnv_store_verify_step(server->config.store, &load->verify, VERIFY_BYTES);

	if (status == RNV_EAGAIN) {
		return RNV_WORK_MORE;
	}
	if (status == RNV_OK) {
		status = rnv_store_view_open(server->config.store, &load->verify, &load->view);
	}
	if (status == RNV_OK) {
		load->since_us = rnv_now_us();
		load->state = LOAD_DRAIN;
		return RNV_WORK_MORE;
	}
	return (status == RNV_EBADMSG || status == RNV_EACCES) ? reject(server, status)
							       : end(server, status);
}

/* Open what was chosen, or exchange it for what runs. */
static int exchange(struct rnv_server *server)
{
	struct rnv_server_load *load = &server->load;
	struct rnv_server_model *model = model_of(server);
	const struct rnv_server_place *place = &server->config.places[load->model];
	const struct rnv_model_config config = {.data = load->view.data,
						.bytes = load->view.bytes,
						.lanes = place->lanes,
						.state = place->state,
						.state_bytes = place->state_bytes,
						.flags = place->flags};
	struct rnv_diag diag = {0};
	uint32_t kept = 0;
	int status = (model->handle == RNV_NO_HANDLE)
			     ? open_model(server, &config, &model->handle, &diag)
			     : swap_model(server, &config, &model->handle, &kept, &diag);

	if (status == RNV_OK) {
		rnv_store_view_close(server->config.store, &model->view);
		model->view = load->view;
		memset(&load->view, 0, sizeof(load->view)); /* it is the model's now */
		model->slot = load->slot;
		model->kept = (uint8_t)kept;
	} else {
		model->diag = diag;
	}
	return status;
}

/* Whether what runs has come to its end. */
static int drain(struct rnv_server *server, uint64_t waited_us)
{
	struct rnv_server_model *model = model_of(server);
	int status = rnv_test_give_up(server, server->load.model);

	if (status == RNV_EAGAIN || model->handle == RNV_NO_HANDLE) {
		return status;
	}
	status = rnv_model_drain(server->config.sched, model->handle,
				 (waited_us < server->config.drain_us) ? RNV_DRAIN_FINISH
								       : RNV_DRAIN_CANCEL);
	if (status == RNV_ENOENT) { /* the application has closed it */
		model->handle = RNV_NO_HANDLE;
		status = RNV_OK;
	}
	return status;
}

/* The old one goes on. */
static void undo(struct rnv_server *server)
{
	struct rnv_server_model *model = model_of(server);

	rnv_store_view_close(server->config.store, &server->load.view);
	if (model->handle != RNV_NO_HANDLE) {
		(void)rnv_model_undrain(server->config.sched, model->handle);
	}
}

static bool is_package_at_fault(int status)
{
	return status == RNV_EFORMAT || status == RNV_EBADMSG || status == RNV_ENOTSUP ||
	       status == RNV_ENOMEM || status == RNV_EINVAL || status == RNV_EALIGN;
}

/* Close what runs: nothing runs. */
static int close_model(struct rnv_server *server)
{
	struct rnv_server_model *model = model_of(server);
	int status = (model->handle == RNV_NO_HANDLE)
			     ? RNV_OK
			     : rnv_model_close(server->config.sched, model->handle);

	if (status != RNV_OK && status != RNV_ENOENT) { /* that: the application has closed it */
		return status;
	}
	rnv_store_view_close(server->config.store, &model->view);
	model->handle = RNV_NO_HANDLE;
	model->slot = RNV_STORE_NO_SLOT;
	model->kept = 0;
	model->error = (model->error == RNV_OK) ? RNV_ENOENT : model->error;
	return RNV_OK;
}

static enum rnv_work drain_and(struct rnv_server *server, int (*what)(struct rnv_server *))
{
	uint64_t waited_us = rnv_now_us() - server->load.since_us;
	int status = drain(server, waited_us);

	if (status == RNV_OK) {
		status = what(server);
	}
	if (status == RNV_OK) {
		return end(server, RNV_OK);
	}
	if (status == RNV_EAGAIN || status == RNV_EBUSY) { /* jobs, a claim, or no free slot */
		if (waited_us / 2u < server->config.drain_us) {
			return RNV_WORK_WAIT;
		}
		status = RNV_EBUSY;
	}
	undo(server);
	return is_package_at_fault(status) ? reject(server, status) : end(server, status);
}

/*
 * One that may not be loaded, for its key or its version, or cannot be opened here, has failed its
 * trial. Without a trial the first is passed over, until the next boot; the second, and one that is
 * damaged in any case, is bad.
 */
static enum rnv_work tell(struct rnv_server *server)
{
	struct rnv_store *store = server->config.store;
	struct rnv_server_load *load = &server->load;
	bool is_forbidden = model_of(server)->error == RNV_EACCES;
	struct rnv_store_info info;
	int status;

	(void)rnv_store_info_get(store, load->model, &info);
	if (info.trial != RNV_TRIAL_NONE && info.trial_slot == load->slot &&
	    (is_forbidden || load->verify.why == RNV_WHY_NONE)) {
		status = rnv_store_revert(store, load->model);
	} else if (is_forbidden) {
		status = rnv_store_pass_over(store, load->model, load->slot);
	} else {
		status = rnv_store_mark_bad(store, load->model, load->slot);
	}
	if (status == RNV_EAGAIN) {
		return RNV_WORK_WAIT;
	}
	if (status != RNV_OK) {
		return end(server, RNV_OK);
	}
	load->state = LOAD_CHOOSE;
	return RNV_WORK_MORE;
}

/* The next model that is to be loaded. */
static enum rnv_work begin(struct rnv_server *server)
{
	struct rnv_server_load *load = &server->load;

	for (uint32_t i = 0; i < server->config.model_count; i++) {
		struct rnv_server_model *model = &server->config.models[i];

		if (model->changed != 0u) {
			model->changed = 0;
			model->error = RNV_OK;
			memset(&model->diag, 0, sizeof(model->diag));
			load->model = i;
			load->asks = 0;
			load->state = LOAD_CHOOSE;
			return RNV_WORK_MORE;
		}
	}
	return RNV_WORK_NONE;
}

bool rnv_load_verifies(const struct rnv_server *server)
{
	return server->load.state == LOAD_VERIFY;
}

enum rnv_work rnv_load_poll(struct rnv_server *server)
{
	switch (server->load.state) {
	case LOAD_CHOOSE:
		return choose(server);
	case LOAD_VERIFY:
		return verify(server);
	case LOAD_DRAIN:
		return drain_and(server, exchange);
	case LOAD_CLOSE:
		return drain_and(server, close_model);
	case LOAD_REJECT:
		return tell(server);
	default:
		return begin(server);
	}
}
