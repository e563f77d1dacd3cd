/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The portable signal processing, as the device's compiler built it, keeps its contract. */

#include <zephyr/ztest.h>

#include "contract/dsp/contract.h"

ZTEST(ranvier_contract, test_dsp_portable)
{
	uint32_t checks = 0;
	const char *broken = dsp_contract_run(rnv_dsp_portable(), NULL, &checks);

	zassert_is_null(broken, "%s", broken);
	zassert_true(checks > 0);
}

ZTEST_SUITE(ranvier_contract, NULL, NULL, NULL, NULL, NULL);
