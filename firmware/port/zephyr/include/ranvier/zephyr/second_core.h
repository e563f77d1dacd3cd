/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_ZEPHYR_SECOND_CORE_H_
#define RANVIER_ZEPHYR_SECOND_CORE_H_

/**
 * @file
 * @brief Start of the second core, never into blank or damaged memory; with
 * CONFIG_RANVIER_SECOND_CORE.
 *
 * Its image is a partition of the flash, or a node of memory, with the devicetree label
 * `ranvier_remote_image`, and begins with the header of `ranvier remote-image`
 * (ranvier/remote_image.h). Its RAM has the label `ranvier_remote_ram`. Both cores see both at the
 * same addresses.
 */

#include <stdbool.h>

#include <ranvier/remote_image.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The place of the image, to check it without starting: for rnv_remote_image_check().
 *
 * @param memory filled
 */
void rnv_zephyr_second_core_memory(struct rnv_remote_memory *memory);

/**
 * Check the image, and start the core. From a thread; reads the whole image. With
 * CONFIG_RANVIER_PARK it waits for a write of the flash of the image, and none begins meanwhile;
 * otherwise call it while there is none.
 *
 * @param header as rnv_remote_image_check(); may be NULL
 * @retval RNV_OK     started
 * @retval RNV_ESTATE it runs already, or another thread is starting it
 * @retval others     as rnv_remote_image_check(): it was not started
 */
int rnv_zephyr_second_core_start(struct rnv_remote_header *header);

/** Whether it runs: not while its image is checked. Any thread or interrupt. */
bool rnv_zephyr_second_core_runs(void);

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_ZEPHYR_SECOND_CORE_H_ */
