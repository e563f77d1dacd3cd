/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* A job for a link: its inputs come, and its outputs go, in pieces. */

#include "server_internal.h"

#define GIVE_WAY_US 1000000u

/* A piece that goes into buffers which follow each other without gaps, or comes out of them. */
static uint32_t copy(const struct rnv_buffer *list, uint32_t count, uint32_t at, uint8_t *out,
		     const uint8_t *in, uint32_t bytes)
{
	uint32_t done = 0;

	for (; count != 0u && done < bytes; count--, list++) {
		if (at >= list->bytes) {
			at -= list->bytes;
			continue;
		}
		uint8_t *place = (uint8_t *)list->data + at;
		uint32_t piece = list->bytes - at;

		if (piece > bytes - done) {
			piece = bytes - done;
		}
		if (in != NULL) {
			memcpy(place, in + done, piece);
		} else {
			memcpy(out + done, place, piece);
		}
		done += piece;
		at = 0;
	}
	return done;
}

/* The run is over, and forgotten. */
static void drop(struct rnv_server *server)
{
	server->run.state = RNV_SERVER_NONE;
	rnv_io_give(server);
}

static bool is_active(const struct rnv_server *server)
{
	return server->run.state != RNV_SERVER_NONE;
}

/* Bring inputs into the claimed lane's arena, or outputs out of it. */
static void move_resident(struct rnv_server *server, bool outputs)
{
	const struct rnv_io *io = &server->run.io;
	uint32_t i = outputs ? io->inputs : 0u;
	uint32_t end = outputs ? i + io->outputs : io->inputs;
	struct rnv_model_info info;

	if (rnv_model_info_get(server->config.sched, io->handle, &info) != RNV_OK) {
		return;
	}
	for (; i < end; i++) {
		struct rnv_buffer staged = rnv_io_list(server)[i];
		void *data = rnv_io_resident(server, info.pkg, io, i);

		if (outputs) {
			memcpy(staged.data, data, staged.bytes);
		} else {
			memcpy(data, staged.data, staged.bytes);
		}
	}
}

static void bring_inputs(struct rnv_server *server)
{
	move_resident(server, false);
}

static int submit(struct rnv_server *server)
{
	struct rnv_server_job *run = &server->run;
	struct rnv_job_request request = {.flags = run->flags, .deadline_us = run->deadline_us};
	struct rnv_model_info info;
	int status = rnv_model_info_get(server->config.sched, run->io.handle, &info);

	if (run->deadline_us != RNV_NEVER) {
		request.deadline_us += rnv_now_us();
	}
	if (status == RNV_OK) {
		status = rnv_io_submit(server, info.pkg, &run->io, &request, bring_inputs);
	}
	return status;
}

/* Look whether the job has ended. */
static void collect(struct rnv_server *server)
{
	struct rnv_server_job *run = &server->run;

	if (run->state != RNV_SERVER_RUNNING ||
	    rnv_io_collect(server, &run->io, &run->result) == RNV_EAGAIN) {
		return;
	}
	if (run->io.claimed != 0u && run->result.status == RNV_OK) {
		move_resident(server, true);
	}
	rnv_io_release(server, &run->io);
	run->state = RNV_SERVER_DONE;
	run->active_us = rnv_now_us();
}

void rnv_run_poll(struct rnv_server *server)
{
	uint64_t idle_us = server->config.idle_us;

	collect(server);
	/* A self-test waits for the workspace: outputs that nobody reads give way. */
	if (server->io_wanted != 0u && server->run.state == RNV_SERVER_DONE &&
	    idle_us > GIVE_WAY_US) {
		idle_us = GIVE_WAY_US;
	}
	if (is_active(server) && server->run.state != RNV_SERVER_RUNNING &&
	    rnv_now_us() - server->run.active_us >= idle_us) {
		drop(server);
	}
}

/* What ran: the package's version and CRC. */
static void note_package(struct rnv_server_job *run, const struct rnv_header *header)
{
	const uint8_t *end = (const uint8_t *)header + header->total_bytes;

	memcpy(run->version, header->version, sizeof(run->version));
	memcpy(&run->crc, end - sizeof(run->crc), sizeof(run->crc)); /* ends the trailer */
}

/* The lane of a run, of those that the model is bound to; -1: not bound to it. */
static int lane_of(const struct rnv_server_run *request, uint32_t lanes)
{
	int lane = -1;

	for (uint32_t i = 0; i < RNV_SCHED_MAX_LANES; i++) {
		bool wanted = request->lane == RNV_SERVER_ANY_LANE || request->lane == i;

		if (wanted && (lanes & (1u << i)) != 0u) {
			lane = (int)i;
		}
	}
	return lane;
}

/* Fill the run, and lay out its inputs and outputs. The workspace is the run's. */
static int begin(struct rnv_server *server, const struct rnv_server_run *request)
{
	struct rnv_server_job *run = &server->run;
	struct rnv_model_info info;
	struct rnv_io io = {.entry = (uint16_t)request->entry, .job = RNV_NO_HANDLE};
	int lane;
	int status;

	if (rnv_model_info_get(server->config.sched, server->config.models[request->model].handle,
			       &info) != RNV_OK) {
		return RNV_ENOENT;
	}
	lane = lane_of(request, info.lanes);
	if (lane < 0) {
		return RNV_ESTATE;
	}
	if ((request->flags & ~(uint32_t)RNV_JOB_RESET) != 0u || request->entry > UINT16_MAX) {
		return RNV_EINVAL;
	}
	status = rnv_io_place(server, info.pkg, server->config.io_bytes, true, &io);
	if (status != RNV_OK) {
		return status;
	}
	if (io.inputs + io.outputs == 0 || request->bytes != rnv_io_sum(server, 0, io.inputs)) {
		return RNV_EINVAL;
	}
	io.handle = info.model;
	io.lane = (uint8_t)lane;
	*run = (struct rnv_server_job){.active_us = rnv_now_us(),
				       .deadline_us = request->deadline_us,
				       .input_bytes = request->bytes,
				       .id = request->id,
				       .io = io,
				       .flags = (uint8_t)request->flags,
				       .state = RNV_SERVER_FILLING};
	note_package(run, rnv_package_header(info.pkg));
	return RNV_OK;
}

