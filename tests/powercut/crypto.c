/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "crypto.h"

#include <stddef.h>
#include <string.h>

static struct fake_hash running;

static void start(struct fake_hash *hash)
{
	*hash = (struct fake_hash){{1, 2, 3, 4}, 0, 0};
}

static void add_word(struct fake_hash *hash, uint64_t word)
{
	uint64_t *lane = &hash->lanes[hash->bytes / 8u % 4u];

	*lane = (*lane ^ word) * 0x9E3779B97F4A7C15ULL;
	*lane ^= *lane >> 29;
}

static void update(struct fake_hash *hash, const uint8_t *data, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes;) {
		uint64_t word;

		if (hash->bytes % 8u == 0u && bytes - i >= 8u) {
			memcpy(&word, data + i, 8);
			add_word(hash, word);
			hash->bytes += 8u;
			i += 8u;
			continue;
		}
		hash->word |= (uint64_t)data[i++] << (8u * (hash->bytes % 8u));
		if (hash->bytes % 8u == 7u) {
			add_word(hash, hash->word);
			hash->word = 0;
		}
		hash->bytes++;
	}
}

static void finish(struct fake_hash *hash, uint8_t *to)
{
	uint64_t all = hash->word ^ hash->bytes;

	for (uint32_t round = 0; round < 8u; round++) {
		uint64_t *lane = &hash->lanes[round % 4u];

		all = (all ^ *lane) * 0xBF58476D1CE4E5B9ULL;
		all ^= all >> 31;
		*lane = all;
	}
	memcpy(to, hash->lanes, RNV_SHA256_BYTES);
}

void fake_hash(const void *data, uint32_t bytes, uint8_t *hash)
{
	struct fake_hash one;

	start(&one);
	update(&one, data, bytes);
	finish(&one, hash);
}

void fake_sign(const uint8_t *xy, const uint8_t *hash, uint8_t *signature)
{
	struct fake_hash one;

	start(&one);
	update(&one, xy, RNV_P256_KEY_BYTES);
	update(&one, hash, RNV_SHA256_BYTES);
	finish(&one, signature);
	memcpy(signature + 32, signature, 32);
}

static int hash_start(void *context)
{
	start(context);
	return RNV_OK;
}

static int hash_update(void *context, const void *data, uint32_t bytes)
{
	update(context, data, bytes);
	return RNV_OK;
}

static int hash_finish(void *context, uint8_t *hash)
{
	finish(context, hash);
	return RNV_OK;
}

static int verify(void *context, const uint8_t *xy, const uint8_t *hash, const uint8_t *signature)
{
	uint8_t expected[RNV_P256_SIGN_BYTES];

	(void)context;
	fake_sign(xy, hash, expected);
	return memcmp(expected, signature, sizeof(expected)) == 0 ? RNV_OK : RNV_EBADMSG;
}

const struct rnv_crypto fake_crypto = {&running, hash_start, hash_update, hash_finish, verify};
