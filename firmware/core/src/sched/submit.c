/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stddef.h>

#include "kernels/kernel.h"
#include "sched/internal.h"
#include "sched/queue.h"

#define KNOWN_FLAGS                                                                                \
	(RNV_JOB_FORGET | RNV_JOB_DROP_LATE | RNV_JOB_ATOMIC | RNV_JOB_NPU_WAIT |                  \
	 RNV_JOB_NPU_STRICT | RNV_JOB_NPU_NEVER | RNV_JOB_RESET | RNV_JOB_PACKED)

static bool flags_are_valid(const struct rnv_lane *lane, uint32_t flags)
{
	if ((flags & ~(uint32_t)KNOWN_FLAGS) != 0u ||
	    ((flags & RNV_JOB_ATOMIC) != 0u && (lane->flags & RNV_LANE_ATOMIC) == 0u)) {
		return false;
	}
	return (flags & RNV_JOB_NPU_NEVER) == 0u ||
	       (flags & (RNV_JOB_NPU_WAIT | RNV_JOB_NPU_STRICT)) == 0u;
}

/*
 * The lane takes one more job: it is not full, or drops its oldest one for it. While that one's
 * completion runs (`dropping`) the place is kept, and the lane drops no other: or a completion that
 * submits again would go on for ever.
 */
static bool has_room(const struct rnv_lane *lane)
{
	return lane->count < lane->room ||
	       (lane->overload == RNV_OVERLOAD_DROP_OLDEST && lane->dropping == 0u);
}

/* The oldest job of a full lane can give up its slot at once. */
static bool gives_slot(const struct rnv_lane *lane)
{
	const struct rnv_job *oldest = lane->oldest;

	return lane->count == lane->depth &&
	       (oldest->done != NULL || (oldest->flags & RNV_JOB_FORGET) != 0u);
}

/*
 * Keep the model, and take a slot; NULL: it has to come from a job that is dropped. Until the job
 * is queued, its model only counts it.
 */
static int reserve(struct rnv_sched *sched, struct rnv_lane *lane,
		   const struct rnv_job_request *request, struct rnv_job **job)
{
	uint32_t key = rnv_critical_enter();
	struct rnv_model *model = rnv_model_of(sched, request->model);
	struct rnv_job *slot = sched->free;
	int status = RNV_OK;

	*job = slot;
	if (model == NULL) {
		status = RNV_ENOENT;
	} else if (!rnv_model_admits(model, lane)) {
		status = RNV_ESTATE;
	} else if (request->entry >= model->pkg.entry_count) {
		status = RNV_EINVAL;
	} else if ((slot == NULL || lane->count >= lane->room) &&
		   (!has_room(lane) || (slot == NULL && !gives_slot(lane)))) {
		lane->stats.refused++;
		status = RNV_EAGAIN;
	} else {
		model->jobs++;
		if (slot != NULL) {
			sched->free = slot->newer;
		}
	}
	rnv_critical_exit(key);
	return status;
}

/* What reserve() took. A model that is drained may have waited for this. */
static void give_back(struct rnv_sched *sched, struct rnv_model *model, struct rnv_job *job)
{
	uint32_t key = rnv_critical_enter();
	bool tell;

	model->jobs--;
	tell = model->draining != 0u;
	if (job != NULL) {
		job->newer = sched->free;
		sched->free = job;
	}
	rnv_critical_exit(key);
	if (tell && sched->hooks->completed != NULL) {
		sched->hooks->completed(sched->hooks->wake_context, RNV_NO_HANDLE);
	}
}

/* Check `count` buffers for tensors of these numbers, and note them in `row`, if there is one. */
static int take_buffers(const struct rnv_tensor_rec *tensors, const uint16_t *numbers,
			const struct rnv_buffer *buffers, uint32_t count, void **row)
{
	for (; count != 0u; count--, buffers++) {
		const struct rnv_tensor_rec *rec = &tensors[*numbers++];
		void *data = buffers->data;

		if (rec->storage != RNV_STORAGE_EXTERNAL) {
			if (data != NULL) {
				return RNV_EINVAL;
			}
			continue;
		}
		if (data == NULL || buffers->bytes != rec->bytes) {
			return RNV_EINVAL;
		}
		if (((uintptr_t)data & 7u) != 0u &&
		    ((uintptr_t)data & (rnv_type_bytes(rec->type) - 1u)) != 0u) {
			return RNV_EALIGN;
		}
		if (row != NULL) {
			row[rec->offset] = data;
		}
	}
	return RNV_OK;
}

/* A request without buffers is one for an entry that has resident ones only. */
static int take_none(const struct rnv_package *pkg, const struct rnv_job_request *request)
{
	bool resident = (pkg->header->flags & RNV_FLAG_IO_MASK) == RNV_IO_RESIDENT;

	return (resident && request->buffer_count == 0u) ? RNV_OK : RNV_EINVAL;
}

