/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#define _POSIX_C_SOURCE 200809L

#include <sched.h>
#include <time.h>

#include "npu_sim/npu_sim_thread.h"
#include "ranvier/port.h"
#include "ranvier/status.h"

#define LONGEST_WAIT_US 1000000u

static void kick(void *context)
{
	struct rnv_npu_sim_thread *thread = context;

	(void)pthread_mutex_lock(&thread->lock);
	thread->kicked = true;
	(void)pthread_cond_signal(&thread->changed);
	(void)pthread_mutex_unlock(&thread->lock);
}

static void relax(void *context)
{
	(void)context;
	(void)sched_yield();
}

/* Sleep for so long, or until kicked. */
static void sleep_us(struct rnv_npu_sim_thread *thread, uint64_t wait_us)
{
	struct timespec until;
	uint64_t us = (wait_us < LONGEST_WAIT_US) ? wait_us : LONGEST_WAIT_US;
	int status = 0;

	(void)clock_gettime(CLOCK_MONOTONIC, &until);
	us += (uint64_t)until.tv_nsec / 1000u;
	until.tv_sec += (time_t)(us / 1000000u);
	until.tv_nsec = (long)(us % 1000000u) * 1000;
	(void)pthread_mutex_lock(&thread->lock);
	while (!thread->kicked && status == 0) {
		status = pthread_cond_timedwait(&thread->changed, &thread->lock, &until);
	}
	thread->kicked = false;
	(void)pthread_mutex_unlock(&thread->lock);
}

static bool stopping(struct rnv_npu_sim_thread *thread)
{
	bool stop;

	(void)pthread_mutex_lock(&thread->lock);
	stop = thread->stopping;
	(void)pthread_mutex_unlock(&thread->lock);
	return stop;
}

static void *run(void *context)
{
	struct rnv_npu_sim_thread *thread = context;

	while (!stopping(thread)) {
		uint64_t now_us = rnv_now_us();
		uint64_t due_us = rnv_npu_sim_next_us(&thread->sim);

		if (due_us <= now_us) {
			rnv_npu_sim_poll(&thread->sim, now_us);
		} else {
			sleep_us(thread, due_us - now_us);
		}
	}
	return NULL;
}

int rnv_npu_sim_thread_start(struct rnv_npu_sim_thread *thread, struct rnv_npu *npu,
			     uint32_t timeout_us, uint32_t abort_us)
{
	const struct rnv_npu_sim_config config = {.timeout_us = timeout_us,
						  .abort_us = abort_us,
						  .kick = kick,
						  .relax = relax,
						  .context = thread};
	pthread_condattr_t monotonic;

	rnv_npu_sim_init(&thread->sim, npu, &config);
	thread->kicked = false;
	thread->stopping = false;
	(void)pthread_mutex_init(&thread->lock, NULL);
	(void)pthread_condattr_init(&monotonic);
	(void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&thread->changed, &monotonic);
	(void)pthread_condattr_destroy(&monotonic);
	if (pthread_create(&thread->thread, NULL, run, thread) != 0) {
		return RNV_EAGAIN;
	}
	return RNV_OK;
}

void rnv_npu_sim_thread_stop(struct rnv_npu_sim_thread *thread)
{
	(void)pthread_mutex_lock(&thread->lock);
	thread->stopping = true;
	(void)pthread_mutex_unlock(&thread->lock);
	kick(thread);
	(void)pthread_join(thread->thread, NULL);
	(void)pthread_cond_destroy(&thread->changed);
	(void)pthread_mutex_destroy(&thread->lock);
}
