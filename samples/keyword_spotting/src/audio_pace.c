/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "audio.h"

#include <ranvier/port.h>

#include "app.h"

static uint64_t start_us; /* 0: nothing was heard */
static uint64_t heard;    /* samples */

uint64_t audio_pace(int count)
{
	uint64_t arrival_us;

	if (start_us == 0U) {
		start_us = rnv_now_us();
	}
	heard += (uint64_t)count;
	arrival_us = start_us + heard * 1000000U / AUDIO_RATE;
	if (AUDIO_REALTIME) {
		app_sleep_until(arrival_us);
	}
	return arrival_us;
}
