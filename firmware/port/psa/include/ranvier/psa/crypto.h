/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_PSA_CRYPTO_H_
#define RANVIER_PSA_CRYPTO_H_

/**
 * @file
 * @brief The crypto seam (`ranvier/crypto.h`) on the PSA Crypto API, which Mbed TLS has: Debian's
 * on POSIX, the module of that name on Zephyr.
 *
 * The library has to be built with SHA-256 and, for verification, ECDSA on P-256 and public keys
 * of that curve. It takes its memory where it always does; one slot for a key is used while a
 * signature is verified.
 */

#include <psa/crypto.h>

#include "ranvier/crypto.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Memory of a seam; the caller's, as long as it is used. */
struct rnv_psa {
	psa_hash_operation_t hash; /**< @private */
};

/**
 * Start the library, if nobody has, and fill a seam. Not from an interrupt.
 *
 * @param psa    memory, which need not be initialised
 * @param crypto seam to fill; for one thread at a time
 * @retval RNV_OK     filled
 * @retval RNV_EINVAL NULL
 * @retval RNV_EIO    the library cannot be started: it has no memory, or no random numbers
 */
int rnv_psa_init(struct rnv_psa *psa, struct rnv_crypto *crypto);

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_PSA_CRYPTO_H_ */
