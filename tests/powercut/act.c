/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What a device does with its store, each call judged. */

#include "world.h"

#include <stddef.h>
#include <string.h>

void succeeds(int status, const char *why)
{
	if (status == RNV_EIO && world.faulty) {
		longjmp(world.back, LEAVE_FAULT);
	}
	must(status >= 0, why);
}

void returned(uint32_t model, uint32_t slot, uint32_t argument, const uint8_t *hash)
{
	judged(judge_returned(&world.judge, model, slot, argument, hash));
}

/* What the store says of itself, in the judge's words. */
static void tell(struct judge_state *state)
{
	struct rnv_store_stats stats;
	struct rnv_store_info info;
	static const uint8_t zero[8];

	judge_empty(state);
	for (uint32_t i = 0; i < JUDGE_MODELS; i++) {
		struct judge_model *model = &state->models[i];

		must(rnv_store_info_get(&world.d.store, i, &info) == RNV_OK, "no info of a model");
		memcpy(model->slot, info.slot, sizeof(model->slot));
		memcpy(model->fills, info.fills, sizeof(model->fills));
		model->floor = info.floor;
		model->confirmed = info.confirmed;
		model->trial = info.trial;
		model->trial_slot = info.trial_slot;
		model->tries = info.tries;
		model->proven = info.proven;
		if (info.slot[0] == RNV_SLOT_FILLING || info.slot[1] == RNV_SLOT_FILLING) {
			model->written = info.written;
			memcpy(model->hash, info.hash, sizeof(model->hash));
			model->has_hash = memcmp(info.hash, zero, sizeof(zero)) != 0;
		}
	}
	rnv_store_stats_get(&world.d.store, &stats);
	state->revoked_count = stats.revoked_count;
	memcpy(state->revoked, stats.revoked, sizeof(state->revoked));
}

void act_power_cycle(void)
{
	rnv_posix_flash_power_on(&world.model);
	judge_cut(&world.judge);
	memset(world.d.view, 0, sizeof(world.d.view));
	memset(world.d.loaded, 0, sizeof(world.d.loaded));
}

/* Whether the first unit of the sector in use is read with errors that are corrected. */
static bool is_marginal(void)
{
	return rnv_posix_flash_unit_state(&world.model,
					  world.judge.m.used * world.config.sector_bytes) ==
	       RNV_POSIX_FLASH_MARGINAL;
}

/* Whether the sector in use has units that read otherwise each time. */
static bool is_unstable(void)
{
	const uint32_t base = world.judge.m.used * world.config.sector_bytes;

	for (uint32_t at = 0; at < world.config.sector_bytes; at += world.config.unit_bytes) {
		if (rnv_posix_flash_unit_state(&world.model, base + at) ==
		    RNV_POSIX_FLASH_UNSTABLE) {
			return true;
		}
	}
	return false;
}

void act_mount(void)
{
	struct judge_state told;

	judge_call(&world.judge, J_CALL_MOUNT);
	must(rnv_store_mount(&world.d.store, &world.store_config) == RNV_OK, "a mount fails");
	upload_mount();
	tell(&told);
	judged(judge_mounted(&world.judge, &told));
	must(!is_unstable(), "a registry that reads otherwise each time is not written anew");
	must(!is_marginal(), "a registry that is marginal is not written anew at mount");
}

/* --- filling -----------------------------------------------------------------------------------
 */

static const struct judge_model *said(uint32_t model)
{
	return &world.judge.m.session.models[model];
}

static void close_view(uint32_t model)
{
	struct rnv_store_view *view = &world.d.view[model];

	if (view->open != 0u) {
		world.judge.m.views[view->model][view->slot] = 0;
		rnv_store_view_close(&world.d.store, view);
	}
}

/* Whether what would be loaded is the package that a patch is told by, or it is told by none. */
static bool has_base(uint32_t model, const struct package *p)
{
	struct judge_state next = world.judge.m.session;
	const uint32_t slot = judge_boot(&world.judge, &next, model);

	return p->base == 0u ||
	       (slot != JUDGE_NONE && world.judge.m.content[model][slot] == p->base);
}

