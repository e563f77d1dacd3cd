/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_MODEL_VERIFY_H_
#define RNV_MODEL_VERIFY_H_

/**
 * @file
 * @brief The parts of rnv_package_open(), each called once and in this order.
 */

#include <stdbool.h>

#include "ranvier/package.h"

/** Record what is refused in `diag` (may be NULL). @return `status` */
int rnv_refuse(struct rnv_diag *diag, int status, enum rnv_what what, uint32_t index,
	       uint32_t value);

/** True where `offset .. offset + bytes` lies inside `limit` bytes. */
bool rnv_range_ok(uint32_t offset, uint32_t bytes, uint32_t limit);

/** True where `count` bytes are all zero. */
bool rnv_all_zero(const uint8_t *bytes, uint32_t count);

/** Find the sections and check that their arrays are whole. */
int rnv_verify_sections(struct rnv_package *pkg, struct rnv_diag *diag);

/** Check every tensor record for itself. */
int rnv_verify_tensors(const struct rnv_package *pkg, struct rnv_diag *diag);

/** Check operands, op records and steps for themselves. */
int rnv_verify_ops(const struct rnv_package *pkg, struct rnv_diag *diag);

/** Check the entry point and its external tensors. */
int rnv_verify_entry(const struct rnv_package *pkg, struct rnv_diag *diag);

/** Check lifetimes, run every kernel's check() and prove that no two live buffers overlap. */
int rnv_verify_liveness(const struct rnv_package *pkg, struct rnv_diag *diag);

/** Check the golden section's sizes against the entry point. */
int rnv_verify_golden(const struct rnv_package *pkg, struct rnv_diag *diag);

#endif /* RNV_MODEL_VERIFY_H_ */
