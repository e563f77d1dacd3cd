/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_ADMISSION_H_
#define RANVIER_ADMISSION_H_

/**
 * @file
 * @brief Optional admission: refuse a job that could not meet its deadline.
 *
 * What is there when a job is submitted is added up: started jobs (as a whole, however far they
 * are) and queued ones that go before it, its own cost, declared reservations, and one blocking.
 * Where that ends after its deadline, the job is refused with RNV_ETIME. Costs are those of
 * `rnv_model_config.step_cost_us`; jobs of models without costs count as nothing, and are always
 * accepted. A deadline is looked at for 2^32 us (71 minutes): more work than that is refused.
 *
 * It is an estimate, not a guarantee: costs are measured, later and more urgent jobs are not known,
 * and the queues may change while they are read. `ranvier analyze --tasks` has the guarantee, for
 * task sets that are known.
 */

#include <stdint.h>

#include "ranvier/sched.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Work that comes at least `period_us` apart, whether or not some is queued now. */
struct rnv_reservation {
	uint32_t period_us; /**< least time between two jobs; 0 is as 1 */
	uint32_t cost_us;   /**< of a job */
	uint32_t lane;      /**< counts for jobs of this lane and of less urgent ones */
};

/** What admission knows beside the queues. The caller's; constant while the scheduler runs. */
struct rnv_admission {
	const struct rnv_reservation *reservations; /**< may be NULL where there are none */
	uint32_t reservation_count;                 /**< entries of `reservations` */
	uint32_t
		blocking_us; /**< longest step of a less urgent lane, or 0 with a thread per lane */
};

/**
 * For `rnv_sched_hooks.admit`, with a `struct rnv_admission` as `admit_context`.
 *
 * Time O(job slots, lanes, reservations), whatever the costs, periods and the deadline: after 15
 * steps to the least time that holds the work and what is reserved in it, all the time to the
 * deadline has to hold them (near 100 % it may not, where a shorter one would).
 *
 * @param admission struct rnv_admission
 * @param sched     scheduler
 * @param request   job that is about to be queued; its model is open
 * @retval RNV_OK    it can meet its deadline, has none, or its cost is not known
 * @retval RNV_ETIME it could not
 */
int rnv_admission_check(void *admission, struct rnv_sched *sched,
			const struct rnv_job_request *request);

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_ADMISSION_H_ */
