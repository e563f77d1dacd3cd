/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What the store has promised. Written from the comments of ranvier/store.h. */

#include "judge.h"

#include <stddef.h>
#include <string.h>

static bool same(const struct judge_state *a, const struct judge_state *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static bool is_among(const struct judge_state *state, const struct judge_state *set, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (same(state, &set[i])) {
			return true;
		}
	}
	return false;
}

static uint32_t parse_both(struct judge *judge, struct judge_state *set)
{
	judge->met_unsure = false;
	judge_parse(judge, true, &set[0]);
	if (!judge->met_unsure) {
		set[1] = set[0];
		return 1;
	}
	judge_parse(judge, false, &set[1]);
	return same(&set[0], &set[1]) ? 1u : 2u;
}

/* Both ways in which the registry may read now: one state, or two. */
static uint32_t registry_says(struct judge *judge, struct judge_state *set)
{
	if (judge->parsed_count == 0u) {
		judge->parsed_count = parse_both(judge, judge->parsed);
	}
	memcpy(set, judge->parsed, sizeof(judge->parsed));
	return judge->parsed_count;
}

const char *judge_init(struct judge *judge, const struct judge_layout *layout, const uint8_t *raw,
		       enum judge_unit (*unit)(uint32_t offset))
{
	memset(&judge->m, 0, sizeof(judge->m));
	judge->layout = *layout;
	judge->layout_crc = judge_layout_crc(layout);
	judge->raw = raw;
	judge->unit = unit;
	judge->blank = JUDGE_SECTORS;
	judge->complete_first = 0;
	judge->complete_end = 0;
	judge->parsed_count = 0;
	judge_empty(&judge->m.legal[0]);
	judge->m.legal_count = 1;
	judge->m.session = judge->m.legal[0];
	return NULL;
}

/* --- operations of the flash -------------------------------------------------------------------
 */

/* Model and slot of an offset, and the offset in it; false: the registry. */
static bool find_slot(const struct judge *judge, uint32_t offset, uint32_t *model, uint32_t *slot,
		      uint32_t *within)
{
	uint32_t at = 2u * judge->layout.sector_bytes;

	for (*model = 0; *model < judge->layout.models; (*model)++) {
		for (*slot = 0; *slot < 2u; (*slot)++) {
			if (offset >= at && offset < at + judge->layout.slot_bytes[*model]) {
				*within = offset - at;
				return true;
			}
			at += judge->layout.slot_bytes[*model];
		}
	}
	return false;
}

/* Nobody touches what is good, in whatever way the registry reads, or in use, or recorded. */
static const char *check_slot(const struct judge *judge, uint32_t model, uint32_t slot, uint32_t at,
			      bool erase)
{
	if (judge->m.views[model][slot] != 0u) {
		return "a slot is erased or programmed under a view";
	}
	for (uint32_t i = 0; i < judge->m.legal_count; i++) {
		const struct judge_model *says = &judge->m.legal[i].models[model];

		if (says->slot[slot] != J_FILLING && !(erase && says->slot[slot] == J_EMPTY)) {
			return erase ? "a slot is erased before its good mark is cleared"
				     : "a slot is programmed that is not filling";
		}
		if (says->slot[slot] == J_FILLING && at < says->written) {
			return "what is recorded as written is written again";
		}
	}
	return NULL;
}

/*
 * Without this sector the registry says the same, or what it said when the call under way began:
 * nobody has been told of more.
 */
static const char *check_registry_erase(struct judge *judge, uint32_t sector)
{
	struct judge_state set[2];
	uint32_t count;

	judge->blank = sector;
	count = parse_both(judge, set);
	judge->blank = JUDGE_SECTORS;
	for (uint32_t i = 0; i < count; i++) {
		if (!is_among(&set[i], judge->m.legal, judge->m.legal_count) &&
		    !same(&set[i], &judge->m.session)) {
			return "a registry sector is erased though the other does not say the same";
		}
	}
	return NULL;
}

/* What the registry will say when a program call has succeeded. */
static void foresee(struct judge *judge, uint32_t offset, const uint8_t *from, uint32_t bytes)
{
	const uint8_t *raw = judge->raw;

	memcpy(judge->scratch, raw, 2u * judge->layout.sector_bytes);
	memcpy(judge->scratch + offset, from, bytes);
	judge->raw = judge->scratch;
	judge->complete_first = offset;
	judge->complete_end = offset + bytes;
	judge->m.after_count = parse_both(judge, judge->m.after);
	judge->raw = raw;
	judge->complete_end = 0;
	judge->complete_first = 0;
}

