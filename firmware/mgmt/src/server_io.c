/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The workspace: one at a time lays out the inputs and outputs of an entry point in it. */

#include "server_internal.h"

uint32_t rnv_server_io_bytes(const struct rnv_header *header)
{
	uint64_t bytes = header->external_count * (sizeof(struct rnv_buffer) + 15u);

	bytes = ((bytes + 15u) & ~(uint64_t)15u) + header->io_bytes + 15u;
	bytes = (bytes + header->state_bytes + 15u) & ~(uint64_t)15u;
	return (bytes > UINT32_MAX) ? UINT32_MAX : (uint32_t)bytes;
}

bool rnv_io_take(struct rnv_server *server, uint8_t owner)
{
	if (server->io_owner != RNV_IO_FREE) {
		return false;
	}
	server->io_owner = owner;
	return true;
}

void rnv_io_give(struct rnv_server *server)
{
	server->io_owner = RNV_IO_FREE;
}

/* Tensor of an entry point by its place in the list, or RNV_NO_TENSOR behind the last. */
static uint16_t tensor_of(const struct rnv_package *pkg, const struct rnv_io *io, uint32_t index)
{
	return (index < io->inputs)
		       ? rnv_package_input(pkg, io->entry, (uint16_t)index)
		       : rnv_package_output(pkg, io->entry, (uint16_t)(index - io->inputs));
}

static void count(const struct rnv_package *pkg, struct rnv_io *io)
{
	io->inputs = 0;
	io->outputs = 0;
	while (rnv_package_input(pkg, io->entry, io->inputs) != RNV_NO_TENSOR) {
		io->inputs++;
	}
	while (rnv_package_output(pkg, io->entry, io->outputs) != RNV_NO_TENSOR) {
		io->outputs++;
	}
}

int rnv_io_place(struct rnv_server *server, const struct rnv_package *pkg, uint32_t room,
		 bool staged, struct rnv_io *io)
{
	struct rnv_buffer *list = rnv_io_list(server);
	uint32_t all;
	uint32_t at;

	count(pkg, io);
	all = (uint32_t)io->inputs + io->outputs;
	at = all * (uint32_t)sizeof(struct rnv_buffer);
	for (uint32_t i = 0; i < all && at <= room; i++) {
		const struct rnv_tensor_rec *tensor =
			rnv_package_tensor(pkg, tensor_of(pkg, io, i));

		list[i] = (struct rnv_buffer){NULL, tensor->bytes};
		if (staged || tensor->storage == RNV_STORAGE_EXTERNAL) {
			at = rnv_align16(at);
			if (at > room || tensor->bytes > room - at) {
				return RNV_ENOMEM;
			}
			list[i].data = (uint8_t *)server->config.io + at;
			at += tensor->bytes;
		}
	}
	return (at <= room) ? RNV_OK : RNV_ENOMEM;
}

void *rnv_io_resident(const struct rnv_server *server, const struct rnv_package *pkg,
		      const struct rnv_io *io, uint32_t index)
{
	return rnv_lane_tensor(server->config.sched, io->lane, tensor_of(pkg, io, index));
}

int rnv_io_submit(struct rnv_server *server, const struct rnv_package *pkg, struct rnv_io *io,
		  struct rnv_job_request *request, void (*bring)(struct rnv_server *server))
{
	struct rnv_sched *sched = server->config.sched;
	int status = RNV_OK;

	request->model = io->handle;
	request->entry = io->entry;
	request->lane = io->lane;
	if (rnv_io_is_resident(pkg)) {
		status = rnv_lane_claim(sched, io->lane, io->handle);
		if (status != RNV_OK) {
			return status;
		}
		io->claimed = 1;
		bring(server);
	} else {
		request->buffers = rnv_io_list(server);
		request->buffer_count = (uint16_t)(io->inputs + io->outputs);
	}
	status = rnv_job_submit(sched, request, &io->job);
	if (status != RNV_OK) {
		rnv_io_release(server, io);
	}
	return status;
}

int rnv_io_collect(const struct rnv_server *server, const struct rnv_io *io,
		   struct rnv_job_result *result)
{
	int status = rnv_job_collect(server->config.sched, io->job, result);

	if (status == RNV_EAGAIN) {
		return status;
	}
	if (status != RNV_OK) {
		memset(result, 0, sizeof(*result));
		result->status = RNV_ECANCELED;
	}
	return RNV_OK;
}

void rnv_io_release(const struct rnv_server *server, struct rnv_io *io)
{
	if (io->claimed != 0u && rnv_lane_release(server->config.sched, io->lane) != RNV_EBUSY) {
		io->claimed = 0;
	}
}

uint32_t rnv_io_sum(const struct rnv_server *server, uint32_t first, uint32_t count)
{
	const struct rnv_buffer *buffer = rnv_io_list(server) + first;
	uint32_t sum = 0;

	for (; count != 0u; count--, buffer++) {
		sum += buffer->bytes;
	}
	return sum;
}
