/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_SERVICE_INTERNAL_H_
#define RNV_SERVICE_INTERNAL_H_

/*
 * What the files of the service share. All of it belongs to the context that polls, but for a job
 * that runs: its result and its state are written by whoever completes it.
 */

#include "ipc/region.h"
#include "ranvier/service.h"

/* rnv_service_job.state; RUNNING becomes ENDED in the context of the completion. */
enum {
	RNV_SERVICE_FREE,
	RNV_SERVICE_RUNNING,
	RNV_SERVICE_ENDED
};

/* rnv_service.ending */
enum {
	RNV_SERVICE_SERVING,
	RNV_SERVICE_ENDING, /* a bond is over, and has jobs */
	RNV_SERVICE_OVER,   /* rnv_service_end() */
};

static inline struct rnv_region *rnv_service_region(const struct rnv_service *service)
{
	return service->config.region;
}

/* --- request.c --- */

/*
 * Do what a message of the present bond asks for. True if `message` is the answer now, to be sent;
 * else there is none, or a job will give one.
 */
bool rnv_service_handle(struct rnv_service *service, struct rnv_message *message, uint64_t now_us);

/* The answer of the job of a slot that has ended. */
void rnv_service_answer(const struct rnv_service *service, uint32_t slot,
			struct rnv_message *message);

/* An ended job is answered, or its bond is over: count it; its slot is free. */
void rnv_service_let_go(struct rnv_service *service, uint32_t slot);

#endif /* RNV_SERVICE_INTERNAL_H_ */
