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
#include "ranvier/status.h"

/** Record in `diag` (may be NULL) what is refused. */
void rnv_diagnose(struct rnv_diag *diag, enum rnv_what what, uint32_t index, uint32_t value);

/** Refuse what no package may have: rnv_diagnose(). @return RNV_EFORMAT */
static inline int rnv_malformed(struct rnv_diag *diag, enum rnv_what what, uint32_t index,
				uint32_t value)
{
	rnv_diagnose(diag, what, index, value);
	return RNV_EFORMAT;
}

/** Refuse what this build does not know: rnv_diagnose(). @return RNV_ENOTSUP */
static inline int rnv_unsupported(struct rnv_diag *diag, enum rnv_what what, uint32_t index,
				  uint32_t value)
{
	rnv_diagnose(diag, what, index, value);
	return RNV_ENOTSUP;
}

/** True where `offset .. offset + bytes` lies inside `limit` bytes. */
bool rnv_range_ok(uint32_t offset, uint32_t bytes, uint32_t limit);

/** True where `count` bytes are all zero. */
bool rnv_all_zero(const uint8_t *bytes, uint32_t count);

/** Length of a name that is padded with zeros, at least one; 0 where it is not, or empty. */
uint32_t rnv_name_length(const uint8_t *name, uint32_t bytes);

/** Which entries of a list are `tensor`: bit i for entry i, from 31 on bit 31. */
uint32_t rnv_listed(const uint16_t *list, uint32_t count, uint32_t tensor);

/** String number `index` of those that follow `strings`, each ended by a zero byte. */
const char *rnv_string_at(const char *strings, uint32_t index);

/** Find the sections and check that their arrays are whole. */
int rnv_verify_sections(struct rnv_package *pkg, struct rnv_diag *diag);

/** Check every tensor record for itself. */
int rnv_verify_tensors(const struct rnv_package *pkg, struct rnv_diag *diag);

/** Check that state tensors do not overlap, and their layout against the header. */
int rnv_verify_state(const struct rnv_package *pkg, struct rnv_diag *diag);

/** Check operands, op records and steps for themselves. */
int rnv_verify_ops(const struct rnv_package *pkg, struct rnv_diag *diag);

/** Check the entry points and their inputs and outputs, and that runs leave nothing but state. */
int rnv_verify_entries(const struct rnv_package *pkg, struct rnv_diag *diag);

/** Run every kernel's check(), which also says what an op may replace in place. */
int rnv_verify_kernels(const struct rnv_package *pkg, struct rnv_diag *diag);

/** Check the order of the steps, and that the rows that each reads are there. */
int rnv_verify_rows(const struct rnv_package *pkg, struct rnv_diag *diag);

/** Check lifetimes and prove that no two live buffers overlap. */
int rnv_verify_liveness(const struct rnv_package *pkg, struct rnv_diag *diag);

/** Check the golden section's sizes against the default entry point. */
int rnv_verify_golden(const struct rnv_package *pkg, struct rnv_diag *diag);

#endif /* RNV_MODEL_VERIFY_H_ */
