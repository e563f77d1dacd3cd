/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef TESTS_POWERCUT_SCENARIO_H_
#define TESTS_POWERCUT_SCENARIO_H_

/* What is done to a device, step by step, and from which step on the power is cut. */

#include <stdint.h>

#define MOST_STEPS 24

enum act {
	END = 0,
	RESTART, /* power cycle and mount */
	FILL,    /* argument: package */
	PART,    /* of a fill: as far as the middle of the second sector, or of the first one */
	GOOD,
	TRIAL,
	PERMANENT,
	BOOT,
	CONFIRM,
	REVERT,
	ERASE,
	REVOKE,
	ROT,
	SPOIL, /* argument: 1 the registry's newest header, 0 its last entry */
	AGE,   /* the registry is read with errors that are corrected */
	CROWD, /* writes until the registry's log has room for one entry more */
};

struct step {
	uint8_t act;
	uint8_t model;
	uint8_t package;
};

struct scenario {
	const char *name;
	uint32_t from; /* first step in which the power is cut */
	struct step steps[MOST_STEPS];
};

extern const struct scenario scenarios[];
extern const uint32_t scenario_count;

void step_run(const struct step *step);

#endif /* TESTS_POWERCUT_SCENARIO_H_ */