static const char *check_program(struct judge *judge, uint32_t offset, uint32_t bytes)
{
	const uint32_t unit = judge->layout.unit_bytes;

	for (uint32_t at = offset; at < offset + bytes; at += unit) {
		if (judge->m.clean[at / unit] == 0u) {
			return "a unit is programmed whose erase nobody has seen, or twice";
		}
		judge->m.clean[at / unit] = 0;
	}
	return NULL;
}

const char *judge_op(struct judge *judge, uint32_t offset, const uint8_t *from, uint32_t bytes)
{
	const uint32_t sector_bytes = judge->layout.sector_bytes;
	const uint32_t unit = judge->layout.unit_bytes;
	const char *broken = NULL;
	uint32_t model;
	uint32_t slot;
	uint32_t within;

	judge->m.op_offset = offset;
	judge->m.op_bytes = bytes;
	judge->m.op_erase = from == NULL;
	judge->m.call_ops++;
	judge->m.after_count = 0;
	if (offset >= judge->layout.region_bytes || bytes > judge->layout.region_bytes - offset ||
	    offset % (from == NULL ? sector_bytes : unit) != 0u || bytes % unit != 0u ||
	    offset / sector_bytes != (offset + bytes - 1u) / sector_bytes) {
		return "an operation is not of whole units of a sector";
	}
	if (judge->m.call == J_CALL_NONE) {
		return "a call that only reads writes";
	}
	if (find_slot(judge, offset, &model, &slot, &within)) {
		broken = check_slot(judge, model, slot, within, from == NULL);
	} else if (from == NULL) {
		broken = check_registry_erase(judge, offset / sector_bytes);
	} else {
		foresee(judge, offset, from, bytes);
	}
	if (from == NULL) {
		memset(judge->m.clean + offset / unit, 0, sector_bytes / unit);
	} else if (broken == NULL) {
		broken = check_program(judge, offset, bytes);
	}
	return broken;
}

/* What is legal follows from what is there. */
static void look(struct judge *judge)
{
	struct judge_state set[2];
	uint32_t count;

	judge->parsed_count = 0;
	count = registry_says(judge, set);
	if (count != judge->m.legal_count || !is_among(&set[0], judge->m.legal, count) ||
	    !is_among(&set[1], judge->m.legal, count)) {
		judge->m.call_changes++;
	}
	memcpy(judge->m.legal, set, sizeof(set));
	judge->m.legal_count = count;
	judge->m.op_bytes = 0;
}

void judge_done(struct judge *judge)
{
	const uint32_t unit = judge->layout.unit_bytes;

	if (judge->m.op_erase != 0u) {
		memset(judge->m.clean + judge->m.op_offset / unit, 1, judge->m.op_bytes / unit);
	}
	if (judge->m.op_offset < 2u * judge->layout.sector_bytes) {
		look(judge);
	}
	judge->m.op_bytes = 0;
}

void judge_failed(struct judge *judge)
{
	if (judge->m.op_offset < 2u * judge->layout.sector_bytes) {
		look(judge);
	}
	judge->m.op_bytes = 0;
}

void judge_forget(struct judge *judge)
{
	judge->parsed_count = 0;
}

void judge_accept(struct judge *judge)
{
	judge->parsed_count = 0;
	judge->m.legal_count = registry_says(judge, judge->m.legal);
	judge->m.session = judge->m.legal[0];
	for (uint32_t i = 0; i < judge->layout.models; i++) {
		judge->m.floor[i] = judge->m.session.models[i].floor;
	}
}

void judge_cut(struct judge *judge)
{
	struct judge_memory *m = &judge->m;

	for (uint32_t i = 0; m->op_bytes != 0u && i < m->after_count; i++) {
		if (!is_among(&m->after[i], m->legal, m->legal_count)) {
			m->legal[m->legal_count++] = m->after[i];
		}
	}
	m->op_bytes = 0;
	memset(m->views, 0, sizeof(m->views));
	memset(m->passed, 0, sizeof(m->passed));
	judge->parsed_count = 0;
}

