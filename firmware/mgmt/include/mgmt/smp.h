/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef MGMT_SMP_H_
#define MGMT_SMP_H_

/**
 * @file
 * @brief Ranvier's SMP group (SPEC.md, Management): requests in CBOR, answered by a model server.
 *
 * Portable: Zephyr's MCUmgr and the POSIX server call rnv_smp_handle() with the states of zcbor for
 * the request's map and the reply's. Requests that change something are in a file of their own
 * (smp_write.c); a build that is read-only has smp_read_only.c in its place.
 */

#include <stdint.h>

#include <zcbor_common.h>

#include "mgmt/server.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RNV_SMP_GROUP 82 /**< The group's id. */

#define RNV_SMP_READ  0 /**< Operation of a request: read. */
#define RNV_SMP_WRITE 2 /**< Operation of a request: write. */

/** Commands: ids of requests. */
enum rnv_smp_cmd {
	RNV_SMP_CMD_INFO = 0,
	RNV_SMP_CMD_MODEL = 1,
	RNV_SMP_CMD_UPLOAD = 2,
	RNV_SMP_CMD_UPDATE = 3,
	RNV_SMP_CMD_ACTIVATE = 4,
	RNV_SMP_CMD_CONFIRM = 5,
	RNV_SMP_CMD_ROLLBACK = 6,
	RNV_SMP_CMD_ERASE = 7,
	RNV_SMP_CMD_ABORT = 8,
	RNV_SMP_CMD_RUN = 9,
	RNV_SMP_CMD_LANE = 10,
	RNV_SMP_CMD_PROFILE = 11,
	RNV_SMP_CMD_SELFTEST = 12,
	RNV_SMP_CMD_REVOKE = 13,
	RNV_SMP_CMD_STEPS = 14,
	RNV_SMP_COMMANDS /**< ids are below that */
};

#define RNV_SMP_EOK      0 /**< rnv_smp_handle(): the reply is there, which may tell an error. */
#define RNV_SMP_EMSGSIZE 7 /**< rnv_smp_handle(): the reply does not fit (MCUmgr's number). */
#define RNV_SMP_ENOTSUP  8 /**< rnv_smp_handle(): no such command (MCUmgr's number). */

/**
 * Bytes of an upload's message that are not `data`, with the SMP header: the chunk that a device
 * names is its longest message without these.
 */
#define RNV_SMP_UPLOAD_OVERHEAD 48

struct rnv_prof;

/** What the handlers work on. The caller fills it; constant while in use. */
struct rnv_smp {
	struct rnv_server *server;     /**< booted */
	struct rnv_sched *sched;       /**< the server's */
	struct rnv_prof *prof;         /**< profiler; NULL: none */
	const char *const *lane_names; /**< one for each lane of `sched` */
	const char *version;           /**< of the firmware */
	const char *board;             /**< what it runs on */
	uint32_t lane_count;           /**< lanes */
	uint32_t chunk;                /**< most bytes of `data` of an upload or a run */
};

/**
 * Answer a request. From any thread that may call the server; takes as long as that.
 *
 * @param smp what to work on
 * @param op  RNV_SMP_READ or RNV_SMP_WRITE
 * @param id  command
 * @param in  the request's map, which begins here; it is not moved
 * @param out inside the reply's map
 * @return RNV_SMP_*; but for RNV_SMP_EOK the reply's content is undefined
 */
int rnv_smp_handle(const struct rnv_smp *smp, uint32_t op, uint32_t id, zcbor_state_t *in,
		   zcbor_state_t *out);

#ifdef __cplusplus
}
#endif

#endif /* MGMT_SMP_H_ */
