/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * libFuzzer target: a client, its service and a scheduler, and whatever may be in the memory that
 * they share. The model is that of the file that FUZZ_PACKAGE names (make_mgmt_corpus.py).
 *
 * The input is what happens (enum event in the low 4 bits of a byte, its argument above), with its
 * bytes behind. Region, service and client lie in memory of exactly their size. Once the input is
 * over, and a client starts anew, it is served exactly.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ranvier/client.h"
#include "ranvier/port.h"
#include "ranvier/service.h"

#define LANES     2
#define JOBS      4
#define DEPTH     3
#define EXTERNALS 8
#define ARENA     4096u
#define SLOTS     3u
#define ENTRIES   4u
#define SLOTS_AT  (448u + 2u * ENTRIES * 32u)
#define SLOT_MOST 2048u
#define BEAT_US   500u
#define DEAD_US   3000u
#define HELLO_US  1000u

enum event {
	POLL_SERVER,
	POLL_CLIENT,
	STEP,
	PASS,
	START_CLIENT,
	SUBMIT,
	LOOK_UP,
	STATUS,
	CANCEL,
	GIVE,
	POKE,    /* u16 word, u32 value */
	MESSAGE, /* enum mend, 32 bytes: into the ring of requests */
	FILL,    /* u16 offset, bytes: anywhere */
	START_SERVER,
	DRAIN,
};

/* Bits that say what of a message is made right, so that mutations get behind the checks. */
enum mend {
	MEND_EPOCH = 1,
	MEND_MODEL = 2,
	MEND_SLOT = 4,
	MEND_BYTES = 8,
	MEND_LANE = 16,
};

static struct rnv_sched sched;
static struct rnv_lane lanes[LANES];
static struct rnv_job jobs[JOBS];
static struct rnv_job *queues[LANES][DEPTH];
static struct rnv_model opened[1];
static void *externals[JOBS * EXTERNALS];
static _Alignas(16) uint8_t arenas[LANES][ARENA];
static _Alignas(16) uint8_t package[16384];
static uint32_t package_bytes;
static _Alignas(16) uint8_t state[ARENA];
static char name[RNV_IPC_NAME];
static struct rnv_model_layout layout;
static uint8_t expected[SLOT_MOST]; /* a slot with an input of zeros, after its job */
static uint64_t now_us;

static uint32_t slot_bytes;
static uint32_t region_bytes;
static uint8_t *region;
static struct rnv_service *service;
static struct rnv_service_job *service_jobs;
static struct rnv_client *client;
static uint32_t model;
static uint32_t last_id;
static int32_t last_status;

static void demand(int right)
{
	if (!right) {
		abort();
	}
}

uint32_t rnv_critical_enter(void)
{
	return 0;
}

void rnv_critical_exit(uint32_t key)
{
	(void)key;
}

uint64_t rnv_now_us(void)
{
	return now_us;
}

void rnv_panic(const char *what)
{
	(void)fprintf(stderr, "panic: %s\n", what);
	abort();
}

static void nothing(void *context)
{
	(void)context;
}

static void on_result(void *context, const struct rnv_client_result *result)
{
	(void)context;
	last_status = result->status;
}

static void start_sched(void)
{
	struct rnv_lane_config configs[LANES];
	const struct rnv_sched_config config = {.lane_configs = configs,
						.lanes = lanes,
						.jobs = jobs,
						.models = opened,
						.externals = externals,
						.lane_count = LANES,
						.job_count = JOBS,
						.model_count = 1,
						.externals_per_job = EXTERNALS};
	const struct rnv_model_config opening = {.data = package,
						 .bytes = package_bytes,
						 .lanes = 0x2, /* one: it has state */
						 .state = state,
						 .state_bytes = sizeof(state),
						 .flags = RNV_MODEL_AUTO_RESET};

	for (uint32_t i = 0; i < LANES; i++) {
		configs[i] = (struct rnv_lane_config){.arena = arenas[i],
						      .arena_bytes = ARENA,
						      .queue = queues[i],
						      .depth = DEPTH};
	}
	demand(rnv_sched_init(&sched, &config) == RNV_OK);
	demand(rnv_model_open(&sched, &opening, &model, NULL) == RNV_OK);
}

