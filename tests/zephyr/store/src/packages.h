/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef TESTS_ZEPHYR_STORE_PACKAGES_H_
#define TESTS_ZEPHYR_STORE_PACKAGES_H_

#include <stdint.h>

/** Packages of the digits model. */
enum package_number {
	PACKAGE_FIRST,    /**< 1.0.0, security version 1 */
	PACKAGE_SECOND,   /**< 2.0.0, security version 2 */
	PACKAGE_UNSIGNED, /**< 3.0.0 */
};

/** A package. */
struct package {
	const uint8_t *data;
	uint32_t bytes;
};

/** By enum package_number. */
extern const struct package packages[];

#endif /* TESTS_ZEPHYR_STORE_PACKAGES_H_ */
