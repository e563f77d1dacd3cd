/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef TESTS_POWERCUT_WORLD_H_
#define TESTS_POWERCUT_WORLD_H_

/*
 * A device: the model of flash, the store on it, packages, and the judge that watches. There is
 * one, static; a snapshot of it is a few copies of memory. What goes wrong leaves by longjmp().
 */

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "posix/flash.h"
#include "ranvier/ota.h"
#include "ranvier/store.h"

#include "judge.h"

#define NO_CUT   0xFFFFFFFFu
#define KEY_A    0xA0A0A0A0u
#define KEY_B    0xB0B0B0B0u
#define PACKAGES 12  /* 1 to 11 */
#define INSERTED 16u /* bytes that a package has where the one it is like has none */

/* How the device leaves what it was doing: values of setjmp(back). */
enum leave {
	LEAVE_CUT = 1,
	LEAVE_FAULT = 2,
	LEAVE_BROKEN = 3
};

struct world_config {
	uint32_t sector_bytes;
	uint32_t unit_bytes;
	uint32_t erased;
	uint32_t erased_faults;
};

struct package {
	uint8_t *bytes;
	uint32_t length;
	uint32_t model;
	uint32_t security_version;
	uint32_t key;
	const uint8_t *name; /* SHA-256 of what is sent */
	/* The patch that is sent in its place; NULL: none. */
	const uint8_t *stream;
	uint32_t stream_bytes;
	uint32_t base; /* package that it is told by; 0: none */
};

/* A disturbance of one operation; counted from when it is armed. */
struct cut {
	uint32_t at; /* NO_CUT: none */
	uint32_t kind;
	uint32_t tear;
	uint32_t unit;
};

/* One operation of a step, as it went without a cut. */
struct op_seen {
	uint32_t units; /* 0: an erase */
	bool registry;
};

#define OPS_SEEN 4096

struct world {
	jmp_buf back;
	const char *broken; /* after LEAVE_BROKEN */
	struct world_config config;
	struct package packages[PACKAGES];
	struct rnv_flash flash; /* watched */
	struct rnv_flash inner;
	struct rnv_store_config store_config;
	struct judge judge;
	struct cut cut;
	uint32_t ops; /* since armed */
	struct op_seen seen[OPS_SEEN];
	bool faulty; /* the flash fails without a cut: calls may return RNV_EIO */

	/* With the flash, the parts of a snapshot. */
	struct rnv_posix_flash model;
	struct device {
		struct rnv_store store;
		struct rnv_store_model models[JUDGE_MODELS];
		struct rnv_store_verify verify;
		struct rnv_store_view view[JUDGE_MODELS];
		struct rnv_ota ota;
		struct rnv_ota_patch patch;
		uint32_t filled[JUDGE_MODELS];  /* slot of the last fill */
		uint32_t filling[JUDGE_MODELS]; /* package of it */
		uint32_t proven[JUDGE_MODELS];  /* package that was confirmed last; 0: none */
		uint32_t loaded[JUDGE_MODELS];  /* package that is in use; 0: none */
		bool rotten[JUDGE_MODELS][2];   /* the test has damaged it */
	} d;
};

extern struct world world;

struct snapshot;

void world_init(const struct world_config *config);
struct snapshot *snapshot_new(void);
void snapshot_take(struct snapshot *snapshot);
void snapshot_restore(const struct snapshot *snapshot);

/* From now on the operation `cut.at` is disturbed. */
void world_arm(const struct cut *cut, uint64_t seed);

/* Leave with a reason. */
_Noreturn void broken(const char *why);

/* `why` unless the condition holds. */
void must(bool condition, const char *why);

/* Of what the judge says. */
void judged(const char *why);

uint32_t slot_offset(uint32_t model, uint32_t slot);

/* stream.c: the patch that makes a package, from another one or NULL; its bytes. */
uint32_t stream_make(const struct package *package, const struct package *from, uint8_t *stream);

/* act.c: what a device does. Each is judged. */

/* The result of a call that may fail only where the flash does. */
void succeeds(int status, const char *why);

/* A call has returned: as judge_returned(). */
void returned(uint32_t model, uint32_t slot, uint32_t argument, const uint8_t *hash);

void act_power_cycle(void);
void act_mount(void);
/* Up to `end`; writes, ends, and checks the progress. False: refused, for want of the base. */
bool act_fill(uint32_t model, uint32_t package, uint32_t end);
int act_verify(uint32_t model, uint32_t slot);
void act_good(uint32_t model);
void act_activate(uint32_t model, uint32_t slot, bool permanent);
void act_boot(uint32_t model);
void act_confirm(uint32_t model);
void act_revert(uint32_t model);
void act_mark_bad(uint32_t model, uint32_t slot);
void act_erase(uint32_t model, uint32_t slot);
void act_revoke(uint32_t key);
void act_rot(uint32_t model);
void act_spoil(bool header); /* the registry's newest header, or last entry */
void act_age(void);          /* the registry's sector in use */

/* upload.c: what arrives as a patch. act.c uses it. */

void upload_mount(void);
int upload_begin(uint32_t model, const struct package *p, uint32_t *offset);
void upload_send(uint32_t model, const struct package *p, uint32_t end);
void upload_good(uint32_t model);

/* recover.c: after a cut or a fault. `choice` draws what the host does then. */
void recover(uint32_t choice);

#endif /* TESTS_POWERCUT_WORLD_H_ */