/* --- calls of the store ------------------------------------------------------------------------
 */

const char *judge_mounted(struct judge *judge, const struct judge_state *told)
{
	struct judge_state set[2];
	const uint32_t count = registry_says(judge, set);

	for (uint32_t i = 0; i < count; i++) {
		if (!is_among(&set[i], judge->m.legal, judge->m.legal_count)) {
			return "the registry says neither what it said nor what it was to say";
		}
	}
	if (!is_among(told, set, count)) {
		return "the store says other than the registry in flash does";
	}
	for (uint32_t i = 0; i < judge->layout.models; i++) {
		if (told->models[i].floor < judge->m.floor[i]) {
			return "the floor has fallen";
		}
	}
	if (judge->m.call_ops > judge->layout.max_mount_ops) {
		return "a mount needs too many operations";
	}
	memcpy(judge->m.legal, set, sizeof(set));
	judge->m.legal_count = count;
	judge->m.session = *told;
	judge->m.call = J_CALL_NONE;
	return NULL;
}

void judge_call(struct judge *judge, enum judge_call call)
{
	judge->m.call = call;
	judge->m.call_changes = 0;
	judge->m.call_sure = judge->m.legal_count == 1u;
	judge->m.call_ops = 0;
}

static void end_trial(struct judge_model *model)
{
	model->trial = J_NO_TRIAL;
	model->trial_slot = JUDGE_NONE;
	model->tries = 0;
}

/* `passed`: of its slots. */
static uint32_t current(const struct judge_model *model, const bool *passed)
{
	const uint32_t confirmed = model->confirmed;

	if (confirmed == JUDGE_NONE) {
		return JUDGE_NONE;
	}
	if (model->slot[confirmed] == J_GOOD && !passed[confirmed]) {
		return confirmed;
	}
	return model->slot[1u - confirmed] == J_GOOD && !passed[1u - confirmed] ? 1u - confirmed
										: JUDGE_NONE;
}

static void make_confirmed(struct judge_model *model, uint32_t slot)
{
	model->confirmed = (uint8_t)slot;
	if (slot != JUDGE_NONE) {
		model->proven |= (uint8_t)(1u << slot);
	}
}

uint32_t judge_boot(const struct judge *judge, struct judge_state *state, uint32_t number)
{
	struct judge_model *model = &state->models[number];

	if (model->trial == J_PENDING) {
		model->trial = J_TRYING;
		model->tries = 1;
		return model->trial_slot;
	}
	if (model->trial == J_TRYING && model->tries < judge->layout.trial_boots) {
		model->tries++;
		return model->trial_slot;
	}
	if (model->trial == J_TRYING) {
		model->slot[model->trial_slot] = J_REJECTED;
		end_trial(model);
	}
	return current(model, judge->m.passed[number]);
}

uint32_t judge_fill_slot(const struct judge *judge, const struct judge_state *state,
			 uint32_t number)
{
	const struct judge_model *model = &state->models[number];
	const uint32_t *views = judge->m.views[number];
	const uint32_t used = current(model, judge->m.passed[number]);

	if (used != JUDGE_NONE) {
		return 1u - used;
	}
	if (model->confirmed != JUDGE_NONE && model->slot[model->confirmed] == J_GOOD) {
		return 1u - model->confirmed; /* passed over, for now */
	}
	if (views[0] == 0u && views[1] != 0u) {
		return 0;
	}
	if (views[0] != 0u && views[1] == 0u) {
		return 1;
	}
	return model->fills[1] < model->fills[0] ? 1u : 0u;
}

static void forget_fill(struct judge_model *model)
{
	model->written = 0;
	model->has_hash = 0;
	memset(model->hash, 0, sizeof(model->hash));
}

static void begin_fill(struct judge_model *model, const bool *passed, uint32_t slot,
		       const uint8_t *hash)
{
	if (model->confirmed == slot) { /* it is not used; what stands in for it is now that */
		make_confirmed(model, current(model, passed));
	}
	model->proven &= (uint8_t) ~(1u << slot);
	if (model->slot[1u - slot] == J_FILLING) { /* can no longer be resumed */
		model->slot[1u - slot] = J_EMPTY;
	}
	model->slot[slot] = J_FILLING;
	model->fills[slot]++;
	model->written = 0;
	model->has_hash = 1;
	memcpy(model->hash, hash, sizeof(model->hash));
}

