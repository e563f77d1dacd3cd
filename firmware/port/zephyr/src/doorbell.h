/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_PORT_ZEPHYR_DOORBELL_H_
#define RANVIER_PORT_ZEPHYR_DOORBELL_H_

/** @file @brief Interrupts from core to core, on the device that the devicetree chooses for ipc. */

/**
 * Begin to listen. Once, from a thread.
 *
 * @param rung called in an interrupt when the other core has rung
 * @retval RNV_OK  listening
 * @retval RNV_EIO the device is not ready
 */
int rnv_zephyr_doorbell_start(void (*rung)(void));

/**
 * Ring the other core's; all stores come before. Any thread or interrupt.
 *
 * @param context not used: for rnv_service_config.doorbell and its like
 */
void rnv_zephyr_doorbell_ring(void *context);

#endif /* RANVIER_PORT_ZEPHYR_DOORBELL_H_ */
