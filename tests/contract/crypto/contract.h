/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef TESTS_CONTRACT_CRYPTO_CONTRACT_H_
#define TESTS_CONTRACT_CRYPTO_CONTRACT_H_

/*
 * What every implementation of the crypto seam must do (ranvier/crypto.h), as one suite for any of
 * them, on any port: no test framework, no OS. It verifies about 50 signatures. Not judged: time.
 */

#include <stdint.h>

#include "ranvier/crypto.h"

/*
 * Run every check on an implementation; no hash is under way.
 *
 * Returns NULL, or which MUST was broken first. `checks` receives how many checks were made.
 */
const char *crypto_contract_run(const struct rnv_crypto *crypto, uint32_t *checks);

#endif /* TESTS_CONTRACT_CRYPTO_CONTRACT_H_ */
