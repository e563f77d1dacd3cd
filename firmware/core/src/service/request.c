/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * A client's requests. A message is a private copy already, and believed no more than that it came;
 * of the slots, the name of a look-up is read here, once. What kernels read there are tensors, and
 * any value of those is one that a model must bear.
 */

#include <string.h>

#include "ranvier/package.h"
#include "service/internal.h"

#define NO_SLOT UINT32_MAX

_Static_assert(sizeof(struct rnv_ipc_model) == 96, "SPEC.md has its bytes");
_Static_assert(RNV_IPC_MAX_TENSORS == RNV_LAYOUT_TENSORS, "a look-up gives a layout's sizes");
_Static_assert(RNV_IPC_ALIGN == RNV_PACKED_ALIGN, "slots are blocks of RNV_JOB_PACKED");
_Static_assert(RNV_IPC_LINE % RNV_PACKED_ALIGN == 0, "slots are aligned as those");
_Static_assert(RNV_IPC_NAME == RNV_NAME_BYTES, "a slot has room for a model's name");

/* The slot that a message means: one that exists, all of it, and without a job; else NO_SLOT. */
static uint32_t slot_of(const struct rnv_service *service, const struct rnv_message *message)
{
	const struct rnv_ipc_layout *layout = &service->config.layout;
	uint32_t at = message->offset - service->slots_offset;
	uint32_t slot = at / layout->slot_bytes;

	if (slot >= layout->slots || slot * layout->slot_bytes != at ||
	    message->bytes > layout->slot_bytes) {
		return NO_SLOT;
	}
	return slot;
}

static void *slot_data(const struct rnv_service *service, uint32_t slot)
{
	return (uint8_t *)service->config.region + service->slots_offset +
	       slot * service->config.layout.slot_bytes;
}

/* In any context that completes jobs. Once the state is stored, the service may be gone. */
static void on_done(void *context, const struct rnv_job_result *result)
{
	struct rnv_service_job *job = context;
	void (*wake)(void *context) = job->service->config.wake;
	void *wake_context = job->service->config.context;

	job->result = *result;
	rnv_shared_store(&job->state, RNV_SERVICE_ENDED);
	wake(wake_context);
}

/* Why a submit is refused before the scheduler sees it, or RNV_OK. */
static int check_submit(const struct rnv_service *service, uint32_t slot, uint32_t lane,
			uint32_t flags)
{
	if (slot == NO_SLOT || (flags & ~(uint32_t)RNV_IPC_JOB_FLAGS) != 0u) {
		return RNV_EINVAL;
	}
	if (rnv_shared_load(&service->config.jobs[slot].state) != RNV_SERVICE_FREE) {
		return RNV_EBUSY;
	}
	if (lane >= RNV_SCHED_MAX_LANES || (service->config.lanes >> lane & 1u) == 0u) {
		return RNV_EACCES;
	}
	return service->stats.jobs < service->config.max_jobs ? RNV_OK : RNV_EAGAIN;
}

static int submit(struct rnv_service *service, const struct rnv_message *message, uint64_t now_us)
{
	uint32_t slot = slot_of(service, message);
	uint32_t lane = message->args[1] >> 16 & 0xFFu;
	uint32_t flags = message->args[1] >> 24;
	int status = check_submit(service, slot, lane, flags);
	struct rnv_service_job *job;
	struct rnv_buffer block;

	if (status != RNV_OK) {
		return status;
	}
	job = &service->config.jobs[slot];
	job->id = message->id;
	job->accept_us = now_us;
	job->state = RNV_SERVICE_RUNNING; /* it may end before rnv_job_submit() does */
	block = (struct rnv_buffer){slot_data(service, slot), message->bytes};
	status = rnv_job_submit(service->config.sched,
				&(struct rnv_job_request){
					.model = message->args[0],
					.entry = (uint16_t)message->args[1],
					.lane = (uint8_t)lane,
					.flags = (uint8_t)(flags | RNV_JOB_PACKED),
					.deadline_us = message->args[2] == RNV_IPC_NO_DEADLINE
							       ? RNV_NEVER
							       : now_us + message->args[2],
					.buffers = &block,
					.buffer_count = 1,
					.done = on_done,
					.context = job,
				},
				&job->handle);
	if (status != RNV_OK) {
		job->state = RNV_SERVICE_FREE;
		return status;
	}
	service->stats.jobs++;
	if (service->stats.jobs > service->stats.most_jobs) {
		service->stats.most_jobs = service->stats.jobs;
	}
	return RNV_OK;
}

