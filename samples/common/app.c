/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "app.h"

#include <stdio.h>

#include <ranvier/package.h>

int app_open(const void *package, uint32_t bytes, enum app_lane lane, void *state,
	     uint32_t state_bytes, uint32_t *model)
{
	const struct rnv_model_config config = {
		.data = package,
		.bytes = bytes,
		.lanes = 1U << lane,
		.state = state,
		.state_bytes = state_bytes,
	};
	struct rnv_diag diag = {0};
	struct rnv_sched *sched = app_start();
	int status = (sched != NULL) ? rnv_model_open(sched, &config, model, &diag) : RNV_ESTATE;

	if (status != RNV_OK) {
		printf("model: %s: index %u, value %u (%d)\n", rnv_what_name(diag.what),
		       (unsigned int)diag.index, (unsigned int)diag.value, status);
	}
	return status;
}

const char *app_label(uint32_t model, int label)
{
	struct rnv_model_info info;
	const char *text = NULL;

	if (rnv_model_info_get(app_start(), model, &info) == RNV_OK) {
		text = rnv_package_label(info.pkg, (uint16_t)label);
	}
	return (text != NULL) ? text : "?";
}

int app_poll(uint32_t job, struct rnv_job_result *result)
{
	return rnv_job_collect(app_start(), job, result);
}
