/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * The dump: a header, a row for each slot, a row for each step, a row for each event. It is made
 * row by row, so that any part of it can be had without memory for the whole.
 */

#include <stddef.h>
#include <string.h>

#include "ranvier/package.h"
#include "ranvier/port.h"
#include "ranvier/prof.h"

#define MAGIC        0x54564E52u
#define FORMAT       1u
#define HEADER_BYTES 64u
#define MODEL_BYTES  96u
#define STEP_BYTES   32u
#define RECORD_BYTES 16u
#define LINE_PAYLOAD 32u

/* One row of the dump as bytes. */
struct row {
	uint8_t bytes[MODEL_BYTES];
	uint32_t used;
};

static void put_16(struct row *row, uint32_t value)
{
	row->bytes[row->used++] = (uint8_t)value;
	row->bytes[row->used++] = (uint8_t)(value >> 8);
}

static void put_32(struct row *row, uint32_t value)
{
	put_16(row, value & 0xFFFFu);
	put_16(row, value >> 16);
}

static uint32_t steps_of(const struct rnv_prof_model *model)
{
	return model->steps != NULL ? model->step_count : 0u;
}

static uint32_t all_steps(const struct rnv_prof *prof)
{
	uint32_t count = 0;

	for (uint32_t slot = 0; slot < prof->model_count; slot++) {
		count += steps_of(&prof->models[slot]);
	}
	return count;
}

static void put_header(const struct rnv_prof *prof, struct row *row)
{
	const uint32_t steps = all_steps(prof);

	put_32(row, MAGIC);
	put_16(row, FORMAT);
	put_16(row, HEADER_BYTES);
	put_32(row, HEADER_BYTES + prof->model_count * MODEL_BYTES + steps * STEP_BYTES +
			    prof->used * RECORD_BYTES);
	put_32(row, rnv_cycles_per_second());
	put_32(row, prof->used);
	put_32(row, prof->lost);
	put_32(row, steps);
	put_16(row, prof->model_count);
	put_16(row, prof->parallel);
	for (uint32_t i = 0; i < RNV_PROF_MAX_LANES; i++) {
		put_32(row, prof->lanes[i].arena_high_water);
	}
}

static void put_model(struct rnv_prof *prof, uint32_t slot, struct row *row)
{
	struct rnv_prof_jobs jobs;

	if (rnv_prof_jobs_get(prof, slot, &jobs) != RNV_OK) {
		memset(row->bytes, 0, MODEL_BYTES);
		row->used = MODEL_BYTES;
		return;
	}
	put_32(row, prof->models[slot].package_crc);
	put_32(row, jobs.arena_bytes);
	put_32(row, prof->models[slot].step_count);
	put_32(row, jobs.completed);
	put_32(row, jobs.failed);
	put_32(row, jobs.missed);
	for (uint32_t i = 0; i < 3u; i++) {
		put_32(row, jobs.times[i].count);
		put_32(row, jobs.times[i].min_us);
		put_32(row, jobs.times[i].mean_us);
		put_32(row, jobs.times[i].p50_us);
		put_32(row, jobs.times[i].p99_us);
		put_32(row, jobs.times[i].max_us);
	}
}

static void put_step(const struct rnv_prof *prof, uint32_t number, struct row *row)
{
	const struct rnv_prof_model *model = prof->models;
	const struct rnv_prof_step *step;

	while (number >= steps_of(model)) {
		number -= steps_of(model);
		model++;
	}
	step = &model->steps[number];
	put_32(row, (uint32_t)step->total_cycles);
	put_32(row, (uint32_t)(step->total_cycles >> 32));
	put_32(row, step->runs);
	put_32(row, step->min_cycles);
	put_32(row, step->max_cycles);
	put_32(row, step->last_cycles);
	put_32(row, step->npu_runs);
	put_32(row, step->npu_max_cycles);
}

static void put_record(const struct rnv_prof *prof, uint32_t number, struct row *row)
{
	const uint32_t oldest = prof->used < prof->record_count ? 0u : prof->next;
	const struct rnv_prof_record *record =
		&prof->records[(oldest + number) % prof->record_count];

	put_32(row, record->cycles);
	put_32(row, record->job);
	put_32(row, record->value);
	put_16(row, record->model);
	row->bytes[row->used++] = record->kind;
	row->bytes[row->used++] = (uint8_t)record->status;
}

/* The row that has the byte at `*offset`, which becomes an offset into it; empty after the end. */
static void put_row(struct rnv_prof *prof, uint32_t *offset, struct row *row)
{
	const uint32_t models = prof->model_count * MODEL_BYTES;
	const uint32_t steps = all_steps(prof) * STEP_BYTES;
	uint32_t at = *offset;
	uint32_t number;

	if (at < HEADER_BYTES) {
		put_header(prof, row);
		return;
	}
	at -= HEADER_BYTES;
	if (at < models) {
		number = at / MODEL_BYTES;
		put_model(prof, number, row);
		*offset = at % MODEL_BYTES;
		return;
	}
	at -= models;
	if (at < steps) {
		put_step(prof, at / STEP_BYTES, row);
		*offset = at % STEP_BYTES;
		return;
	}
	at -= steps;
	if (at / RECORD_BYTES < prof->used) {
		put_record(prof, at / RECORD_BYTES, row);
		*offset = at % RECORD_BYTES;
	}
}

static uint32_t is_on(const struct rnv_prof *prof)
{
	const uint32_t key = rnv_critical_enter();
	const uint32_t on = prof->on;

	rnv_critical_exit(key);
	return on;
}

int rnv_prof_dump(struct rnv_prof *prof, uint32_t offset, void *data, uint32_t bytes)
{
	uint8_t *to = data;
	uint32_t done = 0;

	if (is_on(prof) != 0u) {
		return RNV_ESTATE;
	}
	while (done < bytes) {
		struct row row = {.used = 0};
		uint32_t at = offset + done;
		uint32_t part;

		put_row(prof, &at, &row);
		if (row.used == 0u) {
			break;
		}
		part = row.used - at < bytes - done ? row.used - at : bytes - done;
		memcpy(to + done, row.bytes + at, part);
		done += part;
	}
	return (int)done;
}

static char *put_hex(char *to, const uint8_t *bytes, uint32_t count)
{
	static const char digits[] = "0123456789abcdef";

	for (uint32_t i = 0; i < count; i++) {
		*to++ = digits[bytes[i] >> 4];
		*to++ = digits[bytes[i] & 15u];
	}
	return to;
}

/* A number as text: the most significant digit first. */
static char *put_hex_32(char *to, uint32_t value)
{
	const uint8_t bytes[4] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16),
				  (uint8_t)(value >> 8), (uint8_t)value};

	return put_hex(to, bytes, 4);
}

int rnv_prof_dump_line(struct rnv_prof *prof, uint32_t *offset, char *line)
{
	uint8_t part[4 + LINE_PAYLOAD];
	char *to = line;
	int bytes = rnv_prof_dump(prof, *offset, part + 4, LINE_PAYLOAD);

	if (bytes <= 0) {
		return bytes;
	}
	for (uint32_t i = 0; i < 4u; i++) {
		part[i] = (uint8_t)(*offset >> (8u * i));
	}
	memcpy(to, "RNVT ", 5);
	to = put_hex_32(to + 5, *offset);
	*to++ = ' ';
	to = put_hex(to, part + 4, (uint32_t)bytes);
	*to++ = ' ';
	to = put_hex_32(to, rnv_crc32(0, part, 4u + (uint32_t)bytes));
	*to = '\0';
	*offset += (uint32_t)bytes;
	return (int)(to - line);
}
