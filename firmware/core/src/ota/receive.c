/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* A package arrives: what it announces is checked, chunks are taken. */

#include <stddef.h>
#include <string.h>

#include "ota/internal.h"
#include "store/registry.h"

#define CHUNK_UNPACKS 16384u /* most bytes of a package that are written for one chunk */

/* What the header tells, against the model's place. */
static int check_header(const struct rnv_header *header, const struct rnv_store_info *info)
{
	if (!rnv_header_is_of(header, info->name) || header->abi != RNV_PACKAGE_ABI) {
		return RNV_EFORMAT;
	}
	if (header->total_bytes > info->slot_bytes) {
		return RNV_ENOSPC;
	}
	return (header->security_version < info->floor) ? RNV_EACCES : RNV_OK;
}

/* May this package be taken? Nothing is written. */
static int check(struct rnv_ota *ota, const struct rnv_ota_request *request,
		 struct rnv_header *header)
{
	struct rnv_store_info info;
	int status = rnv_store_info_get(ota->store, request->model, &info);

	if (status != RNV_OK) {
		return status;
	}
	if ((request->encoding != RNV_OTA_PLAIN &&
	     (request->encoding != RNV_OTA_PATCH || ota->patch == NULL)) ||
	    request->header == NULL || (request->flags & ~(uint32_t)RNV_OTA_ALLOW_SLOW) != 0u) {
		return RNV_EINVAL;
	}
	memcpy(header, request->header, sizeof(*header));
	status = check_header(header, &info);
	if (status == RNV_OK && request->encoding == RNV_OTA_PATCH) {
		status = ota->patch->unpacker->check(ota, request);
	} else if (status == RNV_OK && header->total_bytes != request->bytes) {
		status = RNV_EFORMAT;
	}
	if (status == RNV_OK) {
		status = ota->hooks.admit(ota->hooks.context, request->model, header,
					  request->flags);
	}
	return status;
}

/* Whether the session is one of this file, whatever became of it. */
static bool is_same(const struct rnv_ota *ota, const struct rnv_ota_request *request,
		    const struct rnv_header *header)
{
	return memcmp(&ota->request, request, offsetof(struct rnv_ota_request, flags)) == 0 &&
	       memcmp(&ota->header, header, sizeof(*header)) == 0;
}

/* Whether a session goes on, or has come to where it waits. */
static bool is_open(const struct rnv_ota *ota)
{
	return ota->then == RNV_OTA_THEN_GOOD &&
	       (ota->phase == RNV_OTA_RECEIVING || ota->phase == RNV_OTA_VERIFYING ||
		ota->phase == RNV_OTA_TESTING || ota->phase == RNV_OTA_READY) &&
	       ota->step != RNV_OTA_STEP_LET_GO;
}

/* All of the file is there. */
static void end(struct rnv_ota *ota)
{
	memset(&ota->verify, 0, sizeof(ota->verify));
	ota->phase = RNV_OTA_VERIFYING;
	ota->step = RNV_OTA_STEP_END;
}

/* Begin to receive, or go on at `offset`. */
static void start(struct rnv_ota *ota, const struct rnv_ota_request *request,
		  const struct rnv_header *header, uint32_t offset)
{
	ota->header = *header;
	ota->request = *request;
	ota->request.header = NULL; /* the caller's, for the call only */
	ota->offset = offset;
	ota->model = (uint8_t)request->model;
	ota->slot = ota->store->fill_slot;
	ota->phase = RNV_OTA_RECEIVING;
	ota->then = RNV_OTA_THEN_GOOD;
	ota->error = RNV_OK;
	ota->why = RNV_WHY_NONE;
	if (request->encoding == RNV_OTA_PATCH) {
		ota->offset = 0;
		ota->patch->unpacker->start(ota, request, offset);
	} else if (offset == request->bytes) {
		end(ota);
	}
}

