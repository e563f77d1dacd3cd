/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "contract.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "ranvier/status.h"

#include "vectors.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MILLION      1000000u
#define BLOCK        250u /* bytes of "a" given at once; a million is a multiple */

static const struct rnv_crypto *seam;

#define MUST(condition, text)                                                                      \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			return text;                                                               \
		}                                                                                  \
	} while (0)

static uint8_t digit(char c)
{
	return (uint8_t)((c <= '9') ? c - '0' : c - 'a' + 10);
}

static void bytes_of(const char *hex, uint8_t *bytes)
{
	for (; *hex != '\0'; hex += 2) {
		*bytes++ = (uint8_t)(digit(hex[0]) * 16u + digit(hex[1]));
	}
}

/* --- hashes ---------------------------------------------------------------------------------- */

/* `finish` for the hash under way; true where it is the one expected, and nothing is beyond. */
static bool finishes_with(const char *sha256)
{
	uint8_t expected[RNV_SHA256_BYTES + 1];
	uint8_t hash[RNV_SHA256_BYTES + 1];

	bytes_of(sha256, expected);
	expected[RNV_SHA256_BYTES] = 0xA5;
	memset(hash, 0xA5, sizeof(hash));
	return seam->hash_finish(seam->context, hash) == RNV_OK &&
	       memcmp(hash, expected, sizeof(hash)) == 0;
}

static int update(const char *text, size_t bytes)
{
	return seam->hash_update(seam->context, text, (uint32_t)bytes);
}

static const char *check_hashes(void)
{
	char block[BLOCK];

	memset(block, 'a', sizeof(block));
	for (size_t i = 0; i < COUNT(hash_vectors); i++) {
		const char *text = hash_vectors[i].text;

		MUST(seam->hash_start(seam->context) == RNV_OK, "hash_start: begins");
		if (text != NULL) {
			MUST(update(text, strlen(text)) == RNV_OK, "hash_update: takes bytes");
		}
		for (uint32_t done = 0; text == NULL && done < MILLION; done += BLOCK) {
			MUST(update(block, BLOCK) == RNV_OK, "hash_update: takes bytes");
		}
		MUST(finishes_with(hash_vectors[i].sha256), "hash_finish: the SHA-256");
	}
	return NULL;
}

/* The longest text, in pieces of every length, the empty ones included, from any address. */
static const char *check_pieces(void)
{
	const struct hash_vector *vector = &hash_vectors[COUNT(hash_vectors) - 2u];
	const size_t length = strlen(vector->text);

	for (size_t piece = 1; piece <= length; piece++) {
		MUST(seam->hash_start(seam->context) == RNV_OK, "hash_start: begins");
		for (size_t at = 0; at < length; at += piece) {
			const size_t left = length - at;

			MUST(update(vector->text + at, 0) == RNV_OK, "hash_update: takes none");
			MUST(update(vector->text + at, (left < piece) ? left : piece) == RNV_OK,
			     "hash_update: takes bytes");
		}
		MUST(finishes_with(vector->sha256), "hash_update: pieces of any length");
	}
	return NULL;
}

static const char *check_order(void)
{
	uint8_t hash[RNV_SHA256_BYTES];

	MUST(update("abc", 3) == RNV_ESTATE, "hash_update: RNV_ESTATE where no hash is under way");
	MUST(seam->hash_finish(seam->context, hash) == RNV_ESTATE,
	     "hash_finish: RNV_ESTATE where no hash is under way");
	MUST(seam->hash_start(seam->context) == RNV_OK, "hash_start: begins");
	MUST(update("abd", 3) == RNV_OK, "hash_update: takes bytes");
	MUST(seam->hash_start(seam->context) == RNV_OK, "hash_start: drops what is under way");
	MUST(update("abc", 3) == RNV_OK, "hash_update: takes bytes");
	MUST(finishes_with(hash_vectors[1].sha256), "hash_start: drops what is under way");
	MUST(update("abc", 3) == RNV_ESTATE, "hash_finish: ends the hash");
	MUST(seam->hash_finish(seam->context, hash) == RNV_ESTATE, "hash_finish: ends the hash");
	return NULL;
}

/* --- signatures ------------------------------------------------------------------------------ */

struct material {
	uint8_t xy[RNV_P256_KEY_BYTES];
	uint8_t hash[RNV_SHA256_BYTES];
	uint8_t signature[RNV_P256_SIGN_BYTES];
};

static struct material load(size_t number)
{
	struct material material;

	bytes_of(signature_vectors[number].xy, material.xy);
	bytes_of(signature_vectors[number].hash, material.hash);
	bytes_of(signature_vectors[number].signature, material.signature);
	return material;
}

static int verify(const struct material *material)
{
	return seam->verify(seam->context, material->xy, material->hash, material->signature);
}

static const char *check_good(void)
{
	for (size_t i = 0; i < COUNT(signature_vectors); i++) {
		const struct material material = load(i);

		MUST(verify(&material) == RNV_OK, "verify: RNV_OK for a good signature");
	}
	return NULL;
}

static const char *check_bad(void)
{
	for (size_t i = 0; i < COUNT(bad_vectors); i++) {
		const struct bad_vector *bad = &bad_vectors[i];
		struct material material = load(bad->of);

		if (bad->xy != NULL) {
			bytes_of(bad->xy, material.xy);
		}
		if (bad->signature != NULL) {
			bytes_of(bad->signature, material.signature);
		}
		MUST(verify(&material) == RNV_EBADMSG, bad->must);
	}
	return NULL;
}

/* One bit of the key, the hash and the signature each, in every eighth byte. */
static const char *check_flips(void)
{
	for (size_t i = 0; i < sizeof(struct material); i += 8u) {
		struct material material = load(SAMPLE);

		((uint8_t *)&material)[i] ^= (uint8_t)(1u << (i / 8u % 8u));
		MUST(verify(&material) == RNV_EBADMSG, "verify: refuses a changed bit");
	}
	return NULL;
}

static const char *check_const(void)
{
	const struct material material = load(SAMPLE);
	const struct material copy = material;

	MUST(verify(&material) == RNV_OK, "verify: RNV_OK after what was refused");
	MUST(memcmp(&material, &copy, sizeof(copy)) == 0, "verify: its arguments are only read");
	return NULL;
}

/* --- the suite ------------------------------------------------------------------------------- */

const char *crypto_contract_run(const struct rnv_crypto *crypto, uint32_t *checks)
{
	const char *(*const all[])(void) = {
		check_order, check_hashes, check_pieces, check_good,
		check_bad,   check_flips,  check_const,
	};

	seam = crypto;
	*checks = 0;
	for (size_t i = 0; i < COUNT(all); i++) {
		const char *broken = all[i]();

		if (broken != NULL) {
			return broken;
		}
		(*checks)++;
	}
	return NULL;
}
