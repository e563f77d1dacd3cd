/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef TESTS_CONTRACT_FLASH_CONTRACT_H_
#define TESTS_CONTRACT_FLASH_CONTRACT_H_

/*
 * What every implementation of ranvier/flash.h must do, as one suite for any of them, on any port:
 * no test framework, no OS, 600 bytes of static memory. Erases the region's first four sectors and
 * its last one a few times each. Not judged: how long a call takes.
 */

#include <stdbool.h>
#include <stdint.h>

#include "ranvier/flash.h"

/* A region under test, of at least five sectors. Where a hook is NULL its checks are left out. */
struct flash_contract_device {
	const struct rnv_flash *flash;
	/* Take the power away and give it back, between two calls. */
	void (*power)(void *context);
	/* Make the unit at an offset one that cannot be read. */
	void (*hurt)(void *context, uint32_t offset);
	/* How often the device itself has erased anything. */
	uint64_t (*erases)(void *context);
	void *context;
};

/*
 * Run every check. Returns NULL, or which MUST was broken first. `checks` receives how many were
 * made.
 */
const char *flash_contract_run(const struct flash_contract_device *device, uint32_t *checks);

#endif /* TESTS_CONTRACT_FLASH_CONTRACT_H_ */
