/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "dsp/portable.h"

static const struct rnv_dsp_caps *caps(void *context)
{
	static const struct rnv_dsp_caps portable = {.name = "portable", .exact = 1};

	(void)context;
	return &portable;
}

const struct rnv_dsp_api *rnv_dsp_portable(void)
{
	static const struct rnv_dsp_api portable = {
		.caps = caps,
		.rfft = rnv_dsp_rfft,
		.matmul = rnv_dsp_matmul,
	};

	return &portable;
}
