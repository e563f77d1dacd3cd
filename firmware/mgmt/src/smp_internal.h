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

/* A command: decodes its request, then works, then encodes its reply. Returns RNV_OK, or a negative
 * code, with nothing encoded. What does not fit shows in `out`. */
typedef int (*rnv_smp_command)(const struct rnv_smp *smp, zcbor_state_t *in, zcbor_state_t *out);

/* The command of an id below RNV_SMP_COMMANDS, or NULL. */
rnv_smp_command rnv_smp_read_command(uint32_t id);

/* In smp_write.c or smp_read_only.c. */
extern const bool rnv_smp_is_read_only;
rnv_smp_command rnv_smp_write_command(uint32_t id);

int rnv_smp_run_write(const struct rnv_smp *smp, zcbor_state_t *in, zcbor_state_t *out);
int rnv_smp_run_read(const struct rnv_smp *smp, zcbor_state_t *in, zcbor_state_t *out);
int rnv_smp_selftest_write(const struct rnv_smp *smp, zcbor_state_t *in, zcbor_state_t *out);
int rnv_smp_selftest_read(const struct rnv_smp *smp, zcbor_state_t *in, zcbor_state_t *out);

/* --- requests (smp_map.c) --- */

enum rnv_smp_kind {
	RNV_SMP_UINT32, /* uint32_t */
	RNV_SMP_UINT64, /* uint64_t */
	RNV_SMP_BOOL,   /* bool */
	RNV_SMP_TEXT,   /* struct zcbor_string */
	RNV_SMP_BYTES,  /* struct zcbor_string */
};

/* A key that a request may have. The value keeps what it was where the key is missing. */
struct rnv_smp_key {
	const char *name;
	enum rnv_smp_kind kind;
	void *value;
	bool *found; /* NULL: the key may be missing, and nobody asks */
};

/* Read the request's map, passing over keys that are not listed. False: malformed, or a listed key
 * has a value of another type. */
bool rnv_smp_decode(zcbor_state_t *in, const struct rnv_smp_key *keys, size_t count);

/* Read a request that names a model by `m`, and perhaps more. Returns its number, RNV_EINVAL, or
 * RNV_ENOENT. */
int rnv_smp_decode_model(const struct rnv_smp *smp, zcbor_state_t *in,
			 const struct rnv_smp_key *more, size_t count);

/* --- replies: all may be called when it is full already --- */

void rnv_smp_put_uint(zcbor_state_t *out, const char *key, uint32_t value);
void rnv_smp_put_int(zcbor_state_t *out, const char *key, int32_t value);
void rnv_smp_put_bool(zcbor_state_t *out, const char *key, bool value);
void rnv_smp_put_text(zcbor_state_t *out, const char *key, const char *value);
void rnv_smp_put_bytes(zcbor_state_t *out, const char *key, const void *data, size_t bytes);
void rnv_smp_put_uints(zcbor_state_t *out, const char *key, const uint32_t *values, size_t count);
void rnv_smp_put_version(zcbor_state_t *out, const char *key, const uint16_t *version);

/* Where a long value of a reply may be put before it is encoded from there, and how long it may be:
 * the rest of the reply, without `reserve` for what follows. */
uint8_t *rnv_smp_room(const zcbor_state_t *out, size_t reserve, uint32_t *bytes);

#endif /* SMP_INTERNAL_H_ */
