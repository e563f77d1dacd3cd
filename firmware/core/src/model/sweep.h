/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_MODEL_SWEEP_H_
#define RNV_MODEL_SWEEP_H_

/** @file @brief The sweep over the steps that proves lifetimes and that memory is disjoint. */

#include "kernels/kernel.h"

/**
 * `live` holds the arena tensors that are live at the present step. Records are sorted by first
 * step, so each tensor is added once and compared with at most RNV_MAX_LIVE others.
 */
struct rnv_sweep {
	const struct rnv_package *pkg;
	struct rnv_diag *diag;
	uint32_t next;  /**< first tensor record not yet begun */
	uint32_t count; /**< entries of `live` */
	uint16_t live[RNV_MAX_LIVE];
};

/**
 * Advance the sweep over step `step`, which executes `op`, whose kernel allows the inputs in `mask`
 * to be replaced in place.
 */
int rnv_sweep_step(struct rnv_sweep *s, const struct rnv_op *op, uint32_t mask, uint32_t step);

#endif /* RNV_MODEL_SWEEP_H_ */
