/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "scenario.h"

#include <stddef.h>

#include "world.h"

/* A device with package 1 confirmed and loaded: five steps. */
#define INSTALLED                                                                                  \
	{RESTART, 0, 0}, {FILL, 0, 1}, {GOOD, 0, 0}, {PERMANENT, 0, 0},                            \
	{                                                                                          \
		BOOT, 0, 0                                                                         \
	}
#define INSTALL 5u

const struct scenario scenarios[] = {
	{"install", 0, {INSTALLED, {RESTART, 0, 0}, {BOOT, 0, 0}}},
	{"install-trial",
	 0,
	 {{RESTART, 0, 0},
	  {FILL, 0, 1},
	  {GOOD, 0, 0},
	  {TRIAL, 0, 0},
	  {RESTART, 0, 0},
	  {BOOT, 0, 0},
	  {CONFIRM, 0, 0},
	  {RESTART, 0, 0},
	  {BOOT, 0, 0}}},
	{"trial-confirm",
	 INSTALL,
	 {INSTALLED,
	  {RESTART, 0, 0},
	  {BOOT, 0, 0},
	  {FILL, 0, 2},
	  {GOOD, 0, 0},
	  {TRIAL, 0, 0},
	  {RESTART, 0, 0},
	  {BOOT, 0, 0},
	  {CONFIRM, 0, 0},
	  {RESTART, 0, 0},
	  {BOOT, 0, 0}}},
	{"trial-n-boots",
	 INSTALL,
	 {INSTALLED,
	  {FILL, 0, 2},
	  {GOOD, 0, 0},
	  {TRIAL, 0, 0},
	  {RESTART, 0, 0},
	  {BOOT, 0, 0},
	  {RESTART, 0, 0},
	  {BOOT, 0, 0},
	  {RESTART, 0, 0},
	  {BOOT, 0, 0},
	  {RESTART, 0, 0},
	  {BOOT, 0, 0}}},
	{"revert",
	 INSTALL,
	 {INSTALLED,
	  {FILL, 0, 2},
	  {GOOD, 0, 0},
	  {TRIAL, 0, 0},
	  {BOOT, 0, 0},
	  {REVERT, 0, 0},
	  {BOOT, 0, 0},
	  {TRIAL, 0, 0}, /* of what was rejected, once more */
	  {RESTART, 0, 0},
	  {BOOT, 0, 0},
	  {REVERT, 0, 0},
	  {RESTART, 0, 0},
	  {BOOT, 0, 0}}},
	{"abort-erase",
	 INSTALL,
	 {INSTALLED,
	  {PART, 0, 3},
	  {ERASE, 0, 0},
	  {RESTART, 0, 0},
	  {BOOT, 0, 0},
	  {FILL, 0, 2},
	  {GOOD, 0, 0},
	  {ERASE, 0, 0},
	  {RESTART, 0, 0},
	  {BOOT, 0, 0}}},
	{"permanent",
	 INSTALL,
	 {INSTALLED,
	  {FILL, 0, 2},
	  {GOOD, 0, 0},
	  {PERMANENT, 0, 0},
	  {BOOT, 0, 0},
	  {RESTART, 0, 0},
	  {BOOT, 0, 0},
	  {FILL, 0, 3},
	  {GOOD, 0, 0},
	  {PERMANENT, 0, 0},
	  {RESTART, 0, 0},
	  {BOOT, 0, 0}}},
	{"resume",
	 INSTALL,
	 {INSTALLED,
	  {PART, 0, 3},
	  {RESTART, 0, 0},
	  {BOOT, 0, 0},
	  {PART, 0, 3},
	  {FILL, 0, 3},
	  {GOOD, 0, 0},
	  {PERMANENT, 0, 0},
	  {RESTART, 0, 0},
	  {BOOT, 0, 0}}},
	{"compressed",
	 0,
	 {{RESTART, 0, 0},
	  {FILL, 0, 11},
	  {GOOD, 0, 0},
	  {PERMANENT, 0, 0},
	  {BOOT, 0, 0},
	  {RESTART, 0, 0},
	  {BOOT, 0, 0}}},
	{"delta",
	 INSTALL,
	 {INSTALLED,
	  {FILL, 0, 10},
	  {GOOD, 0, 0},
	  {TRIAL, 0, 0},
	  {RESTART, 0, 0},
	  {BOOT, 0, 0},
	  {CONFIRM, 0, 0},
	  {RESTART, 0, 0},
	  {BOOT, 0, 0}}},
	{"delta-resume",
	 INSTALL + 1u,
	 {INSTALLED,
	  {PART, 0, 10},
	  {RESTART, 0, 0},
	  {BOOT, 0, 0},
	  {FILL, 0, 10}, /* from its first byte again */
	  {GOOD, 0, 0},
	  {PERMANENT, 0, 0},
	  {RESTART, 0, 0},
	  {BOOT, 0, 0}}},
	{"delta-stale",
	 INSTALL + 3u,
	 {INSTALLED,
	  {PART, 0, 10},
	  {RESTART, 0, 0},
	  {ROT, 0, 0},
	  {BOOT, 0, 0},  /* the base is lost */
	  {FILL, 0, 10}, /* refused */
	  {FILL, 0, 2},
	  {GOOD, 0, 0},
	  {PERMANENT, 0, 0},
	  {RESTART, 0, 0},
	  {BOOT, 0, 0}}},
	{"another-upload",
	 INSTALL,
	 {INSTALLED,
	  {PART, 0, 3},
	  {PART, 0, 2},
	  {RESTART, 0, 0},
	  {FILL, 0, 4},
	  {GOOD, 0, 0},
	  {TRIAL, 0, 0},
	  {RESTART, 0, 0},
	  {BOOT, 0, 0}}},
	{"revocation",
	 INSTALL,
	 {INSTALLED,
	  {FILL, 0, 4},
	  {GOOD, 0, 0},
	  {PERMANENT, 0, 0},
	  {BOOT, 0, 0},
	  {REVOKE, 0, 0},
	  {REVOKE, 0, 0},
	  {RESTART, 0, 0},
	  {BOOT, 0, 0},
	  {REVOKE, 0, 0},
	  {ROT, 0, 0},
	  {BOOT, 0, 0}}}, /* package 1 is refused: of a revoked key */
	{"passed-over",
	 INSTALL,
	 {INSTALLED,
	  {FILL, 0, 2},
	  {GOOD, 0, 0},
	  {REVOKE, 0, 0},
	  {RESTART, 0, 0},
	  {BOOT, 0, 0}, /* package 1 is refused, package 2 stands in */
	  {PART, 0, 3}, /* over package 1 */
	  {RESTART, 0, 0},
	  {BOOT, 0, 0},
	  {FILL, 0, 3},
	  {GOOD, 0, 0},
	  {PERMANENT, 0, 0},
	  {RESTART, 0, 0},
	  {BOOT, 0, 0}}},
	{"refused-trial",
	 INSTALL,
	 {INSTALLED,
	  {FILL, 0, 4},
	  {GOOD, 0, 0},
	  {PERMANENT, 0, 0},
	  {BOOT, 0, 0},
	  {FILL, 0, 9},
	  {GOOD, 0, 0},
	  {TRIAL, 0, 0},
	  {BOOT, 0, 0},
	  {REVOKE, 0, 0},
	  {RESTART, 0, 0},
	  {BOOT, 0, 0}, /* package 9 is refused */
	  {RESTART, 0, 0},
	  {BOOT, 0, 0}}},
	{"floor",
	 INSTALL,
	 {INSTALLED,
	  {FILL, 0, 2},
	  {GOOD, 0, 0},
	  {PERMANENT, 0, 0},
	  {RESTART, 0, 0},
	  {ROT, 0, 0},
	  {BOOT, 0, 0}, /* package 1 is refused: below the floor */
	  {RESTART, 0, 0},
	  {BOOT, 0, 0}}},
	{"rot",
	 INSTALL,
	 {INSTALLED,
	  {FILL, 0, 4},
	  {GOOD, 0, 0},
	  {PERMANENT, 0, 0},
	  {RESTART, 0, 0},
	  {ROT, 0, 0},
	  {BOOT, 0, 0}, /* falls back to package 1 */
	  {RESTART, 0, 0},
	  {BOOT, 0, 0},
	  {ROT, 0, 0},
	  {BOOT, 0, 0}, /* none is left */
	  {FILL, 0, 2},
	  {GOOD, 0, 0},
	  {PERMANENT, 0, 0},
	  {RESTART, 0, 0},
	  {BOOT, 0, 0}}},
	{"spoilt-header",
	 INSTALL,
	 {INSTALLED,
	  {FILL, 0, 2},
	  {GOOD, 0, 0},
	  {PERMANENT, 0, 0},
	  {RESTART, 0, 0},
	  {BOOT, 0, 0},
	  {FILL, 1, 6},
	  {GOOD, 1, 0},
	  {SPOIL, 0, 1},
	  {RESTART, 0, 0},
	  {BOOT, 0, 0},
	  {RESTART, 0, 0},
	  {BOOT, 0, 0}}},
	{"spoilt-entry",
	 INSTALL,
	 {INSTALLED,
	  {FILL, 0, 2},
	  {GOOD, 0, 0},
	  {PERMANENT, 0, 0},
	  {SPOIL, 0, 0},
	  {RESTART, 0, 0},
	  {BOOT, 0, 0},
	  {RESTART, 0, 0},
	  {BOOT, 0, 0}}},
	{"marginal",
	 INSTALL,
	 {INSTALLED,
	  {FILL, 0, 2},
	  {GOOD, 0, 0},
	  {AGE, 0, 0},
	  {RESTART, 0, 0},
	  {BOOT, 0, 0},
	  {TRIAL, 0, 0},
	  {AGE, 0, 0},
	  {RESTART, 0, 0},
	  {BOOT, 0, 0}}},
	{"two-models", INSTALL, {INSTALLED,       {FILL, 1, 6},    {GOOD, 1, 0}, {PERMANENT, 1, 0},
				 {BOOT, 1, 0},    {PART, 0, 3},    {FILL, 1, 7}, {GOOD, 1, 0},
				 {TRIAL, 1, 0},   {FILL, 0, 3},    {GOOD, 0, 0}, {TRIAL, 0, 0},
				 {RESTART, 0, 0}, {BOOT, 0, 0},    {BOOT, 1, 0}, {CONFIRM, 1, 0},
				 {CONFIRM, 0, 0}, {RESTART, 0, 0}, {BOOT, 0, 0}, {BOOT, 1, 0}}},
	{"full-log",
	 INSTALL + 3u,
	 {INSTALLED,
	  {FILL, 0, 2},
	  {GOOD, 0, 0},
	  {CROWD, 0, 0},
	  {TRIAL, 0, 0},
	  {BOOT, 0, 0},
	  {REVERT, 0, 0},
	  {CROWD, 0, 0},
	  {PART, 0, 3},
	  {RESTART, 0, 0},
	  {BOOT, 0, 0}}},
};

