/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_CRYPTO_H_
#define RANVIER_CRYPTO_H_

/**
 * @file
 * @brief The crypto seam: SHA-256 and the verification of an ECDSA P-256 signature.
 *
 * One hash at a time for each struct rnv_crypto. The functions may block and take long (a
 * signature: some 100 ms on a Cortex-M33 in software): they are called by the context that updates
 * models, of low priority, never in a critical section. tests/contract/crypto is what an
 * implementation has to pass.
 */

#include <stdint.h>

#include "ranvier/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RNV_SHA256_BYTES    32 /**< Size of a SHA-256. */
#define RNV_P256_KEY_BYTES  64 /**< Size of a public key: x, y, each 32 bytes big-endian. */
#define RNV_P256_SIGN_BYTES 64 /**< Size of a signature: r, s, each 32 bytes big-endian. */

/**
 * A public key that packages may be signed with. Keys are compiled in: an array of the
 * application's, made by `ranvier keys public --c`.
 */
struct rnv_key {
	uint32_t id;    /**< first four bytes, little-endian, of the SHA-256 of `xy`; never 0 */
	uint8_t xy[64]; /**< the point, RNV_P256_KEY_BYTES */
};

/** What a port supplies. The caller fills it; constant while in use. */
struct rnv_crypto {
	void *context; /**< first argument of every function */
	/**
	 * Begin a hash; one under way is dropped.
	 *
	 * @retval RNV_OK  begun
	 * @retval RNV_EIO the implementation failed
	 */
	int (*hash_start)(void *context);
	/**
	 * Add bytes. `data` may lie in mapped flash.
	 *
	 * @retval RNV_OK     added
	 * @retval RNV_ESTATE no hash is under way
	 * @retval RNV_EIO    the implementation failed
	 */
	int (*hash_update)(void *context, const void *data, uint32_t bytes);
	/**
	 * End the hash.
	 *
	 * @param hash receives RNV_SHA256_BYTES bytes
	 * @retval RNV_OK     ended
	 * @retval RNV_ESTATE no hash is under way
	 * @retval RNV_EIO    the implementation failed
	 */
	int (*hash_finish)(void *context, uint8_t *hash);
	/**
	 * Verify an ECDSA P-256 signature of a SHA-256. MUST refuse a key that is no point of the
	 * curve and r or s out of range.
	 *
	 * @param xy        RNV_P256_KEY_BYTES
	 * @param hash      RNV_SHA256_BYTES
	 * @param signature RNV_P256_SIGN_BYTES
	 * @retval RNV_OK      it is that key's
	 * @retval RNV_EBADMSG it is not
	 * @retval RNV_EIO     the implementation failed: nothing is known
	 */
	int (*verify)(void *context, const uint8_t *xy, const uint8_t *hash,
		      const uint8_t *signature);
};

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_CRYPTO_H_ */