static void start_server(void)
{
	const struct rnv_service_config config = {.sched = &sched,
						  .region = region,
						  .layout = {ENTRIES, SLOTS, slot_bytes},
						  .jobs = service_jobs,
						  .lanes = 0x3,
						  .max_jobs = 2,
						  .dead_us = DEAD_US,
						  .beat_us = BEAT_US,
						  .wake = nothing};

	demand(rnv_service_init(service, &config, now_us) == RNV_OK);
}

static void start_client(void)
{
	const struct rnv_client_config config = {.region = region,
						 .region_bytes = region_bytes,
						 .server_dead_us = DEAD_US,
						 .hello_us = HELLO_US};

	demand(rnv_client_init(client, &config) == RNV_OK);
}

static void end_server(void)
{
	while (rnv_service_end(service) == RNV_EAGAIN) {
		rnv_sched_run(&sched);
	}
}

static void check_server(void)
{
	struct rnv_service_stats stats;
	struct rnv_model_info info;

	rnv_service_stats_get(service, &stats);
	demand(stats.jobs <= 2u);
	demand(rnv_model_info_get(&sched, model, &info) == RNV_OK && info.jobs <= stats.jobs);
}

static void poll_server(void)
{
	for (uint32_t i = 0; rnv_service_poll(service, now_us) == 1; i++) {
		demand(i < ENTRIES + 1u); /* the ring is empty at some time */
	}
	check_server();
}

static void pass(uint32_t us)
{
	for (uint64_t end_us = now_us + us; now_us < end_us;) {
		now_us += BEAT_US;
		for (uint32_t i = 0; i < 3u; i++) {
			poll_server();
			rnv_sched_run(&sched);
			(void)rnv_client_poll(client, now_us);
		}
	}
}

static int submit(uint32_t slot, uint32_t lane, uint32_t flags)
{
	const struct rnv_client_job job = {.model = model,
					   .bytes = layout.bytes,
					   .deadline_us = RNV_IPC_NO_DEADLINE,
					   .lane = (uint8_t)lane,
					   .flags = (uint8_t)flags,
					   .done = on_result};

	return rnv_client_submit(client, slot, &job, &last_id);
}

/* A client that starts now is served exactly. */
static void serve_exactly(void)
{
	uint32_t slot;

	(void)rnv_model_undrain(&sched, model);
	start_client();
	pass(DEAD_US + 3u * HELLO_US);
	demand(rnv_client_poll(client, now_us) == RNV_CLIENT_BONDED);
	for (uint32_t i = 0; i < SLOTS; i++) {
		demand(rnv_client_slot_take(client, &slot) == RNV_OK && slot == i);
		memset(rnv_client_slot_data(client, slot, NULL), 0, slot_bytes);
		last_status = 1;
		demand(submit(slot, 1, RNV_JOB_RESET) == RNV_OK);
		pass(BEAT_US);
		demand(last_status == RNV_OK);
		demand(memcmp(rnv_client_slot_data(client, slot, NULL), expected, slot_bytes) == 0);
	}
}

static void make_expected(void)
{
	static _Alignas(16) uint8_t block[SLOT_MOST];
	const struct rnv_buffer buffer = {block, slot_bytes};
	const struct rnv_job_request request = {.model = model,
						.lane = 1,
						.flags = RNV_JOB_PACKED | RNV_JOB_FORGET,
						.deadline_us = RNV_NEVER,
						.buffers = &buffer,
						.buffer_count = 1};

	demand(rnv_job_submit(&sched, &request, NULL) == RNV_OK);
	rnv_sched_run(&sched);
	memcpy(expected, block, slot_bytes);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *path = getenv("FUZZ_PACKAGE");
	FILE *file = path != NULL ? fopen(path, "rb") : NULL;
	struct rnv_model_info info;

	(void)argc;
	(void)argv;
	demand(file != NULL);
	package_bytes = (uint32_t)fread(package, 1, sizeof(package), file);
	(void)fclose(file);
	start_sched();
	demand(rnv_model_info_get(&sched, model, &info) == RNV_OK);
	memcpy(name, info.pkg->header->name, sizeof(name));
	demand(rnv_model_layout(&sched, model, 0, &layout) == RNV_OK);
	slot_bytes = (layout.bytes + 127u) / 64u * 64u;
	demand(slot_bytes <= SLOT_MOST);
	region_bytes = SLOTS_AT + SLOTS * slot_bytes;
	make_expected();
	return 0;
}

