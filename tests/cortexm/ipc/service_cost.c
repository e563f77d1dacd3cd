/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Counts what a request costs: the client's code and the server's, called one after the other. The
 * port's functions and callbacks are those below, a few instructions each, and counted with what
 * calls them; what an interrupt and its return cost is not in.
 */

#include <baremetal/semihosting.h>
#include <ranvier/client.h>
#include <ranvier/port.h>
#include <ranvier/service.h>

#include <string.h>

#include "model.h"
#include "roi.h"

#define LANES   2U
#define DEPTH   4U
#define JOBS    4U
#define TURNS   5U
#define SLOTS   2U
#define ENTRIES 4U
#define SMALL   1U
#define LARGE   (27U * 1024U)
#define SLOT    (28U * 1024U)

RNV_ROI(empty)
RNV_ROI(status)
RNV_ROI(status_client)
RNV_ROI(status_server)
RNV_ROI(status_answer)
RNV_ROI(idle_client)
RNV_ROI(idle_server)
RNV_ROI(look_up)
RNV_ROI(infer_small)
RNV_ROI(infer_large)

uint32_t rnv_critical_enter(void)
{
	return 0;
}

void rnv_critical_exit(uint32_t key)
{
	(void)key;
}

static uint64_t now_us;

uint64_t rnv_now_us(void)
{
	return now_us;
}

static struct model packages[2];
static struct rnv_sched sched;
static struct rnv_lane lanes[LANES];
static struct rnv_job jobs[JOBS];
static struct rnv_model models[2];
static void *externals[2U * JOBS];
static struct rnv_job *queues[LANES][DEPTH];
static uint8_t arenas[LANES][ARENA_BYTES] __attribute__((aligned(16)));
static uint32_t handles[2];

static uint8_t region[448U + 2U * ENTRIES * 32U + SLOTS * SLOT] __attribute__((aligned(64)));
static struct rnv_service service;
static struct rnv_service_job service_jobs[SLOTS];
static struct rnv_client client;
static struct rnv_client_result last;
static uint32_t results;

static uint32_t to_client;
static uint32_t to_server;
static uint32_t woken;

void on_step(void)
{
}

static void ring_client(void *context)
{
	(void)context;
	to_client = 1;
}

static void ring_server(void *context)
{
	(void)context;
	to_server = 1;
}

static void wake(void *context)
{
	(void)context;
	woken = 1;
}

static void wake_lane(void *context, uint32_t lane)
{
	(void)context;
	(void)lane;
	woken = 1;
}

static void on_result(void *context, const struct rnv_client_result *result)
{
	(void)context;
	last = *result;
	results++;
}

static const struct rnv_sched_hooks hooks = {.wake = wake_lane};

static void open_model(uint32_t number, const char *name, uint32_t input_bytes)
{
	struct rnv_model_config config = {
		.data = &packages[number], .bytes = sizeof(packages[number]), .lanes = 3};
	struct rnv_diag diag;

	model_make(&packages[number], name);
	packages[number].tensors[0].bytes = input_bytes;
	packages[number].tensors[0].dims[0] = input_bytes;
	packages[number].header.io_bytes = input_bytes + IO_BYTES;
	packages[number].trailer.crc32 =
		rnv_crc32(0, &packages[number], sizeof(packages[number]) - 4U);
	must(rnv_model_open(&sched, &config, &handles[number], &diag), "rnv_model_open");
}

static void open_all(void)
{
	struct rnv_lane_config lane_configs[LANES];
	struct rnv_sched_config config = {.lane_configs = lane_configs,
					  .lanes = lanes,
					  .jobs = jobs,
					  .models = models,
					  .externals = externals,
					  .lane_count = LANES,
					  .job_count = JOBS,
					  .model_count = 2,
					  .externals_per_job = 2,
					  .hooks = &hooks};

	for (uint32_t i = 0; i < LANES; i++) {
		lane_configs[i] = (struct rnv_lane_config){.arena = arenas[i],
							   .arena_bytes = ARENA_BYTES,
							   .queue = queues[i],
							   .depth = DEPTH};
	}
	must(rnv_sched_init(&sched, &config), "rnv_sched_init");
	open_model(0, "small", SMALL);
	open_model(1, "large", LARGE);
}

static void demand(bool right, const char *what)
{
	must(right ? 0 : -1, what);
}

