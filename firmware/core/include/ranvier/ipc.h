/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_IPC_H_
#define RANVIER_IPC_H_

/**
 * @file
 * @brief What a client core and the server core share: the region, its messages, its life cycle.
 *
 * A *region* is one client's: two rings and a few *slots* for payload. A request has a slot; the
 * client writes the inputs into it, the kernels read them there and write the outputs behind them,
 * and the client reads those there. Nothing is copied. Everything is an offset from the region's
 * start, since two cores may see it at two addresses. SPEC.md section 7 has every byte.
 *
 * *Bond.* The server formats the region, with an *epoch* of its own. A client says hello with that
 * epoch and a new one of its own; the server ends what is left of the bond before (cancels its
 * jobs, waits until they have let go of the slots) and accepts. Whichever side starts first, or
 * again, the other one sees an epoch change, and what was under way is over. A message counts only
 * with the epoch of the present bond.
 *
 * ranvier/client.h is the client's side, ranvier/service.h the server's. All that one side reads of
 * the other is copied once and then checked.
 */

#include <stdint.h>

#include "ranvier/ring.h"
#include "ranvier/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RNV_IPC_MAGIC       0x49564E52 /**< "RNVI": the region is formatted. */
#define RNV_IPC_VERSION     1          /**< Of the region's layout. */
#define RNV_IPC_LINE        64 /**< Alignment of the region, of what has one writer, of slots. */
#define RNV_IPC_MAX_SLOTS   32 /**< Slots of a region. */
#define RNV_IPC_ALIGN       16 /**< Of each tensor in a slot, see RNV_JOB_PACKED. */
#define RNV_IPC_NAME        32 /**< Bytes of a model's name in a slot, with its zero. */
#define RNV_IPC_MAX_TENSORS 12 /**< Inputs and outputs that a look-up describes. */

/** `rnv_message.args[2]` of a submit: no deadline. */
#define RNV_IPC_NO_DEADLINE 0xFFFFFFFF

/** What is asked, and answered. */
enum rnv_ipc_type {
	/** How the server is. Response: args = {jobs of this client, completed, refused}. */
	RNV_IPC_STATUS = 1,
	/**
	 * Look a model up. The slot holds its name (RNV_IPC_NAME bytes, zero-terminated); args[0]
	 * is the entry point. Response: the slot holds a struct rnv_ipc_model.
	 */
	RNV_IPC_LOOKUP = 2,
	/**
	 * Run a model on the slot. args[0]: handle; args[1]: entry | lane << 16 | flags << 24
	 * (RNV_JOB_*, only those of RNV_IPC_JOB_FLAGS); args[2]: deadline in microseconds from when
	 * the server takes the request, or RNV_IPC_NO_DEADLINE. Response: args = {microseconds from
	 * acceptance to the first step, to the end, 1 if that was after the deadline}; the two
	 * times saturate.
	 */
	RNV_IPC_SUBMIT = 3,
	/** Cancel the request of number args[0]. No response: that request has one. */
	RNV_IPC_CANCEL = 4,
};

/** RNV_JOB_* that a client may ask for. */
#define RNV_IPC_JOB_FLAGS 0x7A

/** A model as a look-up describes it, in a slot. 96 bytes. */
struct rnv_ipc_model {
	uint32_t model; /**< handle, for RNV_IPC_SUBMIT; dead once the model is swapped or closed */
	uint32_t lanes; /**< bit l: bound to lane l, and open to this client */
	uint32_t bytes; /**< of all tensors in a slot, each at the next multiple of RNV_IPC_ALIGN */
	uint16_t inputs;                            /**< tensors that the client writes */
	uint16_t outputs;                           /**< tensors behind them that the job writes */
	uint32_t tensor_bytes[RNV_IPC_MAX_TENSORS]; /**< of each; 0 behind the last */
	uint32_t reserved[8];                       /**< 0 */
};

/** The sizes of a region. */
struct rnv_ipc_layout {
	uint32_t entries;    /**< messages of each ring: a power of two, more than `slots` */
	uint32_t slots;      /**< 1..RNV_IPC_MAX_SLOTS */
	uint32_t slot_bytes; /**< a multiple of RNV_IPC_LINE, at least 128 */
};

/**
 * Bytes of a region.
 *
 * @param layout sizes
 * @return bytes, or 0: sizes that are not allowed, or more than 2^31 bytes
 */
uint32_t rnv_ipc_bytes(const struct rnv_ipc_layout *layout);

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_IPC_H_ */
