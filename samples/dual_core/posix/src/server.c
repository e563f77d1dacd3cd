/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The first core: has the model and the scheduler, and serves a client until it is told to end. */

#include <signal.h>
#include <stdio.h>

#include <posix/ipc.h>
#include <ranvier/port.h>
#include <ranvier/service.h>

#include "app.h"
#include "ranvier_digits.h"
#include "region.h"

static struct rnv_posix_ipc ipc;
static struct rnv_service service;
static struct rnv_service_job jobs[SLOTS];
static volatile sig_atomic_t stop;

static void on_signal(int number)
{
	(void)number;
	stop = 1;
	rnv_posix_ipc_wake(&ipc);
}

static int open_model(struct rnv_sched *sched)
{
	const struct rnv_model_config config = {
		.data = ranvier_digits,
		.bytes = sizeof(ranvier_digits),
		.lanes = (1u << APP_LANES) - 1u,
	};
	uint32_t model;

	return rnv_model_open(sched, &config, &model, NULL);
}

static int start(struct rnv_sched *sched, const char *path)
{
	struct rnv_service_config config = {
		.sched = sched,
		.layout = {.entries = ENTRIES, .slots = SLOTS, .slot_bytes = SLOT_BYTES},
		.jobs = jobs,
		.lanes = ((1u << APP_LANES) - 1u) & ~1u, /* lane 0 is the server's own */
		.max_jobs = SLOTS,
		.dead_us = DEAD_US,
		.beat_us = BEAT_US,
		.doorbell = rnv_posix_ipc_ring,
		.wake = rnv_posix_ipc_wake,
		.context = &ipc,
	};
	int status =
		rnv_posix_ipc_open(&ipc, path, rnv_ipc_bytes(&config.layout), RNV_POSIX_IPC_SERVER);

	if (status == 0) {
		config.region = ipc.region;
		status = rnv_service_init(&service, &config, rnv_now_us());
	}
	return status;
}

/* Tell when a client comes and goes. */
static void watch(struct rnv_service_stats *before)
{
	struct rnv_service_stats now;

	rnv_service_stats_get(&service, &now);
	if (now.bonds != before->bonds) {
		printf("client %u is bonded\n", (unsigned int)now.bonds);
	} else if (now.bonded < before->bonded) {
		printf("client %u is gone\n", (unsigned int)now.bonds);
	}
	*before = now;
}

static void serve(void)
{
	struct rnv_service_stats stats = {0};

	while (stop == 0) {
		int more = rnv_service_poll(&service, rnv_now_us());

		watch(&stats);
		if (more == 0) {
			(void)rnv_posix_ipc_wait(&ipc, BEAT_US);
		}
	}
	while (rnv_service_end(&service) == RNV_EAGAIN) {
		(void)rnv_posix_ipc_wait(&ipc, BEAT_US);
	}
}

static void print_totals(void)
{
	struct rnv_service_stats s;

	rnv_service_stats_get(&service, &s);
	printf("%u bonds, %u dead, %u broken; %u requests, %u completed, %u failed, %u refused, "
	       "%u foreign, %u jobs, most %u at once\n",
	       (unsigned int)s.bonds, (unsigned int)s.dead, (unsigned int)s.broken,
	       (unsigned int)s.requests, (unsigned int)s.completed, (unsigned int)s.failed,
	       (unsigned int)s.refused, (unsigned int)s.foreign, (unsigned int)s.jobs,
	       (unsigned int)s.most_jobs);
}

int app_main(const char *path)
{
	struct rnv_sched *sched = app_start();
	int status;

	if (path == NULL || path[0] == '-') {
		(void)fprintf(stderr, "usage: dual_core_server FILE\n");
		return 2;
	}
	status = sched != NULL ? open_model(sched) : RNV_ENOMEM;
	if (status == RNV_OK) {
		status = start(sched, path);
	}
	if (status != RNV_OK) {
		(void)fprintf(stderr, "%s: cannot be served (%d)\n", path, status);
		return 1;
	}
	(void)signal(SIGTERM, on_signal);
	(void)signal(SIGINT, on_signal);
	printf("serving %s\n", path);
	serve();
	print_totals();
	return 0;
}
