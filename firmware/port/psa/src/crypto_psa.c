/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "ranvier/psa/crypto.h"

#include <string.h>

#include "ranvier/status.h"

/* First byte of a point that is not compressed (SEC 1, 2.3.3). */
#define UNCOMPRESSED 0x04

static int hash_start(void *context)
{
	struct rnv_psa *psa = context;

	(void)psa_hash_abort(&psa->hash);
	return (psa_hash_setup(&psa->hash, PSA_ALG_SHA_256) == PSA_SUCCESS) ? RNV_OK : RNV_EIO;
}

/* Of a call that goes on with a hash. */
static int hash_status(psa_status_t status)
{
	if (status == PSA_SUCCESS) {
		return RNV_OK;
	}
	return (status == PSA_ERROR_BAD_STATE) ? RNV_ESTATE : RNV_EIO;
}

static int hash_update(void *context, const void *data, uint32_t bytes)
{
	struct rnv_psa *psa = context;

	return hash_status(psa_hash_update(&psa->hash, data, bytes));
}

static int hash_finish(void *context, uint8_t *hash)
{
	struct rnv_psa *psa = context;
	size_t bytes;

	return hash_status(psa_hash_finish(&psa->hash, hash, RNV_SHA256_BYTES, &bytes));
}

static int verify(void *context, const uint8_t *xy, const uint8_t *hash, const uint8_t *signature)
{
	psa_key_attributes_t attributes = PSA_KEY_ATTRIBUTES_INIT;
	uint8_t point[1 + RNV_P256_KEY_BYTES] = {UNCOMPRESSED};
	psa_key_id_t key;
	psa_status_t status;

	(void)context;
	memcpy(point + 1, xy, RNV_P256_KEY_BYTES);
	psa_set_key_type(&attributes, PSA_KEY_TYPE_ECC_PUBLIC_KEY(PSA_ECC_FAMILY_SECP_R1));
	psa_set_key_bits(&attributes, 256);
	psa_set_key_usage_flags(&attributes, PSA_KEY_USAGE_VERIFY_HASH);
	psa_set_key_algorithm(&attributes, PSA_ALG_ECDSA(PSA_ALG_SHA_256));
	status = psa_import_key(&attributes, point, sizeof(point), &key);
	if (status != PSA_SUCCESS) {
		return (status == PSA_ERROR_INVALID_ARGUMENT) ? RNV_EBADMSG : RNV_EIO;
	}
	status = psa_verify_hash(key, PSA_ALG_ECDSA(PSA_ALG_SHA_256), hash, RNV_SHA256_BYTES,
				 signature, RNV_P256_SIGN_BYTES);
	(void)psa_destroy_key(key);
	if (status == PSA_SUCCESS) {
		return RNV_OK;
	}
	return (status == PSA_ERROR_INVALID_SIGNATURE) ? RNV_EBADMSG : RNV_EIO;
}

int rnv_psa_init(struct rnv_psa *psa, struct rnv_crypto *crypto)
{
	if (psa == NULL || crypto == NULL) {
		return RNV_EINVAL;
	}
	if (psa_crypto_init() != PSA_SUCCESS) {
		return RNV_EIO;
	}
	psa->hash = psa_hash_operation_init();
	*crypto = (struct rnv_crypto){
		.context = psa,
		.hash_start = hash_start,
		.hash_update = hash_update,
		.hash_finish = hash_finish,
		.verify = verify,
	};
	return RNV_OK;
}