static void revoke(struct judge_state *state, uint32_t key)
{
	for (uint32_t i = 0; i < state->revoked_count; i++) {
		if (state->revoked[i] == key) {
			return;
		}
	}
	state->revoked[state->revoked_count++] = key;
}

/* The state that a call must have led to. */
static void apply(const struct judge *judge, struct judge_state *state, uint32_t number,
		  uint32_t slot, uint32_t argument, const uint8_t *hash)
{
	struct judge_model *model = &state->models[number];

	switch (judge->m.call) {
	case J_CALL_FILL_BEGIN:
		if (argument == 0u) {
			begin_fill(model, judge->m.passed[number], slot, hash);
		}
		break;
	case J_CALL_SET_GOOD:
		model->slot[slot] = J_GOOD;
		break;
	case J_CALL_TRIAL:
		model->slot[slot] = J_GOOD;
		model->trial = J_PENDING;
		model->trial_slot = (uint8_t)slot;
		model->tries = 0;
		break;
	case J_CALL_CONFIRM:
	case J_CALL_PERMANENT:
		model->slot[slot] = J_GOOD;
		make_confirmed(model, slot);
		end_trial(model);
		model->floor = argument > model->floor ? argument : model->floor;
		break;
	case J_CALL_BOOT:
		(void)judge_boot(judge, state, number);
		break;
	case J_CALL_REVERT:
		model->slot[slot] = J_REJECTED;
		end_trial(model);
		break;
	case J_CALL_MARK_BAD:
		model->slot[slot] = J_BAD;
		if (model->trial_slot == slot) {
			end_trial(model);
		}
		break;
	case J_CALL_ERASE:
		if (argument == 0u) {
			model->slot[slot] = J_EMPTY;
			model->proven &= (uint8_t) ~(1u << slot);
			model->fills[slot]++;
			forget_fill(model);
		}
		break;
	case J_CALL_REVOKE:
		revoke(state, argument);
		break;
	default:
		break;
	}
	if (model->slot[0] != J_FILLING && model->slot[1] != J_FILLING) {
		forget_fill(model);
	}
}

/* Of a fill only whole sectors are recorded, none early, none but the last one late. */
static const char *check_written(const struct judge *judge, struct judge_state *expected,
				 const struct judge_state *found, uint32_t model, uint32_t bytes)
{
	const uint32_t sector = judge->layout.sector_bytes;
	const uint32_t written = found->models[model].written;

	if (written % sector != 0u || written > bytes || written + 2u * sector <= bytes ||
	    written < expected->models[model].written) {
		return "what is recorded as written is not the whole sectors that are";
	}
	expected->models[model].written = written;
	return NULL;
}

/* How many operations of a call may change what the registry says. */
static uint32_t most_changes(uint32_t call)
{
	/* The state and then the hash; an entry for each whole sector. */
	return call == J_CALL_FILL_BEGIN ? 2u : call == J_CALL_FILL ? 4u : 1u;
}

const char *judge_returned(struct judge *judge, uint32_t model, uint32_t slot, uint32_t argument,
			   const uint8_t *hash)
{
	struct judge_memory *m = &judge->m;
	struct judge_state expected = m->session;
	struct judge_state set[2];
	const uint32_t count = registry_says(judge, set);
	const char *broken = NULL;

	apply(judge, &expected, model, slot, argument, hash);
	if (m->call == J_CALL_FILL) {
		broken = check_written(judge, &expected, &set[0], model, argument);
	}
	if (broken != NULL) {
		return broken;
	}
	if (m->call_ops == 0u ? !is_among(&expected, set, count)
			      : count != 1u || !same(&expected, &set[0])) {
		return "a call has returned, and the registry does not say so";
	}
	if (m->call_sure && !judge->faulty && m->call_changes > most_changes(m->call)) {
		return "more than one operation decides";
	}
	if (expected.models[model].fills[slot] != m->session.models[model].fills[slot]) {
		m->passed[model][slot] = false; /* there is something else in it */
	}
	m->session = expected;
	m->call = J_CALL_NONE;
	if (expected.models[model].floor < m->floor[model]) {
		return "the floor has fallen";
	}
	m->floor[model] = expected.models[model].floor;
	return NULL;
}
