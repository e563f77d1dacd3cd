/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* PSA Crypto of Zephyr's Mbed TLS keeps the contract of the crypto seam. */

#include <zephyr/ztest.h>

#include <ranvier/psa/crypto.h>
#include <ranvier/status.h>

#include "contract/crypto/contract.h"

ZTEST(ranvier_crypto, test_psa)
{
	static struct rnv_psa psa;
	struct rnv_crypto crypto;
	uint32_t checks = 0;
	const char *broken;

	zassert_equal(rnv_psa_init(&psa, &crypto), RNV_OK);
	broken = crypto_contract_run(&crypto, &checks);
	zassert_is_null(broken, "%s", broken);
	zassert_equal(checks, 7);
}

ZTEST_SUITE(ranvier_crypto, NULL, NULL, NULL, NULL, NULL);
