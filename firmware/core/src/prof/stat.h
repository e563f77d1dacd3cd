/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_PROF_STAT_H_
#define RNV_PROF_STAT_H_

#include <stdint.h>

#include "ranvier/prof.h"

/* Bucket of a time: four for every doubling, as the three highest bits tell. */
uint32_t rnv_prof_bucket_of(uint32_t us);

/* In a critical section: count a time whose bucket is known. */
void rnv_prof_stat_add(struct rnv_prof_stat *stat, uint32_t us, uint32_t bucket);

/* Describe a distribution, by short critical sections. */
void rnv_prof_stat_summary(const struct rnv_prof_stat *stat, struct rnv_prof_summary *summary);

#endif /* RNV_PROF_STAT_H_ */