static int begin(struct rnv_ota *ota, const struct rnv_ota_request *request)
{
	struct rnv_header header;
	uint32_t offset;
	int status;

	if (ota->step == RNV_OTA_STEP_EMPTY) { /* or what was refused would be gone on with */
		(void)rnv_ota_step(ota);
	}
	status = check(ota, request, &header);
	if (status != RNV_OK) {
		return status;
	}
	if (is_open(ota) && is_same(ota, request, &header)) {
		ota->request.flags = request->flags;
		return RNV_OK;
	}
	if (rnv_ota_works(ota)) {
		return RNV_EBUSY;
	}
	rnv_ota_park(ota);
	status = rnv_store_fill_begin(ota->store, request->model, request->sha256,
				      header.total_bytes, &offset);
	if (status == RNV_OK) {
		start(ota, request, &header, offset);
	}
	return status;
}

int rnv_ota_begin(struct rnv_ota *ota, const struct rnv_ota_request *request, uint64_t now_us,
		  uint32_t *offset)
{
	int status = begin(ota, request);

	if (status == RNV_OK) {
		ota->active_us = now_us;
		*offset = ota->offset;
	}
	rnv_ota_settle(ota);
	return status;
}

/* The next bytes of the package go into the slot. */
static int write_plain(struct rnv_ota *ota, const uint8_t *data, uint32_t bytes)
{
	int status = RNV_OK;

	while (bytes != 0u && status == RNV_OK) {
		uint32_t taken = 0;

		status = rnv_store_fill_write(ota->store, data, bytes, &taken);
		data += taken;
		bytes -= taken;
		ota->offset += taken;
	}
	return status;
}

int rnv_ota_unpack(struct rnv_ota *ota)
{
	return ota->patch->unpacker->write(ota, ota->patch->out, 0, RNV_OTA_UNPACK_BYTES);
}

/* The next bytes of a patch. What it tells may be long: the rest is written by rnv_ota_poll(). */
static int write_patch(struct rnv_ota *ota, const uint8_t *data, uint32_t bytes)
{
	uint32_t end = ota->offset + bytes;
	int status = ota->patch->unpacker->write(ota, data, bytes, CHUNK_UNPACKS);

	if (status == RNV_EAGAIN) {
		ota->step = RNV_OTA_STEP_UNPACK;
		return (ota->offset == end) ? RNV_OK : RNV_EAGAIN;
	}
	ota->step = RNV_OTA_STEP_NONE;
	return (status < 0) ? status : RNV_OK;
}

void rnv_ota_lose(struct rnv_ota *ota, int status)
{
	ota->phase = RNV_OTA_FAILED;
	ota->error = status;
	ota->step =
		(ota->request.encoding == RNV_OTA_PATCH) ? RNV_OTA_STEP_EMPTY : RNV_OTA_STEP_NONE;
}

int rnv_ota_chunk(struct rnv_ota *ota, uint32_t at, const void *data, uint32_t bytes, uint32_t crc,
		  uint64_t now_us, uint32_t *offset)
{
	int status = RNV_OK;

	*offset = ota->offset;
	if (!is_open(ota)) {
		return RNV_ESTATE;
	}
	if (rnv_crc32(0, data, bytes) != crc) {
		return RNV_EBADMSG;
	}
	if (at > ota->request.bytes || bytes > ota->request.bytes - at) {
		return RNV_ENOSPC;
	}
	ota->active_us = now_us;
	if (ota->phase == RNV_OTA_RECEIVING && at == ota->offset) {
		status = (ota->request.encoding == RNV_OTA_PATCH) ? write_patch(ota, data, bytes)
								  : write_plain(ota, data, bytes);
		*offset = ota->offset;
		if (status != RNV_OK && status != RNV_EAGAIN) {
			rnv_ota_lose(ota, status);
		} else if (ota->offset == ota->request.bytes) {
			end(ota);
		}
		rnv_ota_settle(ota);
	}
	return status;
}
