/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Whether a slot holds a package that may be used, and views of it. */

#include <stddef.h>

#include "store/registry.h"

#define PIECE 64u

enum {
	OVER = 0, /* or never begun */
	RUNNING = 1,
	VERIFIED = 2,
};

static uint32_t generation(const struct rnv_store *store, uint32_t model, uint32_t slot)
{
	const struct rnv_store_model *of = &store->config.models[model];

	return of->fills[slot] + of->changes[slot];
}

/* Its slot is as it was. */
static bool holds(const struct rnv_store *store, const struct rnv_store_verify *verify)
{
	return verify->model < store->config.model_count && verify->slot < 2u &&
	       store->config.models[verify->model].slot[verify->slot] != RNV_SLOT_EMPTY &&
	       verify->generation == generation(store, verify->model, verify->slot);
}

bool rnv_verify_holds(const struct rnv_store *store, const struct rnv_store_verify *verify)
{
	return verify->state == VERIFIED && holds(store, verify);
}

int rnv_store_verify_start(struct rnv_store *store, uint32_t model, uint32_t slot,
			   struct rnv_store_verify *verify)
{
	const struct rnv_store_model *of = rnv_store_model_get(store, model);

	memset(verify, 0, sizeof(*verify));
	if (of == NULL || slot > 1u || of->slot[slot] == RNV_SLOT_EMPTY) {
		return RNV_ENOENT;
	}
	verify->generation = generation(store, model, slot);
	verify->model = (uint8_t)model;
	verify->slot = (uint8_t)slot;
	verify->state = RUNNING;
	return RNV_OK;
}

/* What a piece of work comes to: enum rnv_store_why for a refusal, or one of these. */
enum {
	MORE = RNV_WHY_NONE,        /* so far it is fine */
	FAILED = RNV_WHY_OLDER + 1, /* the flash or the crypto implementation: nothing is known */
	DONE,
};

/* What is returned then, and told. */
static const struct {
	int8_t status;
	uint8_t state;
	uint8_t why;
} outcomes[] = {
	[MORE] = {RNV_EAGAIN, RUNNING, RNV_WHY_NONE},
	[RNV_WHY_FLASH] = {RNV_EBADMSG, OVER, RNV_WHY_FLASH},
	[RNV_WHY_HEADER] = {RNV_EBADMSG, OVER, RNV_WHY_HEADER},
	[RNV_WHY_HASH] = {RNV_EBADMSG, OVER, RNV_WHY_HASH},
	[RNV_WHY_UNSIGNED] = {RNV_EACCES, OVER, RNV_WHY_UNSIGNED},
	[RNV_WHY_KEY] = {RNV_EACCES, OVER, RNV_WHY_KEY},
	[RNV_WHY_REVOKED] = {RNV_EACCES, OVER, RNV_WHY_REVOKED},
	[RNV_WHY_SIGNATURE] = {RNV_EACCES, OVER, RNV_WHY_SIGNATURE},
	[RNV_WHY_OLDER] = {RNV_EACCES, OVER, RNV_WHY_OLDER},
	[FAILED] = {RNV_EIO, OVER, RNV_WHY_NONE},
	[DONE] = {RNV_OK, VERIFIED, RNV_WHY_NONE},
};

static const uint8_t *map(const struct rnv_store *store, const struct rnv_store_verify *verify)
{
	const struct rnv_flash *flash = store->config.flash;

	return flash->map(flash->context, rnv_slot_offset(store, verify->model, verify->slot),
			  store->config.layout[verify->model].slot_bytes);
}

/* Read what is mapped at an offset of the slot without a fault first; both have to be the same. */
static uint32_t guarded(const struct rnv_store *store, const struct rnv_store_verify *verify,
			uint32_t at, uint32_t bytes, const uint8_t *mapped)
{
	uint8_t buffer[PIECE];

	for (uint32_t i = 0; i < bytes; i += PIECE) {
		uint32_t count = rnv_min(bytes - i, PIECE);
		int status =
			rnv_store_read(store, verify->model, verify->slot, at + i, buffer, count);

		if (status < 0 && status != RNV_EBADMSG) {
			return FAILED;
		}
		if (status < 0 || memcmp(buffer, mapped + at + i, count) != 0) {
			return RNV_WHY_FLASH;
		}
	}
	return MORE;
}

/* The first step: how long the package is. */
static uint32_t begin(const struct rnv_store *store, struct rnv_store_verify *verify,
		      const uint8_t *mapped)
{
	const struct rnv_store_layout *layout = &store->config.layout[verify->model];
	const struct rnv_crypto *crypto = store->config.crypto;
	struct rnv_header header;
	uint32_t why = guarded(store, verify, 0, sizeof(header), mapped);

	if (why != MORE) {
		return why;
	}
	memcpy(&header, mapped, sizeof(header));
	if (!rnv_header_is_of(&header, layout->name) ||
	    header.total_bytes % RNV_PACKAGE_ALIGN != 0u ||
	    header.total_bytes > layout->slot_bytes) {
		return RNV_WHY_HEADER;
	}
	verify->total = header.total_bytes;
	return crypto->hash_start(crypto->context) == RNV_OK ? MORE : FAILED;
}

