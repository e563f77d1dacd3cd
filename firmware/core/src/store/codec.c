/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The registry's header and its log entries as bytes: SPEC.md section 4. */

#include <stddef.h>

#include "store/registry.h"

#define MAGIC       0x53564E52u
#define FORMAT      1u
#define MODEL_PIECE 2u /* piece of model 0; before it: the fixed fields, the revoked keys */

/* What follows each other in the header does so in RAM: it is copied at once. */
#define FIXED_BYTES 16u /* generation, erases, layout_crc */
#define MODEL_BYTES 24u /* floor, fills, written, hash */

_Static_assert(offsetof(struct rnv_store, layout_crc) ==
		       offsetof(struct rnv_store, generation) + FIXED_BYTES - 4u,
	       "as in the header");
_Static_assert(offsetof(struct rnv_store_model, hash) ==
		       offsetof(struct rnv_store_model, floor) + MODEL_BYTES - 8u,
	       "as in the header");

uint32_t rnv_registry_room(const struct rnv_store *store)
{
	return (store->config.flash->geometry.sector_bytes - store->header_bytes) /
	       store->entry_bytes;
}

uint32_t rnv_header_length(const struct rnv_store *store)
{
	return 68u + 32u * store->config.model_count;
}

void rnv_store_forget(struct rnv_store *store)
{
	store->generation = 0;
	store->entries = 0;
	store->revoked_count = 0;
	memset(store->erases, 0, sizeof(store->erases));
	memset(store->revoked, 0, sizeof(store->revoked));
	for (uint32_t i = 0; i < store->config.model_count; i++) {
		struct rnv_store_model *model = &store->config.models[i];
		uint32_t offset = model->offset;

		memset(model, 0, sizeof(*model));
		model->offset = offset;
		model->confirmed = RNV_STORE_NO_SLOT;
		model->trial_slot = RNV_STORE_NO_SLOT;
	}
}

/*
 * A model in the header, `bytes` being MODEL_BYTES, and the content of a model entry, which ends
 * with the floor.
 */
static void model_encode(const struct rnv_store_model *model, uint32_t byte3, uint32_t bytes,
			 uint8_t *to)
{
	to[0] = (uint8_t)(model->slot[0] | (model->slot[1] << 3) | (model->proven << 6));
	to[1] = (uint8_t)(model->confirmed | (model->trial << 2) | (model->trial_slot << 4));
	to[2] = model->tries;
	to[3] = (uint8_t)byte3;
	memcpy(to + 4, &model->floor, bytes);
}

static void model_decode(struct rnv_store_model *model, uint32_t bytes, const uint8_t *from)
{
	model->slot[0] = from[0] & 7u;
	model->slot[1] = (from[0] >> 3) & 7u;
	model->proven = from[0] >> 6;
	model->confirmed = from[1] & 3u;
	model->trial = (from[1] >> 2) & 3u;
	model->trial_slot = from[1] >> 4;
	model->tries = from[2];
	memcpy(&model->floor, from + 4, bytes);
}

/* Of a slot's three bits; one without a package was not confirmed with it. */
static bool slot_ok(uint32_t state, uint32_t proven)
{
	return state <= RNV_SLOT_REJECTED && (state >= RNV_SLOT_GOOD || proven == 0u);
}

static bool state_ok(const uint8_t *from)
{
	uint32_t slots = from[0];
	uint32_t trial = (from[1] >> 2) & 3u;
	uint32_t trial_slot = from[1] >> 4;

	return slot_ok(slots & 7u, (slots >> 6) & 1u) && slot_ok((slots >> 3) & 7u, slots >> 7) &&
	       (from[1] & 3u) != 2u && trial <= RNV_TRIAL_TRYING &&
	       (trial == RNV_TRIAL_NONE ? trial_slot == RNV_STORE_NO_SLOT : trial_slot < 2u) &&
	       from[2] <= RNV_STORE_MAX_TRIES;
}

static bool is_filling(const struct rnv_store_model *model)
{
	return model->slot[0] == RNV_SLOT_FILLING || model->slot[1] == RNV_SLOT_FILLING;
}

static void forget_fill(struct rnv_store_model *model)
{
	model->written = 0;
	model->has_hash = 0;
	memset(model->hash, 0, sizeof(model->hash));
}

static bool written_ok(const struct rnv_store *store, uint32_t model, uint32_t written)
{
	return written % store->config.flash->geometry.sector_bytes == 0u &&
	       written <= store->config.layout[model].slot_bytes;
}

static bool piece_decode(const struct rnv_store *store, uint32_t number, const uint8_t *from)
{
	struct rnv_store_model *model = &store->config.models[number];

	if (!state_ok(from) || from[3] > 1u || !written_ok(store, number, rnv_get32(from + 16)) ||
	    rnv_get32(from + 28) != 0u ||
	    (from[3] == 0u && !rnv_bytes_are(from + 20, RNV_STORE_HASH_BYTES, 0))) {
		return false;
	}
	model_decode(model, MODEL_BYTES, from);
	model->has_hash = from[3];
	if (!is_filling(model)) {
		forget_fill(model);
	}
	return true;
}

