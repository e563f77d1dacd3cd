/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef POSIX_IPC_H_
#define POSIX_IPC_H_

/**
 * @file
 * @brief A region (ranvier/ipc.h) in a file that two processes map, and their doorbells.
 *
 * The two sides are a server and a client core's stand-ins: they start and end, also by SIGKILL, in
 * any order. Beside the file PATH lie two pipes, PATH.server and PATH.client: a byte in the one
 * rings the server's doorbell, in the other the client's. What is rung for nobody is kept for who
 * comes, or lost where the pipe is full; both are allowed.
 *
 * @code
 *   struct rnv_posix_ipc ipc;
 *   int status = rnv_posix_ipc_open(&ipc, "/tmp/region", bytes, RNV_POSIX_IPC_CLIENT);
 *
 *   if (status == 0) {
 *           config.region = ipc.region;
 *           config.doorbell = rnv_posix_ipc_ring;
 *           config.context = &ipc;
 *   }
 * @endcode
 *
 * A process that makes the file shorter ends the others with SIGBUS: it has to be one that may.
 */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Whose end it is. */
enum rnv_posix_ipc_side {
	RNV_POSIX_IPC_SERVER = 0, /**< serves the region */
	RNV_POSIX_IPC_CLIENT = 1, /**< its client */
};

/** One side's end. The caller's. */
struct rnv_posix_ipc {
	void *region;   /**< at the start of a page */
	uint32_t bytes; /**< of the region */
	int file;       /**< @private */
	int mine;       /**< @private pipe that rings here */
	int theirs;     /**< @private pipe that rings there */
};

/**
 * Map the region and open the doorbells, and make what of it does not exist. New bytes are 0.
 *
 * @param ipc   filled on success
 * @param path  file, zero-terminated
 * @param bytes of the region; the same for both sides
 * @param side  enum rnv_posix_ipc_side
 * @retval 0       open, for rnv_posix_ipc_close()
 * @retval -EINVAL a null pointer, no bytes, no such side, or a path that is no plain file's
 * @retval -EBUSY  another process is this side already
 * @return another negated errno of open(), mkfifo(), posix_fallocate() or mmap()
 */
int rnv_posix_ipc_open(struct rnv_posix_ipc *ipc, const char *path, uint32_t bytes, uint32_t side);

/** Unmap the region; files and pipes stay. */
void rnv_posix_ipc_close(struct rnv_posix_ipc *ipc);

/** Ring the other side's doorbell, behind all stores before. From any thread. For `doorbell`. */
void rnv_posix_ipc_ring(void *ipc);

/** Ring the own doorbell. From any thread or signal handler. For `rnv_service_config.wake`. */
void rnv_posix_ipc_wake(void *ipc);

/**
 * Wait until the own doorbell is rung, and silence it. From one thread.
 *
 * @param ipc        end
 * @param timeout_us longest time to wait
 * @retval 1 rung since the last wait
 * @retval 0 not rung, or a signal came
 */
int rnv_posix_ipc_wait(struct rnv_posix_ipc *ipc, uint32_t timeout_us);

#ifdef __cplusplus
}
#endif

#endif /* POSIX_IPC_H_ */
