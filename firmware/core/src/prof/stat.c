/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "ranvier/port.h"

#include "prof/stat.h"

uint32_t rnv_prof_bucket_of(uint32_t us)
{
	uint32_t shift = 0;

	while (us >> shift >= 8u) {
		shift++;
	}
	return 4u * shift + (us >> shift);
}

uint32_t rnv_prof_bucket_us(uint32_t bucket)
{
	return bucket < 8u ? bucket : (4u + bucket % 4u) << (bucket / 4u - 1u);
}

void rnv_prof_stat_add(struct rnv_prof_stat *stat, uint32_t us, uint32_t bucket)
{
	stat->buckets[bucket]++;
	stat->total_us += us;
	if (stat->count == 0u || us < stat->min_us) {
		stat->min_us = us;
	}
	if (us > stat->max_us) {
		stat->max_us = us;
	}
	stat->count++;
}

static uint32_t bucket_count(const struct rnv_prof_stat *stat, uint32_t bucket)
{
	const uint32_t key = rnv_critical_enter();
	const uint32_t count = stat->buckets[bucket];

	rnv_critical_exit(key);
	return count;
}

/* The middle of the bucket that holds the time of a rank (1: the shortest of `count`). */
static uint32_t time_of_rank(const struct rnv_prof_stat *stat, uint32_t rank)
{
	uint32_t bucket = 0;
	uint32_t below = bucket_count(stat, 0);
	uint32_t low, width;

	while (below < rank && bucket < RNV_PROF_BUCKETS - 1u) {
		bucket++;
		below += bucket_count(stat, bucket);
	}
	low = rnv_prof_bucket_us(bucket);
	width = bucket < 8u ? 1u : 1u << (bucket / 4u - 1u);
	return low + (width - 1u) / 2u;
}

/* Nearest rank, between the exact ends. */
static uint32_t percentile(const struct rnv_prof_stat *stat, const struct rnv_prof_summary *summary,
			   uint32_t percent)
{
	const uint64_t rank = ((uint64_t)summary->count * percent + 99u) / 100u;
	const uint32_t us = time_of_rank(stat, (uint32_t)rank);

	if (us < summary->min_us) {
		return summary->min_us;
	}
	return us > summary->max_us ? summary->max_us : us;
}

void rnv_prof_stat_summary(const struct rnv_prof_stat *stat, struct rnv_prof_summary *summary)
{
	const uint32_t key = rnv_critical_enter();
	const uint64_t total = stat->total_us;

	*summary = (struct rnv_prof_summary){
		.count = stat->count, .min_us = stat->min_us, .max_us = stat->max_us};
	rnv_critical_exit(key);
	if (summary->count != 0u) {
		summary->mean_us = (uint32_t)(total / summary->count);
		summary->p50_us = percentile(stat, summary, 50);
		summary->p99_us = percentile(stat, summary, 99);
	}
}