static void fixed_encode(const struct rnv_store *store, uint32_t generation, uint8_t *to)
{
	rnv_put32(to, MAGIC);
	rnv_put32(to + 4, FORMAT | rnv_header_length(store) << 16);
	memcpy(to + 8, &store->generation, FIXED_BYTES);
	rnv_put32(to + 8, generation);
	rnv_put32(to + 24, store->config.model_count | (uint32_t)store->revoked_count << 16);
}

/* What follows from the layout has to be what would be written. */
static bool fixed_decode(struct rnv_store *store, const uint8_t *from)
{
	uint8_t expected[RNV_PIECE_BYTES] = {0};

	memcpy(&store->generation, from + 8, FIXED_BYTES - sizeof(store->layout_crc));
	store->revoked_count = from[26];
	fixed_encode(store, store->generation, expected);
	return memcmp(from, expected, sizeof(expected)) == 0 && store->generation != 0u &&
	       store->revoked_count <= RNV_STORE_MAX_REVOKED;
}

static bool revoked_decode(struct rnv_store *store, const uint8_t *from)
{
	for (uint32_t i = 0; i < RNV_STORE_MAX_REVOKED; i++) {
		store->revoked[i] = rnv_get32(from + 4u * i);
		if ((store->revoked[i] != 0u) != (i < store->revoked_count)) {
			return false;
		}
	}
	return true;
}

void rnv_header_encode(const struct rnv_store *store, uint32_t generation, uint32_t piece,
		       uint8_t *to)
{
	memset(to, 0, RNV_PIECE_BYTES);
	if (piece == 0u) {
		fixed_encode(store, generation, to);
	} else if (piece < MODEL_PIECE) {
		memcpy(to, store->revoked, sizeof(store->revoked));
	} else {
		const struct rnv_store_model *model = &store->config.models[piece - MODEL_PIECE];

		model_encode(model, model->has_hash, MODEL_BYTES, to);
	}
}

bool rnv_header_decode(struct rnv_store *store, uint32_t piece, const uint8_t *from)
{
	if (piece == 0u) {
		return fixed_decode(store, from);
	}
	return piece < MODEL_PIECE ? revoked_decode(store, from)
				   : piece_decode(store, piece - MODEL_PIECE, from);
}

/* It covers the generation, so that what an older session has left is no entry. */
static uint32_t log_crc(uint32_t generation, const struct rnv_log *log)
{
	return rnv_crc32(rnv_crc32(0, &generation, sizeof(generation)), log,
			 offsetof(struct rnv_log, crc));
}

void rnv_log_encode(struct rnv_log *log, uint32_t generation, uint32_t number)
{
	log->number = (uint16_t)number;
	log->crc = log_crc(generation, log);
}

static bool content_ok(const struct rnv_store *store, const struct rnv_log *log)
{
	const uint8_t *content = log->content;
	uint32_t word = rnv_get32(content);

	if (log->kind == RNV_LOG_MODEL) {
		return state_ok(content) && content[3] <= 3u;
	}
	if (log->kind == RNV_LOG_HASH) {
		return true;
	}
	if (rnv_get32(content + 4) != 0u) {
		return false;
	}
	return log->kind == RNV_LOG_WRITTEN
		       ? written_ok(store, log->model, word)
		       : log->kind == RNV_LOG_REVOKED && log->model == 0u && word != 0u;
}

bool rnv_log_is_valid(const struct rnv_store *store, uint32_t number, const struct rnv_log *log)
{
	return log->number == number && log->model < store->config.model_count &&
	       log->crc == log_crc(store->generation, log) && content_ok(store, log);
}

static void revoked_apply(struct rnv_store *store, uint32_t key_id)
{
	if (!rnv_key_is_revoked(store, key_id) && store->revoked_count < RNV_STORE_MAX_REVOKED) {
		store->revoked[store->revoked_count++] = key_id;
	}
}

static void model_apply(struct rnv_store_model *model, const uint8_t *content)
{
	uint32_t begun = content[3];

	model_decode(model, sizeof(model->floor), content);
	model->fills[0] += begun & 1u;
	model->fills[1] += begun >> 1;
	model->passed &= (uint8_t)~begun;
	if (begun != 0u || !is_filling(model)) {
		forget_fill(model);
	}
}

void rnv_log_apply(struct rnv_store *store, const struct rnv_log *log)
{
	struct rnv_store_model *model = &store->config.models[log->model];

	if (log->kind == RNV_LOG_REVOKED) {
		revoked_apply(store, rnv_get32(log->content));
	} else if (log->kind == RNV_LOG_MODEL) {
		model_apply(model, log->content);
	} else if (!is_filling(model)) {
		return; /* of a fill whose beginning could not be read */
	} else if (log->kind == RNV_LOG_HASH) {
		memcpy(model->hash, log->content, sizeof(model->hash));
		model->has_hash = 1;
	} else {
		model->written = rnv_get32(log->content);
	}
}

void rnv_log_model(struct rnv_log *log, const struct rnv_store *store, uint32_t model,
		   uint32_t begun)
{
	log->kind = RNV_LOG_MODEL;
	log->model = (uint8_t)model;
	model_encode(&store->next, begun, sizeof(store->next.floor), log->content);
}
