/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_STORE_REGISTRY_H_
#define RNV_STORE_REGISTRY_H_

/* Inside of the store: access to its flash, and the registry of SPEC.md section 4. */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "ranvier/store.h"

#define RNV_LOG_BYTES   16u   /* a log entry without what fills up its unit */
#define RNV_PIECE_BYTES 32u   /* the registry is read, and its header made, in such pieces */
#define RNV_NO_FILL     0xFFu /* rnv_store.fill_model */
#define RNV_TIMES       2u    /* reads of the registry that have to agree */
#define RNV_TIMES_LAST  16u   /* likewise at the log's end, where a power loss may have hit */

enum rnv_log_kind {
	RNV_LOG_MODEL = 0xA1,
	RNV_LOG_HASH = 0xA2,
	RNV_LOG_WRITTEN = 0xA3,
	RNV_LOG_REVOKED = 0xA4,
};

/* A log entry, as it lies in flash. */
struct rnv_log {
	uint8_t kind;
	uint8_t model;
	uint16_t number;
	uint8_t content[8];
	uint32_t crc;
};

_Static_assert(sizeof(struct rnv_log) == RNV_LOG_BYTES, "no gaps");

static inline uint32_t rnv_get32(const uint8_t *from)
{
	uint32_t value;

	memcpy(&value, from, sizeof(value));
	return value;
}

static inline void rnv_put32(uint8_t *to, uint32_t value)
{
	memcpy(to, &value, sizeof(value));
}

static inline uint32_t rnv_min(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static inline uint32_t rnv_max(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* access.c: every erase and program lies between begin and end; what begin refuses is returned. */

int rnv_write_begin(struct rnv_store *store, uint32_t offset);
void rnv_write_end(const struct rnv_store *store);
bool rnv_bytes_are(const uint8_t *bytes, uint32_t count, uint32_t value);

/*
 * Read at most RNV_PIECE_BYTES of the registry until `times` reads in a row agree. Counts what is
 * marginal, or differs. RNV_OK; RNV_EBADMSG: unreadable, or they never agree; RNV_EIO.
 */
int rnv_registry_read(struct rnv_store *store, uint32_t offset, void *to, uint32_t bytes,
		      uint32_t times);

/* Program units and read them back, or, from NULL, erase a sector: RNV_OK or RNV_EIO. */
int rnv_program(const struct rnv_store *store, uint32_t offset, const void *from, uint32_t bytes);

/* Likewise between begin and end: also what that returns, where store->refused. */
int rnv_slot_write(struct rnv_store *store, uint32_t offset, const void *from, uint32_t bytes);

/* layout.c */

bool rnv_layout_ok(const struct rnv_flash_geometry *geometry, const struct rnv_store_layout *layout,
		   uint32_t model_count);
uint32_t rnv_layout_crc(const struct rnv_store_config *config);

/* codec.c: `piece` is one of the header's pieces of RNV_PIECE_BYTES; the last one is the CRC. */

uint32_t rnv_registry_room(const struct rnv_store *store);
void rnv_store_forget(struct rnv_store *store); /* the state of an empty registry */
uint32_t rnv_header_length(const struct rnv_store *store);
void rnv_header_encode(const struct rnv_store *store, uint32_t generation, uint32_t piece,
		       uint8_t *to);
bool rnv_header_decode(struct rnv_store *store, uint32_t piece, const uint8_t *from);
/* Complete an entry; or whether one that was read is the one that belongs there. */
void rnv_log_encode(struct rnv_log *log, uint32_t generation, uint32_t number);
bool rnv_log_is_valid(const struct rnv_store *store, uint32_t number, const struct rnv_log *log);

void rnv_log_apply(struct rnv_store *store, const struct rnv_log *log);

/* The entry that gives a model the state that is being edited; `begun`: as in SPEC.md 4.4. */
void rnv_log_model(struct rnv_log *log, const struct rnv_store *store, uint32_t model,
		   uint32_t begun);

/* registry.c: write entries, at most two, and then change the state in RAM accordingly. */

int rnv_registry_write(struct rnv_store *store, struct rnv_log *log, uint32_t count);

/*
 * A model's state, to be changed and then written by rnv_registry_model(), `begun` being as in
 * SPEC.md 4.4: until that is done the model is as it was. NULL: no such model.
 */
struct rnv_store_model *rnv_registry_edit(struct rnv_store *store, uint32_t model);
int rnv_registry_model(struct rnv_store *store, uint32_t model, uint32_t begun);

/* info.c */

/* Where a slot begins in the region. */
uint32_t rnv_slot_offset(const struct rnv_store *store, uint32_t model, uint32_t slot);

struct rnv_store_model *rnv_store_model_get(const struct rnv_store *store, uint32_t model);
uint32_t rnv_model_current(const struct rnv_store_model *model); /* slot or RNV_STORE_NO_SLOT */
uint32_t rnv_model_boot(const struct rnv_store *store, struct rnv_store_model *next);
/* How the registry and rnv_store_info have it: a bit for each slot. */
static inline uint8_t rnv_slot_bit(uint32_t slot)
{
	return (uint8_t)(1u << slot);
}

void rnv_model_set_confirmed(struct rnv_store_model *model, uint32_t slot); /* or none */
void rnv_model_end_trial(struct rnv_store_model *model);
void rnv_model_fail_trial(struct rnv_store_model *model);
uint32_t rnv_model_floor(const struct rnv_store *store, uint32_t model);

/* read.c: the header of a package of that name, whose length is possible. */

bool rnv_header_is_of(const struct rnv_header *header, const char *name);

/* verify.c: it was completed, and the slot has not changed since. */

bool rnv_verify_holds(const struct rnv_store *store, const struct rnv_store_verify *verify);
const uint8_t *rnv_key_find(const struct rnv_store *store, uint32_t key_id); /* NULL: none */

/* erase.c */

bool rnv_key_is_revoked(const struct rnv_store *store, uint32_t key_id);

#endif /* RNV_STORE_REGISTRY_H_ */
