/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef TESTS_POWERCUT_JUDGE_H_
#define TESTS_POWERCUT_JUDGE_H_

/*
 * The invariant checker of the store. It shares no code, and no header, with the store and with the
 * model of flash: it reads raw flash by a parser of its own, written from SPEC.md section 4, and
 * keeps a small reference model, written from the comments of ranvier/store.h.
 *
 * It sees every erase and program before it happens (judge_op) and when it has succeeded
 * (judge_done), knows what each call of the store has to have changed when it returns
 * (judge_returned), and what may be left where the power went in between (judge_cut).
 */

#include <stdbool.h>
#include <stdint.h>

#define JUDGE_MODELS  2
#define JUDGE_SECTORS 10
#define JUDGE_NONE    3 /* neither slot */

enum judge_slot {
	J_EMPTY = 0,
	J_FILLING = 1,
	J_GOOD = 2,
	J_BAD = 3,
	J_REJECTED = 4
};
enum judge_trial {
	J_NO_TRIAL = 0,
	J_PENDING = 1,
	J_TRYING = 2
};

/* How sure it is what a unit reads as. */
enum judge_unit {
	J_SURE,
	J_UNREADABLE,
	J_UNSURE
};

struct judge_model {
	uint32_t floor;
	uint32_t fills[2];
	uint32_t written; /* this, has_hash and hash are zero where no slot is filling */
	uint8_t hash[8];
	uint8_t has_hash;
	uint8_t slot[2];
	uint8_t confirmed;
	uint8_t trial;
	uint8_t trial_slot; /* JUDGE_NONE, and tries zero, without a trial */
	uint8_t tries;
	uint8_t proven; /* bit s: what is in slot s was confirmed once */
};

/* What a registry says; compared as bytes, so without gaps. */
struct judge_state {
	struct judge_model models[JUDGE_MODELS];
	uint32_t revoked[8];
	uint32_t revoked_count;
};

/* The layout, as the judge was told. */
struct judge_layout {
	uint32_t sector_bytes;
	uint32_t unit_bytes;
	uint32_t erased;
	uint32_t region_bytes;
	uint32_t models;
	uint32_t trial_boots;
	uint32_t slot_bytes[JUDGE_MODELS];
	const char *names[JUDGE_MODELS];
	uint32_t max_mount_ops; /* erase and program calls that a mount may need */
};

/* Calls of the store that write. */
enum judge_call {
	J_CALL_NONE, /* changes nothing */
	J_CALL_MOUNT,
	J_CALL_FILL_BEGIN, /* argument: 1 goes on, 0 begins anew */
	J_CALL_FILL,       /* argument: bytes that are written so far, at least */
	J_CALL_SET_GOOD,
	J_CALL_TRIAL,     /* activate on trial */
	J_CALL_PERMANENT, /* argument: security version */
	J_CALL_BOOT,
	J_CALL_CONFIRM, /* argument: security version */
	J_CALL_REVERT,
	J_CALL_MARK_BAD,
	J_CALL_ERASE,  /* argument: 0 the first call, which says that it is empty */
	J_CALL_REVOKE, /* argument: key id */
};

struct judge {
	struct judge_layout layout;
	uint32_t layout_crc;
	/* Where raw flash is, and how sure a unit is; the offset is in the region. */
	const uint8_t *raw;
	enum judge_unit (*unit)(uint32_t offset);
	/* What the registry was found to say, until it changes; 0: not known. */
	struct judge_state parsed[2];
	uint32_t parsed_count;
	bool faulty; /* the flash fails without a cut: the store may try again */
	/* How it would be: with a sector that cannot be read, or with a range that is complete. */
	uint32_t blank;          /* sector; JUDGE_SECTORS: none with entries */
	uint32_t complete_first; /* offset; judge->raw has its bytes already */
	uint32_t complete_end;
	bool met_unsure; /* judge_parse() has come upon a unit that may read otherwise */
	uint8_t scratch[2 * 16384];

	/* What a snapshot must contain; of `clean` as much as there are units. */
	struct judge_memory {
		/* What the registry may say: two where an entry reads otherwise each time. */
		struct judge_state legal[4];
		uint32_t legal_count;
		uint32_t used; /* sector in use that has entries, all sure; JUDGE_SECTORS: none */
		struct judge_state session; /* what it says in this session */
		uint32_t call;              /* enum judge_call under way */
		uint32_t call_changes;      /* operations of it that changed what is legal */
		uint32_t call_ops;          /* operations of it */
		bool call_sure;             /* one state was legal when it began */
		uint32_t op_offset;         /* of the operation under way */
		uint32_t op_bytes;          /* of it; 0: none */
		uint32_t op_erase;
		struct judge_state after[2]; /* it: what is legal then */
		uint32_t after_count;
		uint32_t views[JUDGE_MODELS][2];
		bool passed[JUDGE_MODELS][2];      /* passed over, until the next mount */
		uint32_t content[JUDGE_MODELS][2]; /* package of a good slot; 0: none */
		uint32_t loads[JUDGE_MODELS];      /* of the trial under way */
		uint32_t floor[JUDGE_MODELS];      /* highest that was acknowledged */
		/* Whether each unit may be programmed: since its erase returned, nobody did. */
		uint8_t clean[JUDGE_SECTORS * 16384];
	} m;
};

/* Each returns NULL, or what is broken. */

const char *judge_init(struct judge *judge, const struct judge_layout *layout, const uint8_t *raw,
		       enum judge_unit (*unit)(uint32_t offset));

/* An erase (from NULL) or a program is about to happen. */
const char *judge_op(struct judge *judge, uint32_t offset, const uint8_t *from, uint32_t bytes);

/* It has happened, as the store was told. */
void judge_done(struct judge *judge);

/* It was refused, or failed. */
void judge_failed(struct judge *judge);

/* Raw flash was changed otherwise: back to what it was, or so that what it says now is legal. */
void judge_forget(struct judge *judge);
void judge_accept(struct judge *judge);

/* The power has gone, perhaps within an operation. */
void judge_cut(struct judge *judge);

/* What the store said after a mount, first of a session or not. */
const char *judge_mounted(struct judge *judge, const struct judge_state *told);

/* A call is about to be made. */
void judge_call(struct judge *judge, enum judge_call call);

/* It has returned `status` >= 0, for model and slot; `argument` as enum judge_call says. */
const char *judge_returned(struct judge *judge, uint32_t model, uint32_t slot, uint32_t argument,
			   const uint8_t *hash);

/* Slot that a boot has to choose in a state, which becomes that after the boot; JUDGE_NONE. */
uint32_t judge_boot(const struct judge *judge, struct judge_state *state, uint32_t model);

/* Slot that a fill has to take. */
uint32_t judge_fill_slot(const struct judge *judge, const struct judge_state *state,
			 uint32_t model);

/* What a registry says; sure: units that may read otherwise count as unreadable. */
void judge_parse(struct judge *judge, bool sure, struct judge_state *state);

/* A registry that is none. */
void judge_empty(struct judge_state *state);

/* CRC-32 of a layout, SPEC.md 4.3. */
uint32_t judge_layout_crc(const struct judge_layout *layout);

#endif /* TESTS_POWERCUT_JUDGE_H_ */
