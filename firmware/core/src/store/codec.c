/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The registry's header and its log entries as bytes: SPEC.md section 4. */

#include "store/registry.h"

#define MAGIC         0x53564E52u
#define FORMAT        1u
#define MODEL_PIECE   2u /* piece of model 0; before it: the fixed fields, the revoked keys */
#define LOG_CRC_BYTES 12u

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

/* The first eight bytes of a model in the header, and the content of a model entry. */
static void state_encode(const struct rnv_store_model *model, uint32_t byte3, uint8_t *to)
{
	to[0] = (uint8_t)(model->slot[0] | (model->slot[1] << 3) | (model->proven << 6));
	to[1] = (uint8_t)(model->confirmed | (model->trial << 2) | (model->trial_slot << 4));
	to[2] = model->tries;
	to[3] = (uint8_t)byte3;
	rnv_put32(to + 4, model->floor);
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

static void state_decode(struct rnv_store_model *model, const uint8_t *from)
{
	model->slot[0] = from[0] & 7u;
	model->slot[1] = (from[0] >> 3) & 7u;
	model->proven = from[0] >> 6;
	model->confirmed = from[1] & 3u;
	model->trial = (from[1] >> 2) & 3u;
	model->trial_slot = from[1] >> 4;
	model->tries = from[2];
	model->floor = rnv_get32(from + 4);
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

static void model_encode(const struct rnv_store_model *model, uint8_t *to)
{
	state_encode(model, model->has_hash, to);
	rnv_put32(to + 8, model->fills[0]);
	rnv_put32(to + 12, model->fills[1]);
	rnv_put32(to + 16, model->written);
	memcpy(to + 20, model->hash, RNV_STORE_HASH_BYTES);
}

static bool model_decode(const struct rnv_store *store, uint32_t number, const uint8_t *from)
{
	struct rnv_store_model *model = &store->config.models[number];

	if (!state_ok(from) || from[3] > 1u || !written_ok(store, number, rnv_get32(from + 16)) ||
	    rnv_get32(from + 28) != 0u ||
	    (from[3] == 0u && !rnv_bytes_are(from + 20, RNV_STORE_HASH_BYTES, 0))) {
		return false;
	}
	state_decode(model, from);
	model->has_hash = from[3];
	model->fills[0] = rnv_get32(from + 8);
	model->fills[1] = rnv_get32(from + 12);
	model->written = rnv_get32(from + 16);
	memcpy(model->hash, from + 20, RNV_STORE_HASH_BYTES);
	if (!is_filling(model)) {
		forget_fill(model);
	}
	return true;
}

static void fixed_encode(const struct rnv_store *store, uint32_t generation, uint8_t *to)
{
	rnv_put32(to, MAGIC);
	rnv_put16(to + 4, FORMAT);
	rnv_put16(to + 6, rnv_header_length(store));
	rnv_put32(to + 8, generation);
	rnv_put32(to + 12, store->erases[0]);
	rnv_put32(to + 16, store->erases[1]);
	rnv_put32(to + 20, store->layout_crc);
	rnv_put16(to + 24, store->config.model_count);
	rnv_put16(to + 26, store->revoked_count);
}

/* What follows from the layout has to be what would be written. */
static bool fixed_decode(struct rnv_store *store, const uint8_t *from)
{
	uint8_t expected[RNV_PIECE_BYTES] = {0};

	store->generation = rnv_get32(from + 8);
	store->erases[0] = rnv_get32(from + 12);
	store->erases[1] = rnv_get32(from + 16);
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
		model_encode(&store->config.models[piece - MODEL_PIECE], to);
	}
}

bool rnv_header_decode(struct rnv_store *store, uint32_t piece, const uint8_t *from)
{
	if (piece == 0u) {
		return fixed_decode(store, from);
	}
	return piece < MODEL_PIECE ? revoked_decode(store, from)
				   : model_decode(store, piece - MODEL_PIECE, from);
}

/* It covers the generation, so that what an older session has left is no entry. */
static uint32_t log_crc(uint32_t generation, const uint8_t *bytes)
{
	uint8_t first[4];

	rnv_put32(first, generation);
	return rnv_crc32(rnv_crc32(0, first, sizeof(first)), bytes, LOG_CRC_BYTES);
}

void rnv_log_encode(const struct rnv_log *log, uint32_t generation, uint32_t number, uint8_t *to)
{
	to[0] = log->kind;
	to[1] = log->model;
	rnv_put16(to + 2, number);
	memcpy(to + 4, log->content, sizeof(log->content));
	rnv_put32(to + LOG_CRC_BYTES, log_crc(generation, to));
}

static bool content_ok(const struct rnv_store *store, const struct rnv_log *log)
{
	const uint8_t *content = log->content;

	switch (log->kind) {
	case RNV_LOG_MODEL:
		return state_ok(content) && content[3] <= 3u;
	case RNV_LOG_HASH:
		return true;
	case RNV_LOG_WRITTEN:
		return written_ok(store, log->model, rnv_get32(content)) &&
		       rnv_get32(content + 4) == 0u;
	case RNV_LOG_REVOKED:
		return log->model == 0u && rnv_get32(content) != 0u && rnv_get32(content + 4) == 0u;
	default:
		return false;
	}
}

bool rnv_log_decode(const struct rnv_store *store, uint32_t number, const uint8_t *from,
		    struct rnv_log *log)
{
	log->kind = from[0];
	log->model = from[1];
	memcpy(log->content, from + 4, sizeof(log->content));
	return rnv_get16(from + 2) == number && log->model < store->config.model_count &&
	       rnv_get32(from + LOG_CRC_BYTES) == log_crc(store->generation, from) &&
	       content_ok(store, log);
}

static void revoked_apply(struct rnv_store *store, uint32_t key_id)
{
	for (uint32_t i = 0; i < store->revoked_count; i++) {
		if (store->revoked[i] == key_id) {
			return;
		}
	}
	if (store->revoked_count < RNV_STORE_MAX_REVOKED) {
		store->revoked[store->revoked_count++] = key_id;
	}
}

static void model_apply(struct rnv_store_model *model, const uint8_t *content)
{
	uint32_t begun = content[3];

	state_decode(model, content);
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

void rnv_log_model(struct rnv_log *log, uint32_t model, const struct rnv_store_model *next,
		   uint32_t begun)
{
	log->kind = RNV_LOG_MODEL;
	log->model = (uint8_t)model;
	state_encode(next, begun, log->content);
}
