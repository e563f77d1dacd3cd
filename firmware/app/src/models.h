/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_APP_MODELS_H_
#define RANVIER_APP_MODELS_H_

#include <stdint.h>

/** An embedded package, and memory for its persistent state. */
struct app_model {
	const uint8_t *data; /**< 16-byte aligned */
	uint32_t bytes;
	void *state; /**< 16-byte aligned */
	uint32_t state_bytes;
};

/** The packages of RANVIER_MODELS. */
extern const struct app_model app_models[];

/** Entries of @ref app_models. */
extern const uint32_t app_model_count;

/**
 * rnv_runtime_store_start() with the models of CONFIG_APP_STORE_MODELS; there with
 * CONFIG_RANVIER_STORE.
 */
int app_store_start(void);

#endif /* RANVIER_APP_MODELS_H_ */
