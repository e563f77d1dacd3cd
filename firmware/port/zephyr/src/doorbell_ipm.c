/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Doorbells by Zephyr's IPM, e.g. the message handling unit (MHU) of the SSE-200. */

#include <zephyr/device.h>
#include <zephyr/devicetree.h>
#include <zephyr/drivers/ipm.h>
#include <zephyr/sys/barrier.h>
#include <zephyr/sys/util.h>

#include <ranvier/status.h>

#include "doorbell.h"

/* The MHU takes a core for the message's number. */
#define OTHER_CORE (IS_ENABLED(CONFIG_RANVIER_SERVICE) ? 1u : 0u)

static const struct device *const device = DEVICE_DT_GET(DT_CHOSEN(zephyr_ipc));
static void (*bell_rung)(void);

static void on_message(const struct device *ipm, void *context, uint32_t id, volatile void *data)
{
	ARG_UNUSED(ipm);
	ARG_UNUSED(context);
	ARG_UNUSED(id);
	ARG_UNUSED(data);
	bell_rung();
}

int rnv_zephyr_doorbell_start(void (*rung)(void))
{
	if (!device_is_ready(device)) {
		return RNV_EIO;
	}
	bell_rung = rung;
	ipm_register_callback(device, on_message, NULL);
	return (ipm_set_enabled(device, 1) == 0) ? RNV_OK : RNV_EIO;
}

void rnv_zephyr_doorbell_ring(void *context)
{
	ARG_UNUSED(context);
	barrier_dmem_fence_full();
	(void)ipm_send(device, 0, OTHER_CORE, NULL, 0);
}
