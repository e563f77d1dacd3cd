/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_PARK_H_
#define RANVIER_PARK_H_

/**
 * @file
 * @brief Hold the client's core still while the flash that it executes from is written.
 *
 * Each erase or program call has a park of its own, and nothing else is done in one: a host that
 * goes away in the middle of an update leaves no core parked. A park is a token in the region; the
 * client answers with the token once it executes from RAM with its interrupts masked, and goes on
 * when the token changes.
 *
 * Both sides have a limit. The server does not begin an operation later than `begin_us` after it
 * asked; the client, if nobody releases it, goes on after its own limit, which MUST be longer than
 * `begin_us` + the longest call, by what the two clocks can differ. So a server that dies
 * never leaves the client parked, and the client never wakes in an operation. A token that the
 * client has given up so does not park it again.
 *
 * A server that starts anew MUST NOT format the region (rnv_service_init()) before the flash is
 * idle, nor start the client's core in an operation. tests/ipc has the model for the model checker.
 */

#include <stdint.h>

#include "ranvier/flash.h"
#include "ranvier/ipc.h"
#include "ranvier/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The server's side. The caller fills the members in front; constant while in use. */
struct rnv_park {
	void *region;      /**< of the client, formatted by its service */
	uint32_t begin_us; /**< how long the client may take to answer */
	/** Monotonic time in microseconds. */
	uint64_t (*now_us)(void *context);
	/** Called while waiting for the answer: may yield for a while shorter than `begin_us`.
	 * NULL: spin. */
	void (*relax)(void *context);
	/** From the last look at the clock to the operation's end nothing may come between that
	 * lasts: lock the scheduler, called once the client has answered. NULL: nothing does. */
	void (*hold)(void *context);
	/** Behind the operation, for each `hold`. NULL where `hold` is. */
	void (*let_go)(void *context);
	/** Tell the client to look, see rnv_service_config.doorbell. NULL: it polls. */
	void (*doorbell)(void *context);
	/** Whether the client's core executes at all: 0 needs no park. */
	int (*runs)(void *context);
	void *context;  /**< for all of these */
	uint32_t token; /**< @private last one; 0 at first */
	uint32_t held;  /**< @private 1: parked; 0 at first, as the counters */
	uint32_t parks; /**< parks answered; wraps */
	uint32_t late;  /**< parks not answered in time; wraps */
	uint32_t left;  /**< parks that the client left before the end; wraps */
};

/**
 * Park the client. From the context that writes the flash.
 *
 * @retval RNV_OK        it executes from RAM and waits, or its core does not run: begin now, and
 *                       call rnv_park_end() behind
 * @retval RNV_ETIMEDOUT it did not answer; it has been told to go on
 */
int rnv_park_begin(struct rnv_park *park);

/**
 * Let the client go on. Always, whatever happened since.
 *
 * @retval RNV_OK     it was parked until now, or its core does not run
 * @retval RNV_ESTATE it was not: it had gone on by itself
 */
int rnv_park_end(struct rnv_park *park);

/** A flash whose writes park the client. The caller's; `inner` and `park` outlive it. */
struct rnv_parked_flash {
	const struct rnv_flash *inner; /**< @private */
	struct rnv_park *park;         /**< @private */
	uint32_t first;                /**< @private */
	uint32_t end;                  /**< @private */
};

/**
 * Put a park around every erase and program of a part of a flash; reads and the rest are passed on.
 *
 * erase and program return RNV_EIO where the client did not answer (nothing was changed then) or
 * left its park (the caller reads back, as after any failure). `max_op_us` is longer by `begin_us`.
 *
 * @param parked memory for it
 * @param inner  flash
 * @param park   how to park the client
 * @param first  first byte of the bank that the client executes from, in the flash
 * @param end    byte behind it
 * @param outer  filled: the flash to use
 * @retval RNV_OK     made
 * @retval RNV_EINVAL NULL, no such part, or a park without region or clock
 */
int rnv_parked_flash_init(struct rnv_parked_flash *parked, const struct rnv_flash *inner,
			  struct rnv_park *park, uint32_t first, uint32_t end,
			  struct rnv_flash *outer);

/**
 * The client's side: answer, and wait. MUST lie in RAM, and be called with interrupts masked whose
 * handlers do not. Calls nothing.
 *
 * @param region shared memory
 * @param token  rnv_client_park_asked(), not 0
 * @param spins  turns of the loop after which it goes on by itself; 0: it is not parked
 * @retval 1 released
 * @retval 0 gone on by itself, now or before
 */
int rnv_park_wait(void *region, uint32_t token, uint32_t spins);

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_PARK_H_ */
