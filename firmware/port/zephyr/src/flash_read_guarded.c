/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Flash whose damaged units answer a read with a bus fault, on Armv7-M and Armv8-M with the Main
 * Extension: at the priority that FAULTMASK gives, CCR.BFHFNMIGN has precise bus faults of loads
 * ignored, and CFSR tells that there was one. A piece at a time, since interrupts wait meanwhile.
 */

#include <zephyr/irq.h>
#include <zephyr/sys/util.h>

#include <cmsis_core.h>

#include <ranvier/status.h>

#include "flash_internal.h"

#define PIECE     64u
#define BUS_FAULT SCB_CFSR_BUSFAULTSR_Msk

static bool copy(const volatile uint8_t *from, uint8_t *to, uint32_t bytes)
{
	const unsigned int key = irq_lock();
	const uint32_t control = SCB->CCR;
	bool faulted;

	SCB->CFSR = BUS_FAULT; /* ones clear */
	SCB->CCR = control | SCB_CCR_BFHFNMIGN_Msk;
	__set_FAULTMASK(1);
	__DSB();
	__ISB();
	for (uint32_t i = 0; i < bytes; i++) {
		to[i] = from[i];
	}
	__DSB();
	faulted = (SCB->CFSR & BUS_FAULT) != 0u;
	SCB->CFSR = BUS_FAULT;
	__set_FAULTMASK(0);
	SCB->CCR = control;
	__DSB();
	__ISB();
	irq_unlock(key);
	return !faulted;
}

int rnv_zephyr_flash_read(const struct device *device, uint32_t offset, const uint8_t *mapped,
			  void *to, uint32_t bytes)
{
	uint8_t *out = to;
	int status = RNV_OK;

	ARG_UNUSED(device);
	ARG_UNUSED(offset);
	while (bytes != 0u) {
		const uint32_t part = MIN(bytes, PIECE);

		if (!copy(mapped, out, part)) {
			status = RNV_EBADMSG;
		}
		mapped += part;
		out += part;
		bytes -= part;
	}
	return status;
}
