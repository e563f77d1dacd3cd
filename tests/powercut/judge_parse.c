/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* A reader of the registry, from SPEC.md section 4 and nothing else. */

#include "judge.h"

#include <stddef.h>
#include <string.h>

#define REVOKED_MAX 8u

/* A sector of the registry, as it may read. */
struct reading {
	struct judge *judge;
	uint32_t sector;
	bool sure; /* what may read otherwise cannot be read */
};

struct head {
	bool valid;
	uint32_t generation;
	uint32_t end; /* of the header, in whole units */
	struct judge_state state;
};

static uint32_t crc_table[256];

static uint32_t crc(uint32_t value, const uint8_t *bytes, uint32_t count)
{
	if (crc_table[1] == 0u) {
		for (uint32_t i = 0; i < 256u; i++) {
			uint32_t c = i;

			for (uint32_t bit = 0; bit < 8u; bit++) {
				c = (c & 1u) != 0u ? 0xEDB88320u ^ (c >> 1) : c >> 1;
			}
			crc_table[i] = c;
		}
	}
	value = ~value;
	for (uint32_t i = 0; i < count; i++) {
		value = crc_table[(value ^ bytes[i]) & 0xFFu] ^ (value >> 8);
	}
	return ~value;
}

static uint32_t get16(const uint8_t *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}

static uint32_t get32(const uint8_t *at)
{
	return get16(at) | get16(at + 2) << 16;
}

static void put32(uint8_t *at, uint32_t value)
{
	for (uint32_t i = 0; i < 4u; i++) {
		at[i] = (uint8_t)(value >> (8u * i));
	}
}

static uint32_t whole_units(const struct judge *judge, uint32_t bytes)
{
	const uint32_t unit = judge->layout.unit_bytes;

	return (bytes + unit - 1u) / unit * unit;
}

uint32_t judge_layout_crc(const struct judge_layout *layout)
{
	uint8_t bytes[12 + JUDGE_MODELS * 36] = {0};

	put32(bytes, layout->region_bytes);
	put32(bytes + 4, layout->sector_bytes);
	put32(bytes + 8, layout->unit_bytes);
	for (uint32_t i = 0; i < layout->models; i++) {
		memcpy(bytes + 12u + 36u * i, layout->names[i], strlen(layout->names[i]));
		put32(bytes + 12u + 36u * i + 32u, layout->slot_bytes[i]);
	}
	return crc(0, bytes, 12u + 36u * layout->models);
}

/* Whether all units of a range can be read. */
static bool readable(const struct reading *r, uint32_t offset, uint32_t bytes)
{
	const uint32_t unit = r->judge->layout.unit_bytes;
	const uint32_t base = r->sector * r->judge->layout.sector_bytes;

	if (r->sector == r->judge->blank) {
		return false;
	}
	for (uint32_t at = offset / unit * unit; at < offset + bytes; at += unit) {
		enum judge_unit state = J_SURE;

		if (base + at < r->judge->complete_first || base + at >= r->judge->complete_end) {
			state = r->judge->unit(base + at);
		}
		r->judge->met_unsure = r->judge->met_unsure || state == J_UNSURE;
		if (state == J_UNREADABLE || (state == J_UNSURE && r->sure)) {
			return false;
		}
	}
	return true;
}

/* What is in a slot can have been confirmed once only where something is in it. */
static bool is_slot_byte(uint32_t slots)
{
	for (uint32_t slot = 0; slot < 2u; slot++) {
		const uint32_t state = slots >> (3u * slot) & 7u;

		if (state > J_REJECTED || ((slots >> (6u + slot) & 1u) != 0u && state < J_GOOD)) {
			return false;
		}
	}
	return true;
}

static bool is_trial_byte(uint8_t trial)
{
	const uint32_t confirmed = trial & 3u;
	const uint32_t stage = trial >> 2 & 3u;
	const uint32_t slot = trial >> 4;

	return confirmed != 2u && stage <= J_TRYING && slot <= 3u && slot != 2u &&
	       (stage == J_NO_TRIAL) == (slot == JUDGE_NONE);
}

static void take_state(struct judge_model *model, uint8_t slots, uint8_t trial, uint8_t tries,
		       uint32_t floor)
{
	model->slot[0] = slots & 7u;
	model->slot[1] = slots >> 3 & 7u;
	model->proven = slots >> 6;
	model->confirmed = trial & 3u;
	model->trial = trial >> 2 & 3u;
	model->trial_slot = trial >> 4;
	model->tries = tries;
	model->floor = floor;
}

static void read_model(struct judge_model *model, const uint8_t *at)
{
	take_state(model, at[0], at[1], at[2], get32(at + 4));
	model->has_hash = at[3];
	model->fills[0] = get32(at + 8);
	model->fills[1] = get32(at + 12);
	model->written = get32(at + 16);
	memcpy(model->hash, at + 20, 8);
}

static struct head read_head(const struct reading *r)
{
	const struct judge *judge = r->judge;
	const uint32_t models = judge->layout.models;
	const uint32_t bytes = 68u + 32u * models;
	const uint8_t *at = judge->raw + (size_t)r->sector * judge->layout.sector_bytes;
	struct head head = {.end = whole_units(judge, bytes)};