/* --- the input --- */

struct input {
	const uint8_t *at;
	size_t left;
};

static void take(struct input *input, void *to, size_t bytes)
{
	size_t there = bytes < input->left ? bytes : input->left;

	memset(to, 0, bytes);
	memcpy(to, input->at, there);
	input->at += there;
	input->left -= there;
}

static uint32_t take16(struct input *input)
{
	uint16_t value;

	take(input, &value, sizeof(value));
	return value;
}

static void poke(struct input *input)
{
	uint32_t word = take16(input) % (region_bytes / 4u);
	uint32_t value;

	take(input, &value, sizeof(value));
	((uint32_t *)(void *)region)[word] = value;
}

static void fill(struct input *input, uint32_t argument)
{
	uint32_t bytes = 16u * (argument + 1u);
	uint32_t offset = take16(input) % (region_bytes - bytes);

	take(input, region + offset, bytes);
}

static void message(struct input *input)
{
	struct rnv_message message;
	uint8_t mend;

	take(input, &mend, 1);
	take(input, &message, sizeof(message));
	message.epoch = (mend & MEND_EPOCH) != 0u ? client->epoch : message.epoch;
	message.args[0] = (mend & MEND_MODEL) != 0u ? model : message.args[0];
	if ((mend & MEND_SLOT) != 0u) {
		message.offset = SLOTS_AT + message.offset % SLOTS * slot_bytes;
	}
	message.bytes = (mend & MEND_BYTES) != 0u ? layout.bytes : message.bytes;
	if ((mend & MEND_LANE) != 0u) {
		message.args[1] &= 0x7A010000u;
	}
	if (client->state == RNV_CLIENT_BONDED) {
		(void)rnv_ring_push(&client->requests, &message);
	}
}

static void ask(uint32_t event, uint32_t argument)
{
	uint32_t slot;

	if (event == STATUS) {
		(void)rnv_client_status(client, on_result, NULL);
	} else if (event == CANCEL) {
		(void)rnv_client_cancel(client, last_id);
	} else if (event == GIVE) {
		(void)rnv_client_slot_give(client, argument % SLOTS);
	} else if (rnv_client_slot_take(client, &slot) != RNV_OK) {
		return;
	} else if (event == SUBMIT) {
		(void)submit(slot, argument & 1u, argument >> 1 << 5 & RNV_JOB_RESET);
	} else {
		(void)rnv_client_lookup(client, slot, name, argument & 1u, on_result, NULL);
	}
}

static void happen(struct input *input, uint32_t event, uint32_t argument)
{
	switch (event) {
	case POLL_SERVER:
		poll_server();
		break;
	case POLL_CLIENT:
		(void)rnv_client_poll(client, now_us);
		break;
	case STEP:
		(void)rnv_sched_step(&sched);
		break;
	case PASS:
		now_us += argument * BEAT_US;
		break;
	case START_CLIENT:
		start_client();
		break;
	case POKE:
		poke(input);
		break;
	case MESSAGE:
		message(input);
		break;
	case FILL:
		fill(input, argument);
		break;
	case START_SERVER:
		end_server();
		start_server();
		break;
	case DRAIN:
		(void)((argument & 1u) != 0u ? rnv_model_undrain(&sched, model)
					     : rnv_model_drain(&sched, model, argument >> 1 & 1u));
		break;
	default:
		ask(event, argument);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = {data, size};

	region = aligned_alloc(64, region_bytes);
	service = malloc(sizeof(*service));
	service_jobs = malloc(SLOTS * sizeof(*service_jobs));
	client = malloc(sizeof(*client));
	demand(region != NULL && service != NULL && service_jobs != NULL && client != NULL);
	memset(region, 0, region_bytes);
	start_server();
	start_client();
	for (uint32_t i = 0; i < 256u && input.left != 0u; i++) {
		uint8_t event;

		take(&input, &event, 1);
		happen(&input, event & 15u, event >> 4);
	}
	serve_exactly();
	end_server();
	free(region);
	free(service);
	free(service_jobs);
	free(client);
	return 0;
}