const uint32_t scenario_count = sizeof(scenarios) / sizeof(scenarios[0]);

/* Entries that change nothing that matters: a trial, and its end. */
static void crowd(uint32_t model)
{
	struct rnv_store_stats stats;

	rnv_store_stats_get(&world.d.store, &stats);
	while (stats.entries + 1u < stats.room) {
		if (world.judge.m.session.models[model].trial == J_NO_TRIAL) {
			act_activate(model, world.d.filled[model], false);
		} else {
			act_revert(model);
		}
		rnv_store_stats_get(&world.d.store, &stats);
	}
	if (world.judge.m.session.models[model].trial != J_NO_TRIAL) {
		act_revert(model);
	}
}

void step_run(const struct step *step)
{
	const uint32_t model = step->model;

	switch (step->act) {
	case RESTART:
		act_power_cycle();
		act_mount();
		break;
	case FILL:
		(void)act_fill(model, step->package, world.packages[step->package].length);
		break;
	case PART:
		(void)act_fill(model, step->package,
			       world.packages[step->package].length > 2u * world.config.sector_bytes
				       ? 3u * world.config.sector_bytes / 2u
				       : world.config.sector_bytes / 2u);
		break;
	case GOOD:
		act_good(model);
		break;
	case TRIAL:
	case PERMANENT:
		act_activate(model, world.d.filled[model], step->act == PERMANENT);
		break;
	case BOOT:
		act_boot(model);
		break;
	case CONFIRM:
		act_confirm(model);
		break;
	case REVERT:
		act_revert(model);
		break;
	case ERASE:
		act_erase(model, world.d.filled[model]);
		break;
	case REVOKE:
		act_revoke(KEY_A);
		break;
	case ROT:
		act_rot(model);
		break;
	case SPOIL:
		act_spoil(step->package != 0u);
		break;
	case AGE:
		act_age();
		break;
	case CROWD:
		crowd(model);
		break;
	default:
		broken("no such step");
	}
}