/*
 * Place `count` tensors of these numbers in a block, behind its first `end` bytes, and note them in
 * `row`, if there is one. In 64 bits: a package's sizes may come to more than 32.
 */
static int place(const struct rnv_package *pkg, const uint16_t *numbers, uint32_t count,
		 const struct rnv_buffer *block, uint64_t *end, void **row)
{
	for (; count != 0u; count--) {
		const struct rnv_tensor_rec *rec = &pkg->tensors[*numbers++];
		uint64_t at = rnv_packed_at(*end);

		if (rec->storage != RNV_STORAGE_EXTERNAL) {
			continue;
		}
		*end = at + rec->bytes;
		if (*end > block->bytes) {
			return RNV_EINVAL;
		}
		if (row != NULL) {
			row[rec->offset] = (uint8_t *)block->data + at;
		}
	}
	return RNV_OK;
}

/* RNV_JOB_PACKED. */
static int take_block(const struct rnv_package *pkg, const struct rnv_job_request *request,
		      void **row)
{
	const struct rnv_entry_rec *entry = &pkg->entries[request->entry];
	const struct rnv_buffer *block = request->buffers;
	uint64_t end = 0;
	int status;

	if (block == NULL || request->buffer_count != 1u || block->data == NULL) {
		return RNV_EINVAL;
	}
	if (((uintptr_t)block->data & (RNV_PACKED_ALIGN - 1u)) != 0u) {
		return RNV_EALIGN;
	}
	status = place(pkg, pkg->operands + entry->input_first, entry->input_count, block, &end,
		       row);
	if (status == RNV_OK) {
		status = place(pkg, pkg->operands + entry->output_first, entry->output_count, block,
			       &end, row);
	}
	return status;
}

static int take(const struct rnv_package *pkg, const struct rnv_job_request *request, void **row)
{
	const struct rnv_entry_rec *entry = &pkg->entries[request->entry];
	uint32_t inputs = entry->input_count;
	uint32_t outputs = entry->output_count;
	const struct rnv_buffer *buffers = request->buffers;
	int status;

	if ((request->flags & RNV_JOB_PACKED) != 0u) {
		return take_block(pkg, request, row);
	}
	if (buffers == NULL) {
		return take_none(pkg, request);
	}
	if (request->buffer_count != inputs + outputs) {
		return RNV_EINVAL;
	}
	if (entry->output_first == entry->input_first + inputs) { /* as the compiler writes them */
		inputs += outputs;
		outputs = 0;
	}
	status = take_buffers(pkg->tensors, pkg->operands + entry->input_first, buffers, inputs,
			      row);
	if (status == RNV_OK && outputs != 0u) {
		status = take_buffers(pkg->tensors, pkg->operands + entry->output_first,
				      buffers + inputs, outputs, row);
	}
	return status;
}

static void fill(struct rnv_job *job, const struct rnv_job_request *request,
		 const struct rnv_model *model)
{
	job->deadline_us = request->deadline_us;
	job->start_us = RNV_NEVER;
	job->done = request->done;
	job->context = request->context;
	job->model = request->model;
	job->entry = request->entry;
	job->lane = request->lane;
	job->flags = request->flags;
	job->in_chain = model->state_bytes != 0u;
	job->blocked_us = 0;
	job->cancelled = 0;
	job->fallbacks = 0;
	job->preemptions = 0;
	job->submit_us = rnv_now_us();
}

/* The oldest job of a full lane, taken out of it. In a critical section. */
static struct rnv_job *take_oldest(struct rnv_sched *sched, struct rnv_lane *lane)
{
	struct rnv_job *oldest = lane->oldest;

	rnv_queue_remove(sched, lane, oldest);
	oldest->state = RNV_JOB_RUNNING; /* to others: not complete, out of the queue */
	lane->dropping = 1;
	lane->room--;
	return oldest;
}

/* The slot of the job that has been queued for longest in a full lane, or NULL. */
static struct rnv_job *steal(struct rnv_sched *sched, struct rnv_lane *lane)
{
	uint32_t key = rnv_critical_enter();
	struct rnv_job *victim = NULL;

	if (has_room(lane) && gives_slot(lane)) {
		victim = take_oldest(sched, lane);
	} else {
		lane->stats.refused++;
	}
	rnv_critical_exit(key);
	if (victim != NULL) {
		rnv_job_finish(sched, victim, RNV_ENOBUFS, true);
	}
	return victim;
}