static void refused(uint32_t model, const struct package *p)
{
	uint32_t offset;

	judge_call(&world.judge, J_CALL_NONE);
	must(upload_begin(model, p, &offset) == RNV_ESTALE, "a patch for another base is taken");
}

/* Returns the offset to go on at. */
static uint32_t begin_fill(uint32_t model, uint32_t package)
{
	const struct package *p = &world.packages[package];
	const struct judge_model *before = said(model);
	const bool goes_on = before->has_hash != 0u && memcmp(before->hash, p->name, 8) == 0;
	const uint32_t expected = goes_on && p->stream == NULL ? before->written : 0u;
	uint32_t slot = judge_fill_slot(&world.judge, &world.judge.m.session, model);
	uint32_t offset;

	if (goes_on) {
		slot = before->slot[0] == J_FILLING ? 0u : 1u;
	}
	judge_call(&world.judge, J_CALL_FILL_BEGIN);
	succeeds(p->stream == NULL
			 ? rnv_store_fill_begin(&world.d.store, model, p->name, p->length, &offset)
			 : upload_begin(model, p, &offset),
		 "a fill is refused");
	returned(model, slot, goes_on ? 1u : 0u, p->name);
	must(offset == expected, "a fill goes on elsewhere than at its last whole sector");
	world.d.filled[model] = slot;
	world.d.filling[model] = package;
	world.d.rotten[model][slot] = false;
	return offset;
}

bool act_fill(uint32_t model, uint32_t package, uint32_t end)
{
	const struct package *p = &world.packages[package];
	const uint32_t piece = world.config.sector_bytes / 2u - 3u;
	const uint32_t unit = world.config.unit_bytes;
	uint32_t slot;
	uint32_t calls = 0;
	uint32_t at;

	if (!has_base(model, p)) {
		refused(model, p);
		return false;
	}
	at = begin_fill(model, package);
	slot = world.d.filled[model];
	end = end < p->length ? end : p->length;
	if (p->stream != NULL) {
		upload_send(model, p, end);
		return true;
	}
	while (at < end) {
		uint32_t count = end - at < piece ? end - at : piece;
		uint32_t taken;

		judge_call(&world.judge, J_CALL_FILL);
		succeeds(rnv_store_fill_write(&world.d.store, p->bytes + at, count, &taken),
			 "a piece of a fill is refused");
		at += taken;
		returned(model, slot, at, NULL);
		must(taken <= count && calls++ < 1000u, "a fill does not come to its end");
	}
	if (end < p->length) {
		rnv_store_fill_leave(&world.d.store);
		return true;
	}
	judge_call(&world.judge, J_CALL_FILL);
	succeeds(rnv_store_fill_end(&world.d.store), "the end of a fill is refused");
	returned(model, slot, (at + unit - 1u) / unit * unit, NULL);
	return true;
}

/* --- verification and what follows -------------------------------------------------------------
 */

int act_verify(uint32_t model, uint32_t slot)
{
	int status;

	judge_call(&world.judge, J_CALL_NONE);
	status = rnv_store_verify_start(&world.d.store, model, slot, &world.d.verify);
	while (status == RNV_OK) {
		status = rnv_store_verify_step(&world.d.store, &world.d.verify, 8192);
		if (status == RNV_OK) {
			return RNV_OK;
		}
		status = status == RNV_EAGAIN ? RNV_OK : status;
	}
	return status;
}

void act_good(uint32_t model)
{
	const uint32_t slot = world.d.filled[model];
	const uint32_t package = world.d.filling[model];
	const struct package *p = &world.packages[package];

	if (p->stream != NULL) {
		upload_good(model);
		return;
	}
	must(act_verify(model, slot) == RNV_OK, "what was filled does not verify");
	must(memcmp(world.model.content + slot_offset(model, slot), p->bytes, p->length) == 0,
	     "what verifies is not what was sent");
	world.judge.m.content[model][slot] = package;
	judge_call(&world.judge, J_CALL_SET_GOOD);
	succeeds(rnv_store_set_good(&world.d.store, &world.d.verify), "a slot cannot be good");
	returned(model, slot, 0, NULL);
}

