/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_ZEPHYR_FAULT_H_
#define RANVIER_ZEPHYR_FAULT_H_

/**
 * @file
 * @brief Faults of the memory protection unit (MPU) cost the thread that made them, no more; with
 * CONFIG_RANVIER_FAULT_GUARD.
 *
 * The handler of fatal errors is the application's. One that goes on where that is safe:
 *
 *     void k_sys_fatal_error_handler(unsigned int reason, const struct arch_esf *esf)
 *     {
 *             if (rnv_fault_is_guard(reason, esf)) {
 *                     return; // Zephyr aborts the thread
 *             }
 *             sys_reboot(SYS_REBOOT_COLD);
 *     }
 *
 * CONFIG_RANVIER_FAULT_HANDLER has one for applications that have none.
 */

#include <stdbool.h>

#include <zephyr/arch/cpu.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Whether the MPU has stopped a thread that the system can go on without: not an interrupt, not an
 * essential thread, not one of Ranvier's (scheduler, service, model store), whose bookkeeping and
 * locks would be left as they are. Threads of the application that others cannot go on without are
 * to be essential (K_ESSENTIAL). Other faults, as of the bus or of an undefined instruction, never
 * are. From a handler of fatal errors.
 *
 * @param reason of k_sys_fatal_error_handler()
 * @param esf    likewise; may be NULL: never
 */
bool rnv_fault_is_guard(unsigned int reason, const struct arch_esf *esf);

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_ZEPHYR_FAULT_H_ */
