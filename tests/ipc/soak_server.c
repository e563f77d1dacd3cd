/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stdio.h>
#include <stdlib.h>

#include "posix/driver.h"
#include "posix/ipc.h"
#include "ranvier/port.h"
#include "ranvier/service.h"
#include "soak.h"

#define LANES   2u
#define JOBS    8u
#define BEAT_US 1000u
#define DEAD_US 1000000u

struct server {
	struct rnv_posix_ipc ipc;
	struct rnv_posix_driver *driver;
	struct rnv_sched sched;
	struct rnv_service service;
	struct rnv_service_config config;
	struct rnv_service_job service_jobs[SLOTS];
	struct rnv_lane_config lane_configs[LANES];
	struct rnv_lane lanes[LANES];
	struct rnv_job jobs[JOBS];
	struct rnv_model models[1];
	struct rnv_job *queues[LANES][JOBS];
	void *externals[JOBS * 2u];
	struct rnv_sched_hooks hooks;
	_Alignas(16) uint8_t arenas[LANES][4096];
	uint64_t random;
};

/* One doorbell in eight is lost. */
static void ring(void *context)
{
	struct server *server = context;

	if (soak_random(&server->random) % 8u != 0u) {
		rnv_posix_ipc_ring(&server->ipc);
	}
}

static void wake(void *context)
{
	rnv_posix_ipc_wake(&((struct server *)context)->ipc);
}

static int start_sched(struct server *server, const struct soak *soak)
{
	const struct rnv_sched_config config = {
		.lane_configs = server->lane_configs,
		.lanes = server->lanes,
		.jobs = server->jobs,
		.models = server->models,
		.externals = server->externals,
		.lane_count = LANES,
		.job_count = JOBS,
		.model_count = 1,
		.externals_per_job = 2,
		.hooks = &server->hooks,
	};
	const struct rnv_model_config model = {
		.data = soak->package, .bytes = soak->package_bytes, .lanes = (1u << LANES) - 1u};
	uint32_t handle;
	int status;

	for (uint32_t i = 0; i < LANES; i++) {
		server->lane_configs[i] =
			(struct rnv_lane_config){.arena = server->arenas[i],
						 .arena_bytes = sizeof(server->arenas[i]),
						 .queue = server->queues[i],
						 .depth = JOBS};
	}
	server->hooks = (struct rnv_sched_hooks){.wake = rnv_posix_wake,
						 .completed = rnv_posix_completed,
						 .wake_context = server->driver};
	status = rnv_sched_init(&server->sched, &config);
	if (status == RNV_OK) {
		status = rnv_model_open(&server->sched, &model, &handle, NULL);
	}
	return status == RNV_OK ? rnv_posix_driver_start(server->driver, &server->sched, 1)
				: status;
}

static int start(struct server *server, const struct soak *soak)
{
	int status;

	server->random = soak->seed;
	server->driver = rnv_posix_driver_create();
	server->config = (struct rnv_service_config){
		.sched = &server->sched,
		.layout = {.entries = ENTRIES, .slots = SLOTS, .slot_bytes = SLOT_BYTES},
		.jobs = server->service_jobs,
		.lanes = (1u << LANES) - 1u,
		.max_jobs = SLOTS - 1u,
		.dead_us = DEAD_US,
		.beat_us = BEAT_US,
		.doorbell = ring,
		.wake = wake,
		.context = server,
	};
	status = rnv_posix_ipc_open(&server->ipc, soak->region,
				    rnv_ipc_bytes(&server->config.layout), RNV_POSIX_IPC_SERVER);
	if (status == 0) {
		server->config.region = server->ipc.region;
		status = start_sched(server, soak);
	}
	return status != 0 ? status
			   : rnv_service_init(&server->service, &server->config, rnv_now_us());
}

static void end(struct server *server, struct soak_board *board)
{
	struct rnv_service_stats stats;

	while (rnv_service_end(&server->service) == RNV_EAGAIN) {
		(void)rnv_posix_ipc_wait(&server->ipc, BEAT_US);
	}
	rnv_service_stats_get(&server->service, &stats);
	board->jobs_left += stats.jobs;
	board->served += stats.completed;
}

int soak_server(const struct soak *soak)
{
	struct server *server = aligned_alloc(64, (sizeof(*server) + 63u) / 64u * 64u);
	struct soak_board *board = soak->board;
	int status;

	if (server == NULL) {
		return RNV_ENOMEM;
	}
	*server = (struct server){0};
	status = start(server, soak);
	if (status != 0) {
		(void)fprintf(stderr, "server: %d\n", status);
		return status;
	}
	while (board->stop_server == 0u) {
		if (atomic_exchange(&board->server_again, 0u) != 0u) {
			end(server, board);
			(void)rnv_service_init(&server->service, &server->config, rnv_now_us());
		}
		if (rnv_service_poll(&server->service, rnv_now_us()) == 0) {
			(void)rnv_posix_ipc_wait(&server->ipc, BEAT_US);
		}
	}
	end(server, board);
	rnv_posix_driver_stop(server->driver);
	rnv_posix_driver_destroy(server->driver);
	rnv_posix_ipc_close(&server->ipc);
	free(server);
	return 0;
}