void act_activate(uint32_t model, uint32_t slot, bool permanent)
{
	const uint32_t package = world.judge.m.content[model][slot];

	must(act_verify(model, slot) == RNV_OK, "what is to be activated does not verify");
	judge_call(&world.judge, permanent ? J_CALL_PERMANENT : J_CALL_TRIAL);
	world.judge.m.loads[model] = 0;
	succeeds(rnv_store_activate(&world.d.store, &world.d.verify, permanent ? 1u : 0u),
		 "an activation is refused");
	returned(model, slot, world.packages[package].security_version, NULL);
	if (permanent) {
		world.d.proven[model] = package;
	}
}

/* The package in a slot has to be just what the judge knows to be there. */
static void load(uint32_t model, uint32_t slot)
{
	const uint32_t package = world.judge.m.content[model][slot];
	const struct package *p = &world.packages[package];
	struct rnv_store_view *view = &world.d.view[model];

	must(rnv_store_view_open(&world.d.store, &world.d.verify, view) == RNV_OK,
	     "what verifies cannot be viewed");
	must(package != 0u && view->bytes == p->length &&
		     memcmp(view->data, p->bytes, p->length) == 0,
	     "what is loaded is not what was marked as good");
	must(p->security_version >= world.judge.m.floor[model],
	     "what is loaded is below the floor");
	for (uint32_t i = 0; i < world.judge.m.session.revoked_count; i++) {
		must(p->key != world.judge.m.session.revoked[i], "a revoked key is accepted");
	}
	world.judge.m.views[model][slot] = 1;
	world.d.loaded[model] = package;
}

/* Whether a slot that does not verify has a reason not to. */
static bool may_be_refused(uint32_t model, uint32_t slot)
{
	const struct package *p = &world.packages[world.judge.m.content[model][slot]];
	bool refused = world.d.rotten[model][slot] ||
		       p->security_version < world.judge.m.session.models[model].floor;

	for (uint32_t i = 0; i < world.judge.m.session.revoked_count; i++) {
		refused = refused || p->key == world.judge.m.session.revoked[i];
	}
	return refused;
}

static void count_load(uint32_t model)
{
	if (said(model)->trial != J_TRYING) {
		return;
	}
	world.judge.m.loads[model]++;
	must(world.judge.m.loads[model] <= said(model)->tries, "a trial is loaded uncounted");
	must(said(model)->tries <= world.store_config.trial_boots, "a trial has too many boots");
}

/* What may not be loaded is not bad. */
static void refuse(uint32_t model, uint32_t slot, int status)
{
	if (status != RNV_EACCES) {
		act_mark_bad(model, slot);
	} else if (said(model)->trial != J_NO_TRIAL && said(model)->trial_slot == slot) {
		act_revert(model);
	} else {
		judge_call(&world.judge, J_CALL_NONE);
		must(rnv_store_pass_over(&world.d.store, model, slot) == RNV_OK,
		     "a slot cannot be passed over");
		world.judge.m.passed[model][slot] = true;
	}
}

void act_boot(uint32_t model)
{
	struct judge_state next;
	uint32_t expected;
	int status;
	int slot;

	close_view(model);
	for (uint32_t tries = 0; tries < 3u; tries++) {
		next = world.judge.m.session;
		expected = judge_boot(&world.judge, &next, model);
		judge_call(&world.judge, J_CALL_BOOT);
		slot = rnv_store_boot(&world.d.store, model);
		if (slot == RNV_EIO && world.faulty) {
			longjmp(world.back, LEAVE_FAULT);
		}
		returned(model, 0, 0, NULL);
		must(slot == (expected == JUDGE_NONE ? RNV_ENOENT : (int)expected),
		     "a boot chooses another slot than it should");
		if (slot < 0) {
			must(world.d.proven[model] == 0u,
			     "nothing loads, though something was confirmed");
			world.d.loaded[model] = 0;
			return;
		}
		count_load(model);
		status = act_verify(model, (uint32_t)slot);
		if (status == RNV_OK) {
			load(model, (uint32_t)slot);
			return;
		}
		must(may_be_refused(model, (uint32_t)slot), "a good slot does not verify");
		refuse(model, (uint32_t)slot, status);
	}
	broken("a boot does not come to its end");
}

