/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The ready-made scheduler's profiler: its memory, by Kconfig. */

#include <zephyr/sys/byteorder.h>
#include <zephyr/sys/util.h>

#include <ranvier/port.h>
#include <ranvier/prof.h>
#include <ranvier/zephyr/runtime.h>

#include "runtime_internal.h"

#define MODELS CONFIG_RANVIER_MODEL_COUNT
#define STEPS  CONFIG_RANVIER_PROFILER_STEPS
#define EVENTS CONFIG_RANVIER_PROFILER_EVENTS

static struct rnv_prof prof;
static struct rnv_prof_model models[MODELS];
static struct rnv_prof_step steps[MODELS][STEPS];
static struct rnv_prof_record records[MAX(EVENTS, 1)];

struct rnv_prof *rnv_runtime_prof(void)
{
	return &prof;
}

void rnv_runtime_prof_init(void)
{
	const struct rnv_prof_config config = {
		.models = models,
		.records = (EVENTS > 0) ? records : NULL,
		.record_count = EVENTS,
		.model_count = MODELS,
	};

	if (rnv_prof_init(&prof, &config) != RNV_OK) {
		rnv_panic("Kconfig has a profiler that cannot be"); /* ranges forbid it */
	}
}

void rnv_runtime_prof_watch(uint32_t slot, const struct rnv_package *pkg)
{
	const struct rnv_header *header = rnv_package_header(pkg);
	const struct rnv_prof_target target = {
		.steps = steps[slot],
		.step_count = (uint16_t)MIN(pkg->step_count, STEPS),
		.package_crc = sys_get_le32((const uint8_t *)header + header->total_bytes - 4U),
		.arena_bytes = header->arena_bytes,
	};

	(void)rnv_prof_watch(&prof, slot, &target);
}

void rnv_runtime_prof_trace(const struct rnv_trace_event *event)
{
	rnv_prof_trace(&prof, event);
}
