/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Doorbells by Zephyr's MBOX, e.g. the mailbox of the MCXN947: signals without data. */

#include <zephyr/device.h>
#include <zephyr/devicetree.h>
#include <zephyr/drivers/mbox.h>
#include <zephyr/sys/barrier.h>
#include <zephyr/sys/util.h>

#include <ranvier/status.h>

#include "doorbell.h"

#define CHANNEL 0 /* of both directions */

static const struct mbox_dt_spec bell = {
	.dev = DEVICE_DT_GET(DT_CHOSEN(zephyr_ipc)),
	.channel_id = CHANNEL,
};
static void (*bell_rung)(void);

static void on_signal(const struct device *mbox, mbox_channel_id_t channel, void *context,
		      struct mbox_msg *message)
{
	ARG_UNUSED(mbox);
	ARG_UNUSED(channel);
	ARG_UNUSED(context);
	ARG_UNUSED(message);
	bell_rung();
}

int rnv_zephyr_doorbell_start(void (*rung)(void))
{
	bell_rung = rung;
	if (!mbox_is_ready_dt(&bell) || mbox_register_callback_dt(&bell, on_signal, NULL) != 0 ||
	    mbox_set_enabled_dt(&bell, true) != 0) {
		return RNV_EIO;
	}
	return RNV_OK;
}

void rnv_zephyr_doorbell_ring(void *context)
{
	ARG_UNUSED(context);
	barrier_dmem_fence_full();
	(void)mbox_send_dt(&bell, NULL);
}