void act_confirm(uint32_t model)
{
	const uint32_t slot = said(model)->trial_slot;
	const uint32_t package = world.judge.m.content[model][slot];
	const uint32_t version = world.packages[package].security_version;

	judge_call(&world.judge, J_CALL_CONFIRM);
	succeeds(rnv_store_confirm(&world.d.store, model, version), "a confirm is refused");
	returned(model, slot, version, NULL);
	world.d.proven[model] = package;
}

void act_revert(uint32_t model)
{
	const uint32_t slot = said(model)->trial_slot;

	close_view(model);
	judge_call(&world.judge, J_CALL_REVERT);
	succeeds(rnv_store_revert(&world.d.store, model), "a revert is refused");
	returned(model, slot, 0, NULL);
}

void act_mark_bad(uint32_t model, uint32_t slot)
{
	judge_call(&world.judge, J_CALL_MARK_BAD);
	succeeds(rnv_store_mark_bad(&world.d.store, model, slot), "a slot cannot be bad");
	returned(model, slot, 0, NULL);
}

void act_erase(uint32_t model, uint32_t slot)
{
	uint32_t calls = 0;
	int status;

	do {
		judge_call(&world.judge, J_CALL_ERASE);
		status = rnv_store_erase(&world.d.store, model, slot);
		if (status != RNV_EAGAIN) {
			succeeds(status, "an erase is refused");
		}
		returned(model, slot, calls, NULL);
		must(calls++ < 5u, "an erase does not come to its end");
	} while (status == RNV_EAGAIN);
	world.d.rotten[model][slot] = false;
}

void act_revoke(uint32_t key)
{
	judge_call(&world.judge, J_CALL_REVOKE);
	succeeds(rnv_store_revoke(&world.d.store, key), "a revocation is refused");
	returned(0, 0, key, NULL);
}

/* A unit of the package that would be loaded next can no longer be read. */
void act_rot(uint32_t model)
{
	struct judge_state next = world.judge.m.session;
	const uint32_t slot = judge_boot(&world.judge, &next, model);

	close_view(model);
	(void)rnv_posix_flash_mark(&world.model, slot_offset(model, slot) + 777u, 1,
				   RNV_POSIX_FLASH_BAD);
	world.d.rotten[model][slot] = true;
	world.d.proven[model] = 0;
}

/* --- damage to the registry --------------------------------------------------------------------
 */

/* First programmed unit of the header, or last one of the log, of the sector in use. */
static uint32_t find_unit(bool header)
{
	const uint32_t unit = world.config.unit_bytes;
	const uint32_t sector = world.judge.m.used;
	uint32_t at = sector * world.config.sector_bytes;
	uint32_t end = at + world.config.sector_bytes;

	while (!header && end - unit > at &&
	       rnv_posix_flash_unit_state(&world.model, end - unit) != RNV_POSIX_FLASH_PROGRAMMED) {
		end -= unit;
	}
	return header ? at : end - unit;
}

/* What the flash says now is what there is; anything in the slots may be other than it says. */
static void forget_what_was_said(void)
{
	judge_accept(&world.judge);
	for (uint32_t i = 0; i < JUDGE_MODELS; i++) {
		world.d.proven[i] = 0;
		world.d.rotten[i][0] = true;
		world.d.rotten[i][1] = true;
	}
}

void act_spoil(bool header)
{
	const uint32_t at = find_unit(header);

	(void)rnv_posix_flash_mark(&world.model, at, 1, RNV_POSIX_FLASH_BAD);
	forget_what_was_said();
}

void act_age(void)
{
	const uint32_t base = world.judge.m.used * world.config.sector_bytes;

	for (uint32_t at = 0; at < world.config.sector_bytes; at += world.config.unit_bytes) {
		if (rnv_posix_flash_unit_state(&world.model, base + at) ==
		    RNV_POSIX_FLASH_PROGRAMMED) {
			(void)rnv_posix_flash_mark(&world.model, base + at, 1,
						   RNV_POSIX_FLASH_MARGINAL);
		}
	}
}