static void bond(void)
{
	struct rnv_service_config config = {.sched = &sched,
					    .region = region,
					    .layout = {ENTRIES, SLOTS, SLOT},
					    .jobs = service_jobs,
					    .lanes = 3,
					    .max_jobs = SLOTS,
					    .dead_us = 1000000,
					    .beat_us = 1000,
					    .doorbell = ring_client,
					    .wake = wake};
	struct rnv_client_config client_config = {.region = region,
						  .region_bytes = sizeof(region),
						  .doorbell = ring_server,
						  .server_dead_us = 1000000,
						  .hello_us = 1000};
	uint32_t slot;

	must(rnv_service_init(&service, &config, now_us), "rnv_service_init");
	must(rnv_client_init(&client, &client_config), "rnv_client_init");
	(void)rnv_client_poll(&client, now_us);
	(void)rnv_service_poll(&service, now_us);
	demand(rnv_client_poll(&client, now_us) == RNV_CLIENT_BONDED, "bond");
	must(rnv_client_slot_take(&client, &slot), "rnv_client_slot_take");
}

/* --- a status --- */

static void measure_status(void)
{
	uint32_t before = results;

	ROI_BEGIN(status);
	(void)rnv_client_status(&client, on_result, NULL);
	(void)rnv_service_poll(&service, now_us);
	(void)rnv_client_poll(&client, now_us);
	ROI_END(status);
	demand(results == before + 1U && last.status == RNV_OK, "status");
	ROI_BEGIN(status_client);
	(void)rnv_client_status(&client, on_result, NULL);
	ROI_END(status_client);
	ROI_BEGIN(status_server);
	(void)rnv_service_poll(&service, now_us);
	ROI_END(status_server);
	ROI_BEGIN(status_answer);
	(void)rnv_client_poll(&client, now_us);
	ROI_END(status_answer);
	demand(results == before + 2U && last.status == RNV_OK, "status in parts");
}

/* The polls of a beat at which nothing has happened. */
static void measure_idle(void)
{
	ROI_BEGIN(empty);
	ROI_END(empty);
	ROI_BEGIN(idle_client);
	(void)rnv_client_poll(&client, now_us);
	ROI_END(idle_client);
	ROI_BEGIN(idle_server);
	(void)rnv_service_poll(&service, now_us);
	ROI_END(idle_server);
}

static void measure_look_up(void)
{
	uint32_t before = results;

	ROI_BEGIN(look_up);
	(void)rnv_client_lookup(&client, 0, "large", 0, on_result, NULL);
	(void)rnv_service_poll(&service, now_us);
	(void)rnv_client_poll(&client, now_us);
	ROI_END(look_up);
	demand(results == before + 1U && last.status == RNV_OK, "look-up");
}

/* --- an inference, but for its steps' kernels --- */

static void infer(const struct rnv_client_job *job)
{
	(void)rnv_client_submit(&client, 0, job, NULL);
	(void)rnv_service_poll(&service, now_us);
	rnv_sched_run(&sched);
	(void)rnv_service_poll(&service, now_us);
	(void)rnv_client_poll(&client, now_us);
}

static struct rnv_client_job job_of(uint32_t number, uint32_t input_bytes)
{
	return (struct rnv_client_job){.model = handles[number],
				       .bytes = (input_bytes + 15U) / 16U * 16U + IO_BYTES,
				       .deadline_us = 1000,
				       .done = on_result};
}

static void measure_infer(void)
{
	const struct rnv_client_job small = job_of(0, SMALL);
	const struct rnv_client_job large = job_of(1, LARGE);
	uint32_t before = results;

	ROI_BEGIN(infer_small);
	infer(&small);
	ROI_END(infer_small);
	demand(results == before + 1U && last.status == RNV_OK, "small");
	ROI_BEGIN(infer_large);
	infer(&large);
	ROI_END(infer_large);
	demand(results == before + 2U && last.status == RNV_OK, "large");
}

int main(void)
{
	char line[64];
	char *argv[2];

	(void)rnv_roi_start(rnv_semihost_args(line, sizeof(line), argv, 2), argv);
	open_all();
	bond();
	for (uint32_t i = 0; i < TURNS; i++) {
		now_us += 1000;
		measure_idle();
		measure_status();
		measure_look_up();
		measure_infer();
	}
	rnv_roi_print();
	return 0;
}
