/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Patches: what arrives is decoded on its way into the slot.
 *
 * The base is the current slot. It is neither verified nor held for this: nobody erases or fills
 * the current slot during a session, it is read guarded, and what comes out is verified as any
 * package is.
 */

#include <stddef.h>
#include <string.h>

#include "ota/internal.h"
#include "store/registry.h"

/* Its bytes and CRC-32 as its trailer tells. */
static int find_base(const struct rnv_ota *ota, uint32_t model, struct rnv_patch_source *source,
		     uint32_t *slot)
{
	uint32_t total;
	int status = RNV_ESTALE;

	*slot = rnv_model_current(&ota->store->config.models[model]);
	if (*slot != RNV_STORE_NO_SLOT) {
		status = rnv_store_read(ota->store, model, *slot,
					offsetof(struct rnv_header, total_bytes), &total,
					sizeof(total));
	}
	if (status == RNV_OK && total < RNV_HEADER_BYTES + RNV_TRAILER_BYTES) {
		status = RNV_ESTALE;
	}
	if (status == RNV_OK) {
		source->base_bytes = total;
		status = rnv_store_read(ota->store, model, *slot,
					total - (uint32_t)sizeof(source->base_crc32),
					&source->base_crc32, sizeof(source->base_crc32));
	}
	return status;
}

static int check(const struct rnv_ota *ota, const struct rnv_ota_request *request)
{
	struct rnv_patch_source source;
	uint32_t slot;
	int status;

	if (request->base_crc32 == 0u) {
		return RNV_OK;
	}
	status = find_base(ota, request->model, &source, &slot);
	if (status == RNV_OK && source.base_crc32 == request->base_crc32) {
		return RNV_OK;
	}
	return (status == RNV_EIO) ? status : RNV_ESTALE;
}

static int read_base(void *context, uint32_t offset, void *to, uint32_t bytes)
{
	const struct rnv_ota *ota = context;

	return rnv_store_read(ota->store, ota->model, ota->patch->base, offset, to, bytes);
}

/* The package's own bytes: in the flash, or staged for it. */
static int read_output(void *context, uint32_t offset, void *to, uint32_t bytes)
{
	const struct rnv_ota *ota = context;
	const struct rnv_store *store = ota->store;
	uint32_t staged = store->position % store->config.flash->geometry.unit_bytes;
	uint32_t start = store->position - staged;
	uint32_t count = (offset < start) ? rnv_min(bytes, start - offset) : 0u;
	int status = RNV_OK;

	if (count != 0u) {
		status = rnv_store_read(store, ota->model, ota->slot, offset, to, count);
	}
	if (count < bytes) {
		memcpy((uint8_t *)to + count, store->unit + (offset + count - start),
		       bytes - count);
	}
	return status;
}

/* `there`: bytes of the package that are in the slot already. */
static void start(struct rnv_ota *ota, const struct rnv_ota_request *request, uint32_t there)
{
	struct rnv_ota_patch *patch = ota->patch;
	struct rnv_patch_source source = {.output = read_output,
					  .base = read_base,
					  .context = ota,
					  .bytes = ota->header.total_bytes};
	uint32_t slot = RNV_STORE_NO_SLOT;

	if (request->base_crc32 != 0u) { /* was found a moment ago */
		(void)find_base(ota, request->model, &source, &slot);
	}
	patch->base = (uint8_t)slot;
	patch->there = there;
	patch->held = 0;
	patch->taken = 0;
	rnv_patch_init(&patch->decoder, &source);
}

static int drain(struct rnv_ota *ota)
{
	struct rnv_ota_patch *patch = ota->patch;
	int status = RNV_OK;

	while (patch->taken < patch->held && status == RNV_OK) {
		uint32_t taken = 0;

		status = rnv_store_fill_write(ota->store, patch->out + patch->taken,
					      (uint32_t)patch->held - patch->taken, &taken);
		patch->taken = (uint8_t)(patch->taken + taken);
	}
	return status;
}

static int decode(struct rnv_ota *ota, const uint8_t **data, uint32_t *bytes, uint32_t room)
{
	struct rnv_ota_patch *patch = ota->patch;
	uint32_t first = patch->decoder.done;
	uint32_t used, given;
	int status =
		rnv_patch_decode(&patch->decoder, *data, *bytes, &used, patch->out, room, &given);

	*data += used;
	*bytes -= used;
	ota->offset += used;
	patch->held = (uint8_t)given;
	patch->taken = 0;
	if (first < patch->there) {
		patch->taken = (uint8_t)rnv_min(given, patch->there - first);
	}
	return (status == RNV_EBADMSG) ? RNV_EIO : status;
}

static int write(struct rnv_ota *ota, const uint8_t *data, uint32_t bytes, uint32_t most)
{
	int status = drain(ota);

	while (status == RNV_OK) {
		uint32_t room = rnv_min(most, sizeof(ota->patch->out));
		int decoded;

		if (room == 0u) {
			return RNV_EAGAIN;
		}
		decoded = decode(ota, &data, &bytes, room);
		if (decoded < 0) {
			return decoded;
		}
		most -= ota->patch->held;
		status = drain(ota);
		if (status == RNV_OK && ota->patch->held < room && bytes == 0u) {
			return decoded;
		}
	}
	return status;
}

int rnv_ota_accept_patches(struct rnv_ota *ota, struct rnv_ota_patch *patch)
{
	static const struct rnv_ota_unpacker unpacker = {check, start, write};

	if (ota == NULL || patch == NULL || rnv_ota_works(ota) || ota->phase == RNV_OTA_RECEIVING) {
		return RNV_EINVAL;
	}
	memset(patch, 0, sizeof(*patch));
	patch->unpacker = &unpacker;
	ota->patch = patch;
	return RNV_OK;
}
