/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef TESTS_POWERCUT_CRYPTO_H_
#define TESTS_POWERCUT_CRYPTO_H_

/*
 * Stands in for SHA-256 and ECDSA: the sweep is about flash, and has to be fast. The hash is a
 * checksum of 256 bits that an accident does not get past, but anybody else does; a signature is
 * the checksum of key and hash. tests/contract/crypto is about the real ones.
 */

#include <stdint.h>

#include "ranvier/crypto.h"

struct fake_hash {
	uint64_t lanes[4];
	uint64_t word; /* bytes that are not eight yet */
	uint32_t bytes;
};

extern const struct rnv_crypto fake_crypto;

void fake_hash(const void *data, uint32_t bytes, uint8_t *hash);
void fake_sign(const uint8_t *xy, const uint8_t *hash, uint8_t *signature);

#endif /* TESTS_POWERCUT_CRYPTO_H_ */