/* The model whose name is in a slot. */
static uint32_t find(const struct rnv_service *service, const uint32_t *shared)
{
	uint32_t name[RNV_IPC_NAME / 4 + 1];

	for (uint32_t i = 0; i < RNV_IPC_NAME / 4; i++) {
		name[i] = rnv_shared_load(&shared[i]);
	}
	name[RNV_IPC_NAME / 4] = 0; /* whatever was there, it ends */
	return rnv_model_find(service->config.sched, (const char *)name);
}

/* By its name in a slot, described in the same. */
static int look_up(const struct rnv_service *service, const struct rnv_message *message)
{
	uint32_t slot = slot_of(service, message);
	struct rnv_model_layout layout;
	struct rnv_ipc_model found;
	uint32_t model;
	int status;

	if (slot == NO_SLOT) {
		return RNV_EINVAL;
	}
	if (rnv_shared_load(&service->config.jobs[slot].state) != RNV_SERVICE_FREE) {
		return RNV_EBUSY;
	}
	model = find(service, slot_data(service, slot));
	if (model == RNV_NO_HANDLE) {
		return RNV_ENOENT;
	}
	status = rnv_model_layout(service->config.sched, model, message->args[0], &layout);
	if (status != RNV_OK) {
		return status == RNV_EOVERFLOW ? RNV_ENOSPC : status;
	}
	if (layout.bytes > service->config.layout.slot_bytes ||
	    (uint32_t)layout.inputs + layout.outputs > RNV_IPC_MAX_TENSORS) {
		return RNV_ENOSPC;
	}
	found = (struct rnv_ipc_model){.model = model,
				       .lanes = layout.lanes & service->config.lanes,
				       .bytes = layout.bytes,
				       .inputs = layout.inputs,
				       .outputs = layout.outputs};
	memcpy(found.tensor_bytes, layout.tensor_bytes, sizeof(found.tensor_bytes));
	memcpy(slot_data(service, slot), &found, sizeof(found));
	return RNV_OK;
}

/* Its answer is that of the request that is cancelled. */
static void cancel(const struct rnv_service *service, uint32_t id)
{
	for (uint32_t i = 0; i < service->config.layout.slots; i++) {
		struct rnv_service_job *job = &service->config.jobs[i];

		if (rnv_shared_load(&job->state) == RNV_SERVICE_RUNNING && job->id == id) {
			(void)rnv_job_cancel(service->config.sched, job->handle);
		}
	}
}

static void set_args(struct rnv_message *message, uint32_t a, uint32_t b, uint32_t c)
{
	message->args[0] = a;
	message->args[1] = b;
	message->args[2] = c;
}

bool rnv_service_handle(struct rnv_service *service, struct rnv_message *message, uint64_t now_us)
{
	int status = RNV_EINVAL;

	switch (message->type) {
	case RNV_IPC_STATUS:
		set_args(message, service->stats.jobs, service->stats.completed,
			 service->stats.refused);
		message->status = RNV_OK;
		return true;
	case RNV_IPC_LOOKUP:
		status = look_up(service, message);
		break;
	case RNV_IPC_SUBMIT:
		status = submit(service, message, now_us);
		if (status == RNV_OK) {
			return false;
		}
		break;
	case RNV_IPC_CANCEL:
		cancel(service, message->args[0]);
		return false;
	default:
		break;
	}
	service->stats.refused += status != RNV_OK;
	set_args(message, 0, 0, 0);
	message->status = (int16_t)status;
	return true;
}

/* From acceptance to a moment, which may be RNV_NEVER. */
static uint32_t since(uint64_t accept_us, uint64_t end_us)
{
	uint64_t us = end_us - accept_us;

	return us < UINT32_MAX ? (uint32_t)us : UINT32_MAX;
}

void rnv_service_answer(const struct rnv_service *service, uint32_t slot,
			struct rnv_message *message)
{
	const struct rnv_service_job *job = &service->config.jobs[slot];

	message->id = job->id;
	message->epoch = service->client_epoch;
	message->type = RNV_IPC_SUBMIT;
	message->status = (int16_t)job->result.status;
	set_args(message, since(job->accept_us, job->result.start_us),
		 since(job->accept_us, job->result.end_us), job->result.missed);
}

void rnv_service_let_go(struct rnv_service *service, uint32_t slot)
{
	struct rnv_service_job *job = &service->config.jobs[slot];

	if (job->result.status == RNV_OK) {
		service->stats.completed++;
	} else {
		service->stats.failed++;
	}
	service->stats.jobs--;
	job->state = RNV_SERVICE_FREE;
}
