/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef TESTS_CONTRACT_NPU_CONTRACT_H_
#define TESTS_CONTRACT_NPU_CONTRACT_H_

/*
 * What every driver of an accelerator must do (ranvier/npu.h), as one suite for any of them, on any
 * port: no test framework, no OS, about 2.5 KB of static memory. Not judged: how long invoke takes.
 */

#include <stdbool.h>
#include <stdint.h>

#include "ranvier/npu.h"
#include "ranvier/package.h"

/* What a package may need to be used by the suite. */
#define NPU_CONTRACT_ARENA    256
#define NPU_CONTRACT_EXTERNAL 64 /* bytes of each external tensor */
#define NPU_CONTRACT_SLOTS    4  /* external tensors */

/* How the device shall treat the requests to come. */
enum npu_contract_mode {
	NPU_CONTRACT_WORK,   /* as it normally does */
	NPU_CONTRACT_SLOW,   /* take `slow_us` */
	NPU_CONTRACT_HANG,   /* never end by itself; an abort is not answered either */
	NPU_CONTRACT_FAULT,  /* end with an error */
	NPU_CONTRACT_REFUSE, /* refuse at invoke */
};

/* A device under test. */
struct npu_contract_device {
	const struct rnv_npu_driver *driver;
	void *device;
	struct rnv_npu *npu; /* where the device sends its events; the suite initialises it */
	/* Let time pass, and the device's own context run. */
	void (*pass)(void *context, uint32_t us);
	/* Choose a mode; false: this device cannot be made to do so, the check is left out. */
	bool (*mode)(void *context, enum npu_contract_mode mode);
	void *context;
	uint32_t slow_us; /* longer than any normal request */
};

/*
 * Run every check with a package that has steps marked for an accelerator.
 *
 * Returns NULL, or which MUST was broken first. `checks` receives how many checks were made.
 */
const char *npu_contract_run(const struct npu_contract_device *device,
			     const struct rnv_package *pkg, uint32_t *checks);

#endif /* TESTS_CONTRACT_NPU_CONTRACT_H_ */
