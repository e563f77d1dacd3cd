/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef SMP_INTERNAL_H_
#define SMP_INTERNAL_H_

/* What the files of the SMP group share. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <zcbor_common.h>

#include "mgmt/smp.h"

/*
 * All keys of requests and replies; their names exist once. The first ones are those of requests:
 * at most 32, as `rnv_smp_request.found` has a bit for each.
 */
#define RNV_SMP_KEYS(X)                                                                            \
	X(M, "m")                                                                                  \
	X(OFF, "off")                                                                              \
	X(ON, "on")                                                                                \
	X(KEY, "key")                                                                              \
	X(LEN, "len")                                                                              \
	X(DATA, "data")                                                                            \
	X(CRC, "crc")                                                                              \
	X(SHA, "sha")                                                                              \
	X(HDR, "hdr")                                                                              \
	X(ENC, "enc")                                                                              \
	X(BASE, "base")                                                                            \
	X(SLOW, "slow")                                                                            \
	X(I, "i")                                                                                  \
	X(ID, "id")                                                                                \
	X(ENTRY, "entry")                                                                          \
	X(LANE, "lane")                                                                            \
	X(DEADLINE_US, "deadline_us")                                                              \
	X(RESET, "reset")                                                                          \
	X(PERMANENT, "permanent")                                                                  \
	X(SLOT, "slot")                                                                            \
	X(ABI, "abi")                                                                              \
	X(ARENA_BYTES, "arena_bytes")                                                              \
	X(ARENA_HIGH_WATER, "arena_high_water")                                                    \
	X(BOARD, "board")                                                                          \
	X(BYTES, "bytes")                                                                          \
	X(CANCELLED, "cancelled")                                                                  \
	X(CHANGING, "changing")                                                                    \
	X(CHUNK, "chunk")                                                                          \
	X(COMPLETED, "completed")                                                                  \
	X(CONFIRMED, "confirmed")                                                                  \
	X(COUNT, "count")                                                                          \
	X(DONE, "done")                                                                            \
	X(DROPPED, "dropped")                                                                      \
	X(ERASES, "erases")                                                                        \
	X(ERR, "err")                                                                              \
	X(ERROR, "error")                                                                          \
	X(FAILED, "failed")                                                                        \
	X(FILLS, "fills")                                                                          \
	X(FIRMWARE, "firmware")                                                                    \
	X(FLOOR, "floor")                                                                          \
	X(FORMAT, "format")                                                                        \
	X(GROUP, "group")                                                                          \
	X(IO, "io")                                                                                \
	X(ISA, "isa")                                                                              \
	X(JOB, "job")                                                                              \
	X(JOBS, "jobs")                                                                            \
	X(KEPT, "kept")                                                                            \
	X(KEYS, "keys")                                                                            \
	X(LANES, "lanes")                                                                          \
	X(LONGEST_ATOMIC_BLOCKED_US, "longest_atomic_blocked_us")                                  \
	X(LONGEST_NPU_BLOCKED_US, "longest_npu_blocked_us")                                        \
	X(LONGEST_QUEUED_US, "longest_queued_us")                                                  \
	X(LONGEST_STEP_BLOCKED_US, "longest_step_blocked_us")                                      \
	X(MISSED, "missed")                                                                        \
	X(MODELS, "models")                                                                        \
	X(MOST_QUEUED, "most_queued")                                                              \
	X(N, "n")                                                                                  \
	X(OPS, "ops")                                                                              \
	X(PACKAGE, "package")                                                                      \
	X(PATCH, "patch")                                                                          \
	X(PHASE, "phase")                                                                          \
	X(PREEMPTED, "preempted")                                                                  \
	X(QUEUED, "queued")                                                                        \
	X(RC, "rc")                                                                                \
	X(READ_ONLY, "read_only")                                                                  \
	X(REFUSED, "refused")                                                                      \
	X(REVOKED, "revoked")                                                                      \
	X(RUNNING, "running")                                                                      \
	X(SLOTS, "slots")                                                                          \
	X(SLOT_BYTES, "slot_bytes")                                                                \
	X(STATE, "state")                                                                          \
	X(STATUS, "status")                                                                        \
	X(SUBMITTED, "submitted")                                                                  \
	X(SV, "sv")                                                                                \
	X(TOTAL, "total")                                                                          \
	X(TRIAL, "trial")                                                                          \
	X(TRIAL_SLOT, "trial_slot")                                                                \
	X(TRIES, "tries")                                                                          \
	X(UNSIGNED, "unsigned")                                                                    \
	X(US, "us")                                                                                \
	X(VERSION, "version")                                                                      \
	X(WHY, "why")                                                                              \
	X(WRITTEN, "written")

#define RNV_SMP_ENUMERATE(key, name) RNV_SMP_KEY_##key,

enum rnv_smp_key {
	RNV_SMP_KEYS(RNV_SMP_ENUMERATE)
};

#define RNV_SMP_REQUEST_KEYS (RNV_SMP_KEY_SLOT + 1)

/* --- members of structs, as values of maps --- */

