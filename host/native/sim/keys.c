/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "keys.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mbedtls/pk.h>

#define MOST_BYTES 65536u
#define DER_BYTES  91 /* of a public key of P-256 */

static const char begin[] = "-----BEGIN";
static const char end[] = "-----END";

/* What a public key of P-256 (SubjectPublicKeyInfo, RFC 5480) begins with, up to x and y. */
static const uint8_t der_head[DER_BYTES - RNV_P256_KEY_BYTES] = {
	0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06,
	0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04};

/* One block of PEM, zero-terminated, to a key. */
static int read_key(struct rnv_key *key, const struct rnv_crypto *crypto, const char *pem)
{
	mbedtls_pk_context parsed;
	uint8_t der[256];
	uint8_t hash[RNV_SHA256_BYTES];
	int bytes = 0;
	const uint8_t *at;

	mbedtls_pk_init(&parsed);
	if (mbedtls_pk_parse_public_key(&parsed, (const unsigned char *)pem, strlen(pem) + 1u) ==
	    0) {
		bytes = mbedtls_pk_write_pubkey_der(&parsed, der, sizeof(der));
	}
	mbedtls_pk_free(&parsed);
	at = der + sizeof(der) - DER_BYTES; /* it is written at the buffer's end */
	if (bytes != DER_BYTES || memcmp(at, der_head, sizeof(der_head)) != 0) {
		return RNV_EFORMAT;
	}
	memcpy(key->xy, at + sizeof(der_head), sizeof(key->xy));
	if (crypto->hash_start(crypto->context) != RNV_OK ||
	    crypto->hash_update(crypto->context, key->xy, sizeof(key->xy)) != RNV_OK ||
	    crypto->hash_finish(crypto->context, hash) != RNV_OK) {
		return RNV_EIO;
	}
	key->id = (uint32_t)hash[0] | (uint32_t)hash[1] << 8 | (uint32_t)hash[2] << 16 |
		  (uint32_t)hash[3] << 24;
	return RNV_OK;
}

/* The file's text, for free(), or NULL. */
static char *load(const char *path)
{
	FILE *file = fopen(path, "rb");
	char *text = (file != NULL) ? malloc(MOST_BYTES + 1u) : NULL;

	if (text != NULL) {
		size_t count = fread(text, 1, MOST_BYTES, file);

		text[count] = '\0';
		if (ferror(file) != 0) {
			free(text);
			text = NULL;
		}
	}
	if (file != NULL) {
		(void)fclose(file);
	}
	return text;
}

static int read_blocks(struct rnv_key keys[SIM_KEYS], const struct rnv_crypto *crypto, char *text)
{
	int count = 0;
	char *at = strstr(text, begin);

	while (at != NULL) {
		char *stop = strstr(at, end);
		char *next = (stop != NULL) ? strstr(stop, begin) : NULL;

		if (next != NULL) {
			next[-1] = '\0'; /* the end of the line before */
		}
		if (stop == NULL || count == SIM_KEYS ||
		    read_key(&keys[count], crypto, at) != RNV_OK) {
			return -1;
		}
		count++;
		at = next;
	}
	return count;
}

int sim_keys_read(struct rnv_key keys[SIM_KEYS], const struct rnv_crypto *crypto, const char *path)
{
	char *text = load(path);
	int count;

	if (text == NULL) {
		(void)fprintf(stderr, "ranvier-sim: %s: cannot be read: %s\n", path,
			      strerror(errno));
		return -1;
	}
	count = read_blocks(keys, crypto, text);
	free(text);
	if (count <= 0) {
		(void)fprintf(
			stderr,
			"ranvier-sim: %s: not 1 to %d public keys of P-256 in PEM, as ranvier "
			"keys public --pem writes them\n",
			path, SIM_KEYS);
		return -1;
	}
	return count;
}
