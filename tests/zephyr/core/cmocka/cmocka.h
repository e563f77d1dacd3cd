/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef TESTS_ZEPHYR_CORE_CMOCKA_H_
#define TESTS_ZEPHYR_CORE_CMOCKA_H_

/* What the fixture of tests/unit/model needs of cmocka, by ztest. */

#include <zephyr/ztest.h>

#define assert_int_equal(a, b) zassert_equal(a, b)

#endif /* TESTS_ZEPHYR_CORE_CMOCKA_H_ */
