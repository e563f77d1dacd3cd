/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef TESTS_ZEPHYR_IPC_CONTROL_H_
#define TESTS_ZEPHYR_IPC_CONTROL_H_

/** @file @brief What the tests on the first core have the second one do: behind the region. */

#include <stdint.h>

#include <zephyr/devicetree.h>

/** What is to be done. */
enum control_command {
	CONTROL_RUN = 1,     /**< `argument` requests, and wait for all */
	CONTROL_ABANDON = 2, /**< begin requests, and start the client anew */
	CONTROL_HANG = 3,    /**< begin requests, and keep interrupts off until `let_go` */
	CONTROL_MUTE = 4,    /**< 1: doorbells are lost; 0: they ring */
	CONTROL_STATUS = 5,  /**< ask the server how it is */
};

/** In shared memory. Each word has one writer. */
struct control {
	uint32_t number; /**< by the first core, last: of the command; 0 at first */
	uint32_t command;
	uint32_t argument;
	uint32_t let_go; /**< of CONTROL_HANG: number of the command */
	uint32_t reserved[12];
	uint32_t done;    /**< by the second core, last: number of the command that is done */
	uint32_t status;  /**< of the last call that failed, or 0 */
	uint32_t right;   /**< results as tflite-micro has them; of this command, as what follows */
	uint32_t wrong;   /**< others */
	uint32_t stale;   /**< requests that ended with RNV_ESTALE */
	uint32_t lanes;   /**< of the model that was looked up */
	uint32_t args[3]; /**< of CONTROL_STATUS */
	uint32_t parks;   /**< since the start */
	uint32_t left;    /**< of these, left by itself */
};

#define CONTROL_OFFSET 0x7000u
#define CONTROL                                                                                    \
	((volatile struct control *)(DT_REG_ADDR(DT_CHOSEN(zephyr_ipc_shm)) + CONTROL_OFFSET))

#endif /* TESTS_ZEPHYR_IPC_CONTROL_H_ */