/* The lane of a job that was just queued has work: true if its driver must be told. */
static bool make_ready(struct rnv_sched *sched, struct rnv_lane *lane, const struct rnv_job *job)
{
	uint32_t bit = lane->bit;

	if (lane->current != NULL || (sched->ready & bit) != 0u) {
		return false;
	}
	rnv_ready_set(sched, bit);
	if ((rnv_load(&sched->above) & bit) != 0u) {
		rnv_store(&sched->blocked, sched->blocked | bit);
		lane->ready_us = (uint32_t)job->submit_us;
	}
	return true;
}

/* Queue a job where there is a place: true if the driver of its lane must be told. */
static bool queue(struct rnv_sched *sched, struct rnv_lane *lane, struct rnv_model *model,
		  struct rnv_job *job)
{
	rnv_queue_push(lane, model, job);
	job->state = RNV_JOB_QUEUED;
	if (lane->count > lane->stats.most_queued) {
		lane->stats.most_queued = lane->count;
	}
	return make_ready(sched, lane, job);
}

/*
 * Queue a job: RNV_OK, or why not. `kept`: a job was dropped for it. A full lane drops one now.
 */
static int enqueue(struct rnv_sched *sched, struct rnv_lane *lane, struct rnv_job *job, bool kept,
		   uint32_t *handle)
{
	struct rnv_model *model = rnv_model_slot(sched, job->model);
	struct rnv_job *victim = NULL;
	bool wake = false;
	int status = RNV_OK;
	uint32_t key;

	*handle = job->handle;
	key = rnv_critical_enter();
	if (kept || lane->count < lane->room) {
		if (rnv_model_admits(model, lane)) {
			wake = queue(sched, lane, model, job);
		} else {
			status = RNV_ESTATE;
		}
	} else if (lane->overload == RNV_OVERLOAD_DROP_OLDEST && lane->dropping == 0u) {
		victim = take_oldest(sched, lane);
	} else {
		lane->stats.refused++;
		status = RNV_EAGAIN;
	}
	if (kept) {
		lane->dropping = 0;
		lane->room++;
	}
	rnv_critical_exit(key);
	if (victim != NULL) {
		rnv_job_finish(sched, victim, RNV_ENOBUFS, false);
		return enqueue(sched, lane, job, true, handle); /* which drops none */
	}
	if (wake) {
		rnv_wake(sched, lane->number);
	}
	return status;
}

/* RNV_OK, or RNV_ETIME where the deadline cannot be met. */
static int admit(struct rnv_sched *sched, struct rnv_lane *lane,
		 const struct rnv_job_request *request)
{
	const struct rnv_sched_hooks *hooks = sched->hooks;
	uint32_t key;

	if (request->deadline_us == RNV_NEVER ||
	    hooks->admit(hooks->admit_context, sched, request) == RNV_OK) {
		return RNV_OK;
	}
	key = rnv_critical_enter();
	lane->stats.refused++;
	rnv_critical_exit(key);
	return RNV_ETIME;
}

int rnv_job_submit(struct rnv_sched *sched, const struct rnv_job_request *request, uint32_t *job)
{
	uint32_t handle = RNV_NO_HANDLE;
	struct rnv_model *model;
	struct rnv_lane *lane;
	struct rnv_job *slot;
	bool kept = false;
	int status;

	if (sched == NULL || request == NULL || request->lane >= sched->lane_count) {
		return RNV_EINVAL;
	}
	lane = &sched->lanes[request->lane];
	if (request->flags != 0u && !flags_are_valid(lane, request->flags)) {
		return RNV_EINVAL;
	}
	status = reserve(sched, lane, request, &slot);
	if (status != RNV_OK) {
		return status;
	}
	model = rnv_model_slot(sched, request->model);
	status = take(&model->pkg, request, (slot != NULL) ? slot->externals : NULL);
	if (status == RNV_OK && sched->hooks->admit != NULL) {
		status = admit(sched, lane, request);
	}
	if (status == RNV_OK && slot == NULL) {
		slot = steal(sched, lane);
		kept = slot != NULL;
		status = RNV_EAGAIN;
		if (kept) {
			(void)take(&model->pkg, request, slot->externals);
			status = RNV_OK;
		}
	}
	if (status == RNV_OK) {
		fill(slot, request, model);
		if (rnv_is_traced(sched)) { /* before a lane that preempts can start with it */
			rnv_trace_job(sched, RNV_TRACE_SUBMIT, slot);
		}
		status = enqueue(sched, lane, slot, kept, &handle);
		if (status != RNV_OK && rnv_is_traced(sched)) {
			rnv_trace_job(sched, RNV_TRACE_REFUSED, slot);
		}
	}
	if (status != RNV_OK) {
		give_back(sched, model, slot);
		return status;
	}
	if (job != NULL) {
		*job = handle;
	}
	return RNV_OK;
}
