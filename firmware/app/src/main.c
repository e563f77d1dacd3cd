/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Opens the embedded models and binds each to the lanes whose arena is large enough, and starts the
 * model store where there is one. All else is the runtime's, and the shell's.
 */

#include <zephyr/kernel.h>
#include <zephyr/logging/log.h>

#include <ranvier/zephyr/runtime.h>

#include "models.h"

LOG_MODULE_REGISTER(app, LOG_LEVEL_INF);

static int open_model(const struct app_model *model)
{
	const struct rnv_model_config config = {
		.data = model->data,
		.bytes = model->bytes,
		.state = model->state,
		.state_bytes = model->state_bytes,
	};
	uint32_t lanes = 0;
	uint32_t handle;
	int status = rnv_runtime_model_open(&config, &handle, NULL); /* which logs */

	if (status != RNV_OK) {
		return status;
	}
	for (uint32_t lane = 0; lane < RNV_LANE_COUNT; lane++) {
		if (rnv_model_bind(rnv_runtime_sched(), handle, lane) == RNV_OK) {
			lanes++;
		}
	}
	if (lanes == 0U) {
		LOG_ERR("no lane has such an arena: CONFIG_RANVIER_LANE_..._ARENA_SIZE");
		return RNV_ENOMEM;
	}
	return RNV_OK;
}

int main(void)
{
	uint32_t ready = 0;

	for (uint32_t i = 0; i < app_model_count; i++) {
		ready += (open_model(&app_models[i]) == RNV_OK) ? 1U : 0U;
	}
	LOG_INF("%u of %u models are ready; type: ranvier", ready, app_model_count);
	if (IS_ENABLED(CONFIG_RANVIER_STORE)) {
		int stored = app_store_start(); /* which logs failures */

		LOG_INF("%d models of the store are ready; type: ranvier store", MAX(stored, 0));
	}
	return 0;
}