/* The major type of CBOR that a value has. */
enum rnv_smp_kind {
	RNV_SMP_UINT = 0,  /* uint8_t to uint64_t */
	RNV_SMP_INT = 1,   /* int32_t; it may be positive */
	RNV_SMP_BYTES = 2, /* requests: struct rnv_smp_bytes; replies: uint8_t[] */
	RNV_SMP_TEXT = 3,  /* requests: struct rnv_smp_bytes; replies: const char * */
	RNV_SMP_ARRAY = 4, /* replies: uint16_t[] */
	RNV_SMP_BOOL = 7,  /* uint32_t or uint16_t */
};

/* Where a key's value is. */
struct rnv_smp_row {
	uint8_t key;    /* enum rnv_smp_key */
	uint8_t kind;   /* enum rnv_smp_kind */
	uint8_t offset; /* in the struct */
	uint8_t size;
};

#define RNV_SMP_ROW(key, kind, type, member)                                                       \
	{RNV_SMP_KEY_##key, RNV_SMP_##kind, offsetof(type, member), sizeof(((type *)NULL)->member)}

/* --- requests (smp_map.c) --- */

struct rnv_smp_bytes {
	const void *data;
	uint32_t bytes;
};

/* What a request says: the values of all keys that any request has. */
struct rnv_smp_request {
	struct rnv_server_run run;    /* but for its model, bytes and flags */
	struct rnv_ota_request offer; /* but for its model, bytes, flags and buffers */
	struct rnv_smp_bytes m;
	struct rnv_smp_bytes data;
	struct rnv_smp_bytes sha;
	struct rnv_smp_bytes hdr;
	uint32_t off;
	uint32_t len;
	uint32_t crc;
	uint32_t i;
	uint32_t slot;
	uint32_t key;
	uint32_t slow;
	uint32_t reset;
	uint32_t permanent;
	uint32_t on;
	uint32_t found; /* bit k: it has key k */
	int model;      /* number of that of `m`, RNV_ENOENT; RNV_EINVAL: without `m` */
};

#define RNV_SMP_HAS(key) (1u << RNV_SMP_KEY_##key)

/*
 * Read the request's map, passing over keys that no request has; values whose keys are missing stay
 * as they are. False: malformed, or a value of another type.
 */
bool rnv_smp_decode(const zcbor_state_t *in, struct rnv_smp_request *request);

/* --- commands --- */

/*
 * Works, then encodes its reply. Returns RNV_OK, or a negative code, with nothing encoded. What
 * does not fit shows in `out`.
 */
typedef int (*rnv_smp_handler)(const struct rnv_smp *smp, struct rnv_smp_request *request,
			       zcbor_state_t *out);

struct rnv_smp_command {
	rnv_smp_handler handler;
	uint16_t id;    /* enum rnv_smp_cmd */
	uint16_t needs; /* RNV_SMP_HAS() of the keys that a request must have */
};

/* Commands of an op; after the last one: handler NULL. */
extern const struct rnv_smp_command rnv_smp_reads[];

/* In smp_write.c or smp_read_only.c. */
extern const bool rnv_smp_is_read_only;
extern const struct rnv_smp_command rnv_smp_writes[];

int rnv_smp_run_write(const struct rnv_smp *smp, struct rnv_smp_request *request,
		      zcbor_state_t *out);
int rnv_smp_run_read(const struct rnv_smp *smp, struct rnv_smp_request *request,
		     zcbor_state_t *out);
int rnv_smp_selftest_write(const struct rnv_smp *smp, struct rnv_smp_request *request,
			   zcbor_state_t *out);
int rnv_smp_selftest_read(const struct rnv_smp *smp, struct rnv_smp_request *request,
			  zcbor_state_t *out);

/* --- replies: all may be called when it is full already (smp_map.c) --- */

void rnv_smp_put_key(zcbor_state_t *out, enum rnv_smp_key key);
void rnv_smp_put_uint(zcbor_state_t *out, enum rnv_smp_key key, uint32_t value);
void rnv_smp_put_bool(zcbor_state_t *out, enum rnv_smp_key key, bool value);
void rnv_smp_put_bytes(zcbor_state_t *out, enum rnv_smp_key key, const void *data, size_t bytes);

/* An array of numbers of `size` bytes, 2 or 4, every `step` bytes. */
void rnv_smp_put_array(zcbor_state_t *out, enum rnv_smp_key key, const void *values, uint32_t count,
		       uint32_t size, uint32_t step);

/* The members of a struct that the rows name. */
void rnv_smp_put_rows(zcbor_state_t *out, const struct rnv_smp_row *rows, uint32_t count,
		      const void *from);

#define RNV_SMP_PUT(out, rows, from)                                                               \
	rnv_smp_put_rows(out, rows, sizeof(rows) / sizeof((rows)[0]), from)

/*
 * Where a long value of a reply may be put before it is encoded from there, and how long it may be:
 * the rest of the reply, without `reserve` for what follows.
 */
uint8_t *rnv_smp_room(const zcbor_state_t *out, size_t reserve, uint32_t *bytes);

#endif /* SMP_INTERNAL_H_ */
