/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What arrives as a patch, through the update engine: it is unpacked on its way into the slot. */

#include "world.h"

#include <stddef.h>
#include <string.h>

#define CHUNK      500u
#define PART_CHUNK 24u /* where it is to end at a certain place: a few bytes may stand for many */

static int admit(void *context, uint32_t model, const struct rnv_header *header, uint32_t flags)
{
	(void)context;
	(void)model;
	(void)header;
	(void)flags;
	return RNV_OK;
}

static int test(void *context, uint32_t model, const void *data, uint32_t bytes)
{
	const struct package *p = &world.packages[world.d.filling[model]];

	(void)context;
	must(bytes == p->length && memcmp(data, p->bytes, bytes) == 0,
	     "what is unpacked is not what was sent");
	return RNV_OK;
}

static void changed(void *context, uint32_t model)
{
	(void)context;
	(void)model;
}

void upload_mount(void)
{
	const struct rnv_ota_hooks hooks = {.admit = admit, .test = test, .changed = changed};

	must(rnv_ota_init(&world.d.ota, &world.d.store, &hooks, 1) == RNV_OK &&
		     rnv_ota_accept_patches(&world.d.ota, &world.d.patch) == RNV_OK,
	     "there is no update engine");
}

int upload_begin(uint32_t model, const struct package *p, uint32_t *offset)
{
	struct rnv_ota_request request = {.model = model,
					  .bytes = p->stream_bytes,
					  .encoding = RNV_OTA_PATCH,
					  .header = p->bytes};

	if (p->base != 0u) {
		const struct package *base = &world.packages[p->base];

		memcpy(&request.base_crc32, base->bytes + base->length - 4u, 4);
	}
	memcpy(request.sha256, p->name, sizeof(request.sha256));
	return rnv_ota_begin(&world.d.ota, &request, 0, offset);
}

/* What the engine says of the session, which may fail only where the flash does. */
static uint32_t phase(void)
{
	struct rnv_ota_status status;

	rnv_ota_status_get(&world.d.ota, &status);
	if (status.phase == RNV_OTA_FAILED) {
		succeeds(status.error, "an upload has failed");
	}
	return status.phase;
}

/* As far as `end` of the package, or a little further. */
void upload_send(uint32_t model, const struct package *p, uint32_t end)
{
	const uint32_t slot = world.d.filled[model];
	const uint32_t chunk = end < p->length ? PART_CHUNK : CHUNK;
	uint32_t at = 0;

	while (at < p->stream_bytes && world.d.store.position < end) {
		const uint32_t left = p->stream_bytes - at;
		const uint32_t count = left < chunk ? left : chunk;
		const uint8_t *data = p->stream + at;
		const uint32_t was = at;
		int status;

		judge_call(&world.judge, J_CALL_FILL);
		status = rnv_ota_chunk(&world.d.ota, at, data, count, rnv_crc32(0, data, count), 0,
				       &at);
		succeeds(status, "a chunk of a patch is refused");
		must(at == was + count, "a chunk of a patch is not taken");
		returned(model, slot, world.d.store.position, NULL);
	}
}

void upload_good(uint32_t model)
{
	const uint32_t slot = world.d.filled[model];
	const uint32_t package = world.d.filling[model];
	const uint32_t unit = world.config.unit_bytes;
	const uint32_t written = (world.packages[package].length + unit - 1u) / unit * unit;
	uint32_t polls = 0;

	world.judge.m.content[model][slot] = package;
	for (uint32_t now = phase(); now != RNV_OTA_READY;) {
		const bool verifies = now == RNV_OTA_VERIFYING;
		const uint32_t ops = world.ops;

		judge_call(&world.judge, verifies ? J_CALL_FILL : J_CALL_SET_GOOD);
		(void)rnv_ota_poll(&world.d.ota, 0);
		now = phase();
		if (verifies || now == RNV_OTA_READY) {
			returned(model, slot, written, NULL);
		} else {
			must(world.ops == ops, "a test writes");
		}
		must(polls++ < 1000u, "an upload does not come to its end");
	}
}