	if (!readable(r, 0, bytes) || get32(at) != 0x53564E52u || get16(at + 4) != 1u ||
	    get16(at + 6) != bytes || get32(at + 8) == 0u || get32(at + 20) != judge->layout_crc ||
	    get16(at + 24) != models || get16(at + 26) > REVOKED_MAX || get32(at + 28) != 0u ||
	    get32(at + bytes - 4u) != crc(0, at, bytes - 4u)) {
		return head;
	}
	head.generation = get32(at + 8);
	head.state.revoked_count = get16(at + 26);
	for (uint32_t i = 0; i < REVOKED_MAX; i++) {
		head.state.revoked[i] = get32(at + 32u + 4u * i);
	}
	for (uint32_t i = 0; i < models; i++) {
		const uint8_t *row = at + 64u + 32u * i;

		if (!is_slot_byte(row[0]) || !is_trial_byte(row[1]) || row[3] > 1u) {
			return head;
		}
		read_model(&head.state.models[i], row);
	}
	head.valid = true;
	return head;
}

static void take_entry(struct judge_state *state, const uint8_t *at)
{
	struct judge_model *model = &state->models[at[1]];

	if (at[0] == 0xA1u) {
		take_state(model, at[4], at[5], at[6], get32(at + 8));
		for (uint32_t slot = 0; slot < 2u; slot++) {
			if ((at[7] >> slot & 1u) != 0u) {
				model->fills[slot]++;
				model->written = 0;
				model->has_hash = 0;
				memset(model->hash, 0, sizeof(model->hash));
			}
		}
	} else if (at[0] == 0xA2u) {
		model->has_hash = 1;
		memcpy(model->hash, at + 4, 8);
	} else if (at[0] == 0xA3u) {
		model->written = get32(at + 4);
	} else if (state->revoked_count < REVOKED_MAX) {
		state->revoked[state->revoked_count++] = get32(at + 4);
	}
}

static bool is_entry(const struct judge *judge, const uint8_t *at, uint32_t number,
		     uint32_t generation)
{
	uint8_t four[4];

	if (at[0] < 0xA1u || at[0] > 0xA4u || get16(at + 2) != number ||
	    at[1] >= (at[0] == 0xA4u ? 1u : judge->layout.models)) {
		return false;
	}
	if (at[0] == 0xA1u &&
	    (!is_slot_byte(at[4]) || !is_trial_byte(at[5]) || (at[7] & ~3u) != 0u)) {
		return false;
	}
	put32(four, generation);
	return get32(at + 12) == crc(crc(0, four, 4), at, 12);
}

/* Apply the log. Returns how many entries are valid. */
static uint32_t read_log(const struct reading *r, struct head *head)
{
	const struct judge *judge = r->judge;
	const uint8_t *sector = judge->raw + (size_t)r->sector * judge->layout.sector_bytes;
	const uint32_t step = whole_units(judge, 16);
	uint32_t valid = 0;
	uint32_t number = 0;

	for (uint32_t at = head->end; at + step <= judge->layout.sector_bytes; at += step) {
		if (is_entry(judge, sector + at, number, head->generation) && readable(r, at, 16)) {
			take_entry(&head->state, sector + at);
			valid++;
		}
		number++;
	}
	return valid;
}

/* So that what means the same is the same. */
static void normalise(struct judge_model *model)
{
	if (model->slot[0] != J_FILLING && model->slot[1] != J_FILLING) {
		model->written = 0;
		model->has_hash = 0;
	}
	if (model->has_hash == 0u) {
		memset(model->hash, 0, sizeof(model->hash));
	}
	if (model->trial == J_NO_TRIAL) {
		model->tries = 0;
	}
}

void judge_empty(struct judge_state *state)
{
	memset(state, 0, sizeof(*state));
	for (uint32_t i = 0; i < JUDGE_MODELS; i++) {
		state->models[i].confirmed = JUDGE_NONE;
		state->models[i].trial_slot = JUDGE_NONE;
	}
}

void judge_parse(struct judge *judge, bool sure, struct judge_state *state)
{
	struct head heads[2];
	uint32_t valid[2] = {0, 0};
	uint32_t use;

	for (uint32_t sector = 0; sector < 2u; sector++) {
		const struct reading r = {judge, sector, sure};

		heads[sector] = read_head(&r);
		if (heads[sector].valid) {
			valid[sector] = read_log(&r, &heads[sector]);
		}
	}
	judge_empty(state);
	if (sure) {
		judge->m.used = JUDGE_SECTORS;
	}
	if (!heads[0].valid && !heads[1].valid) {
		return;
	}
	if (heads[0].valid && heads[1].valid) {
		use = heads[1].generation > heads[0].generation ? 1u : 0u;
		use = valid[use] == 0u ? 1u - use : use;
	} else {
		use = heads[1].valid ? 1u : 0u;
	}
	if (sure && valid[use] != 0u) {
		judge->m.used = use;
	}
	for (uint32_t i = 0; i < judge->layout.models; i++) {
		state->models[i] = heads[use].state.models[i];
		normalise(&state->models[i]);
	}
	memcpy(state->revoked, heads[use].state.revoked, sizeof(state->revoked));
	state->revoked_count = heads[use].state.revoked_count;
}