/* A run of this id has been submitted. */
static bool is_past(const struct rnv_server *server, uint32_t id)
{
	for (uint32_t i = 0; i < RNV_SERVER_PAST_RUNS; i++) {
		if (id != 0u && server->past_runs[i] == id) {
			return true;
		}
	}
	return false;
}

static void note_past(struct rnv_server *server, uint32_t id)
{
	if (id != 0u) {
		memmove(server->past_runs + 1, server->past_runs,
			sizeof(server->past_runs) - sizeof(server->past_runs[0]));
		server->past_runs[0] = id;
	}
}

static int begin_anew(struct rnv_server *server, const struct rnv_server_run *request)
{
	int status;

	if (server->run.state == RNV_SERVER_FILLING || server->run.state == RNV_SERVER_DONE) {
		drop(server);
	}
	if (rnv_server_running(server, request->model) == NULL) {
		status = RNV_ENOENT;
	} else if (server->io_wanted != 0u || server->test.is_demand != 0u ||
		   !rnv_io_take(server, RNV_IO_RUN)) {
		status = RNV_EBUSY;
	} else {
		status = begin(server, request);
		if (status != RNV_OK) {
			drop(server);
		}
	}
	return status;
}

int rnv_server_run_begin(struct rnv_server *server, const struct rnv_server_run *request)
{
	int status = RNV_OK;

	rnv_server_lock(server);
	collect(server);
	if (request->id == 0u || !is_active(server) || server->run.id != request->id) {
		status = is_past(server, request->id) ? RNV_ESTATE : begin_anew(server, request);
	}
	rnv_server_unlock(server);
	return status;
}

/* Inputs that are wanted. The last ones submit the job; where it is refused they are to come again.
 */
static int take(struct rnv_server *server, uint32_t at, const void *data, uint32_t bytes,
		uint32_t *job)
{
	struct rnv_server_job *run = &server->run;
	int status;

	run->offset += copy(rnv_io_list(server), run->io.inputs, at, NULL, data, bytes);
	if (run->offset != run->input_bytes) {
		return RNV_OK;
	}
	status = submit(server);
	if (status == RNV_OK) {
		run->state = RNV_SERVER_RUNNING;
		note_past(server, run->id);
		*job = run->io.job;
	} else if (status == RNV_EAGAIN || status == RNV_EBUSY) {
		run->offset = at;
	} else {
		drop(server);
	}
	return status;
}

int rnv_server_run_write(struct rnv_server *server, uint32_t id, uint32_t at, const void *data,
			 uint32_t bytes, uint32_t *offset, uint32_t *job)
{
	struct rnv_server_job *run = &server->run;
	uint32_t handle = RNV_NO_HANDLE;
	int status = RNV_OK;

	rnv_server_lock(server);
	if (is_active(server) && run->id != id) {
		status = RNV_ESTATE;
	} else if (run->state > RNV_SERVER_FILLING && at <= run->input_bytes &&
		   bytes == run->input_bytes - at && (bytes != 0u || run->input_bytes == 0u)) {
		handle = run->io.job; /* the last ones once more, as their reply was lost */
	} else if (run->state != RNV_SERVER_FILLING) {
		status = RNV_ESTATE;
	} else if (at > run->input_bytes || bytes > run->input_bytes - at) {
		status = RNV_EINVAL;
	} else {
		run->active_us = rnv_now_us();
		if (at == run->offset) {
			status = take(server, at, data, bytes, &handle);
		}
	}
	*offset = run->offset;
	if (job != NULL) {
		*job = handle;
	}
	rnv_server_unlock(server);
	return status;
}

static void describe(const struct rnv_server *server, uint32_t id,
		     struct rnv_server_run_status *status)
{
	const struct rnv_server_job *run = &server->run;
	uint64_t us = run->result.end_us - run->result.submit_us;

	memset(status, 0, sizeof(*status));
	status->job = RNV_NO_HANDLE;
	if (run->state == RNV_SERVER_NONE || run->id != id) {
		return;
	}
	status->state = run->state;
	status->job = run->io.job;
	memcpy(status->version, run->version, sizeof(status->version));
	status->crc = run->crc;
	if (run->state == RNV_SERVER_DONE) {
		status->status = run->result.status;
		status->missed = run->result.missed;
		status->us = (us < UINT32_MAX) ? (uint32_t)us : UINT32_MAX;
		if (status->status == RNV_OK) {
			status->bytes = rnv_io_sum(server, run->io.inputs, run->io.outputs);
		}
	}
}

int rnv_server_run_read(struct rnv_server *server, uint32_t id, uint32_t at, void *data,
			uint32_t room, struct rnv_server_run_status *status)
{
	struct rnv_server_job *run = &server->run;
	int result = RNV_OK;

	rnv_server_lock(server);
	collect(server);
	describe(server, id, status);
	if (is_active(server) && run->id != id) {
		result = RNV_ESTATE;
	} else if (at < status->bytes) {
		result = (int)copy(rnv_io_list(server) + run->io.inputs, run->io.outputs, at, data,
				   NULL, room);
	}
	if (status->state == RNV_SERVER_DONE) {
		run->active_us = rnv_now_us();
	}
	rnv_server_unlock(server);
	return result;
}
