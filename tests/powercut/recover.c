/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What has to work after a cut: mount, load, go on, and take one more update. */

#include "world.h"

#include <stddef.h>
#include <string.h>

static const struct judge_model *said(uint32_t model)
{
	return &world.judge.m.session.models[model];
}

static void restart(void)
{
	act_power_cycle();
	act_mount();
}

/* Whether every unit of the registry reads the same each time. */
static bool registry_is_stable(void)
{
	for (uint32_t at = 0; at < 2u * world.config.sector_bytes; at += world.config.unit_bytes) {
		if (rnv_posix_flash_unit_state(&world.model, at) == RNV_POSIX_FLASH_UNSTABLE) {
			return false;
		}
	}
	return true;
}

/* Whoever has mounted once has nothing left to do the second time. */
static void mount_again(void)
{
	const bool sure = world.judge.m.legal_count == 1u;
	const struct judge_state before = world.judge.m.session;
	const bool stable = registry_is_stable();
	const uint32_t ops = world.ops;

	act_mount();
	must(world.ops == ops || !stable, "a second mount writes");
	if (sure) {
		must(memcmp(&before, &world.judge.m.session, sizeof(before)) == 0,
		     "a second mount says something else");
	}
}

static void boot_all(void)
{
	for (uint32_t model = 0; model < JUDGE_MODELS; model++) {
		act_boot(model);
	}
}

/* Package of a fill that can go on; 0: none. */
static uint32_t find_fill(uint32_t model)
{
	for (uint32_t i = 1; i < PACKAGES && said(model)->has_hash != 0u; i++) {
		if (memcmp(said(model)->hash, world.packages[i].name, 8) == 0) {
			return i;
		}
	}
	return 0;
}

/* End what the cut has left open, one way or the other. */
static void tidy(uint32_t model, bool accept)
{
	uint32_t package;

	if (said(model)->trial == J_TRYING && accept && world.d.loaded[model] != 0u) {
		act_confirm(model);
	} else if (said(model)->trial != J_NO_TRIAL) {
		act_revert(model);
		act_boot(model);
	}
	package = find_fill(model);
	if (package != 0u && accept &&
	    world.packages[package].security_version >= said(model)->floor) {
		if (act_fill(model, package, world.packages[package].length)) {
			act_good(model);
		}
	}
}

static void update(uint32_t model, uint32_t package, bool trial)
{
	(void)act_fill(model, package, world.packages[package].length);
	act_good(model);
	act_activate(model, world.d.filled[model], !trial);
	restart();
	boot_all();
	must(world.d.loaded[model] == package, "an update after the cut does not load");
	if (trial) {
		act_confirm(model);
	}
}

void recover(uint32_t choice)
{
	const uint32_t model = choice / 2u % 4u == 0u ? 1u : 0u;
	const bool accept = choice % 2u == 0u;
	uint32_t package = model == 1u ? 8u : 5u;

	restart();
	mount_again();
	boot_all();
	for (uint32_t i = 0; i < JUDGE_MODELS; i++) {
		tidy(i, accept);
	}
	if (model == 0u && choice / 8u % 2u != 0u) {
		package = 9;
	}
	update(model, package, accept);
	restart();
	boot_all();
	must(world.d.loaded[model] == package, "an update after the cut does not last");
}