static uint32_t hash_some(const struct rnv_store *store, struct rnv_store_verify *verify,
			  const uint8_t *mapped, uint32_t bytes)
{
	const struct rnv_crypto *crypto = store->config.crypto;
	uint32_t from = verify->done;
	uint32_t to = from + rnv_min(bytes, verify->total - from);
	uint32_t hashed = rnv_min(to, verify->total - RNV_TRAILER_BYTES);
	uint32_t summed = rnv_min(to, verify->total - 4u);
	uint32_t why = guarded(store, verify, from, to - from, mapped);

	if (why != MORE) {
		return why;
	}
	if (hashed > from &&
	    crypto->hash_update(crypto->context, mapped + from, hashed - from) != RNV_OK) {
		return FAILED;
	}
	if (summed > from) {
		verify->crc = rnv_crc32(verify->crc, mapped + from, summed - from);
	}
	verify->done = to;
	return MORE;
}

const uint8_t *rnv_key_find(const struct rnv_store *store, uint32_t key_id)
{
	for (uint32_t i = 0; i < store->config.key_count; i++) {
		if (store->config.keys[i].id == key_id) {
			return store->config.keys[i].xy;
		}
	}
	return NULL;
}

/* Whether whoever has signed it may. */
static uint32_t check_signature(const struct rnv_store *store, const struct rnv_trailer *trailer)
{
	const struct rnv_crypto *crypto = store->config.crypto;
	const uint8_t *key = rnv_key_find(store, trailer->key_id);
	bool blank = rnv_bytes_are(trailer->signature, sizeof(trailer->signature), 0);
	int status;

	if (trailer->key_id == 0u && trailer->signature_kind == RNV_SIGNATURE_NONE && blank) {
		return (store->config.flags & RNV_STORE_ALLOW_UNSIGNED) != 0u ? MORE
									      : RNV_WHY_UNSIGNED;
	}
	if (rnv_key_is_revoked(store, trailer->key_id)) {
		return RNV_WHY_REVOKED;
	}
	if (key == NULL) {
		return RNV_WHY_KEY;
	}
	if (trailer->signature_kind != RNV_SIGNATURE_ECDSA_P256) {
		return RNV_WHY_SIGNATURE;
	}
	status = crypto->verify(crypto->context, key, trailer->sha256, trailer->signature);
	if (status == RNV_EBADMSG) {
		return RNV_WHY_SIGNATURE;
	}
	return status == RNV_OK ? MORE : FAILED;
}

static uint32_t finish(const struct rnv_store *store, struct rnv_store_verify *verify,
		       const uint8_t *mapped)
{
	const struct rnv_crypto *crypto = store->config.crypto;
	uint32_t version = rnv_get32(mapped + offsetof(struct rnv_header, security_version));
	struct rnv_trailer trailer;
	uint8_t hash[RNV_SHA256_BYTES];
	uint32_t why;

	if (crypto->hash_finish(crypto->context, hash) != RNV_OK) {
		return FAILED;
	}
	memcpy(&trailer, mapped + verify->total - RNV_TRAILER_BYTES, sizeof(trailer));
	if (memcmp(hash, trailer.sha256, sizeof(hash)) != 0 || verify->crc != trailer.crc32) {
		return RNV_WHY_HASH;
	}
	why = check_signature(store, &trailer);
	if (why != MORE) {
		return why;
	}
	return version < rnv_model_floor(store, verify->model) ? RNV_WHY_OLDER : DONE;
}

int rnv_store_verify_step(struct rnv_store *store, struct rnv_store_verify *verify, uint32_t bytes)
{
	const uint8_t *mapped;
	uint32_t outcome = MORE;

	if (verify->state != RUNNING || !holds(store, verify)) {
		verify->state = OVER;
		return RNV_ESTATE;
	}
	mapped = map(store, verify);
	if (mapped == NULL) {
		return RNV_ENOTSUP;
	}
	if (verify->total == 0u) {
		outcome = begin(store, verify, mapped);
	}
	if (outcome == MORE) {
		outcome = verify->done < verify->total ? hash_some(store, verify, mapped, bytes)
						       : finish(store, verify, mapped);
	}
	verify->state = outcomes[outcome].state;
	verify->why = outcomes[outcome].why;
	return outcomes[outcome].status;
}

int rnv_store_view_open(struct rnv_store *store, const struct rnv_store_verify *verify,
			struct rnv_store_view *view)
{
	uint8_t *views;

	memset(view, 0, sizeof(*view));
	if (!rnv_verify_holds(store, verify)) {
		return RNV_ESTATE;
	}
	views = &store->config.models[verify->model].views[verify->slot];
	if (*views == UINT8_MAX) {
		return RNV_EAGAIN;
	}
	(*views)++;
	view->data = map(store, verify);
	view->bytes = verify->total;
	view->generation = verify->generation;
	view->model = verify->model;
	view->slot = verify->slot;
	view->open = 1;
	return RNV_OK;
}

void rnv_store_view_close(struct rnv_store *store, struct rnv_store_view *view)
{
	if (view->open != 0u) {
		store->config.models[view->model].views[view->slot]--;
	}
	memset(view, 0, sizeof(*view));
}
