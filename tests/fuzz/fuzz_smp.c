/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * libFuzzer target: requests of the SMP group, one after the other, to a model server that serves
 * the package of the file that FUZZ_PACKAGE names (make_mgmt_corpus.py writes it), or none.
 *
 * The input is requests: a byte whose low 3 bits are the operation, bits 3..4 how often the server
 * and its lanes go on afterwards, bits 5..6 how little room the reply has; the id; u16 length;
 * body. Requests and replies lie in memory of exactly their size. Every reply that is said to be
 * one is CBOR whose items are whole.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zcbor_decode.h>
#include <zcbor_encode.h>

#include "mgmt/server.h"
#include "mgmt/smp.h"
#include "ram_flash.h"
#include "ranvier/port.h"
#include "ranvier/prof.h"

#define LANES     2
#define JOBS      4
#define DEPTH     2
#define OPEN      3
#define EXTERNALS 8
#define MODELS    2u
#define SECTOR    1024u
#define UNIT      16u
#define SLOT      (12u * SECTOR)
#define ARENA     4096u
#define IO        4096u
#define ROOM      1024u
#define REQUESTS  64u

static struct rnv_store_layout layout[MODELS] = {{"model", SLOT, 0}, {"other", SECTOR, 0}};
static struct rnv_store_model store_models[MODELS];
static struct rnv_store store;
static struct rnv_sched sched;
static struct rnv_lane lanes[LANES];
static struct rnv_job jobs[JOBS];
static struct rnv_job *queues[LANES][DEPTH];
static struct rnv_model opened[OPEN];
static void *externals[JOBS * EXTERNALS];
static _Alignas(16) uint8_t arenas[LANES][ARENA];
static struct rnv_prof prof;
static struct rnv_prof_model prof_models[OPEN];
static struct rnv_prof_record records[4];
static struct rnv_sched_hooks hooks = {.trace = rnv_prof_trace, .trace_context = &prof};
static struct rnv_server server;
static struct rnv_server_place places[MODELS];
static struct rnv_server_model served[MODELS];
static struct rnv_ota_patch patch;
static _Alignas(16) uint8_t io[IO];
static _Alignas(16) uint8_t memory[MODELS][ARENA];
static const char *const lane_names[LANES] = {"a", "b"};
static const struct rnv_smp smp = {.server = &server,
				   .sched = &sched,
				   .prof = &prof,
				   .lane_names = lane_names,
				   .version = "v",
				   .board = "b",
				   .lane_count = LANES,
				   .chunk = 400};

static uint8_t snapshot[FLASH_MOST]; /* with the package installed */
static uint8_t package[SLOT];
static uint32_t package_bytes;
static uint64_t now_us;

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
	return now_us++;
}

uint32_t rnv_cycles(void)
{
	return (uint32_t)now_us;
}

uint32_t rnv_cycles_per_second(void)
{
	return 1000000;
}

void rnv_panic(const char *what)
{
	(void)fprintf(stderr, "panic: %s\n", what);
	abort();
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
						.model_count = OPEN,
						.externals_per_job = EXTERNALS,
						.hooks = &hooks};
	const struct rnv_prof_config prof_config = {
		.models = prof_models, .records = records, .record_count = 4, .model_count = OPEN};

	for (uint32_t i = 0; i < LANES; i++) {
		configs[i] = (struct rnv_lane_config){.arena = arenas[i],
						      .arena_bytes = ARENA,
						      .queue = queues[i],
						      .depth = DEPTH};
	}
	demand(rnv_sched_init(&sched, &config) == RNV_OK);
	demand(rnv_prof_init(&prof, &prof_config) == RNV_OK);
}

/* A device that was just switched on. */
static void start(void)
{
	const struct rnv_store_config store_config = {.flash = &ram_flash,
						      .crypto = &any_crypto,
						      .layout = layout,
						      .models = store_models,
						      .model_count = MODELS,
						      .trial_boots = 3,
						      .flags = RNV_STORE_ALLOW_UNSIGNED};
	const struct rnv_server_config config = {.sched = &sched,
						 .store = &store,
						 .places = places,
						 .models = served,
						 .model_count = MODELS,
						 .isa_fast = 1,
						 .io = io,
						 .io_bytes = IO,
						 .idle_us = 100000,
						 .drain_us = 1000};

	start_sched();
	for (uint32_t i = 0; i < MODELS; i++) {
		places[i] = (struct rnv_server_place){
			.lanes = 1u << i, .state = memory[i], .state_bytes = ARENA};
	}
	demand(rnv_store_mount(&store, &store_config) == RNV_OK);
	demand(rnv_server_init(&server, &config) == RNV_OK);
	demand(rnv_server_accept_patches(&server, &patch) == RNV_OK);
	(void)rnv_server_boot(&server);
}

static void go_on(uint32_t times)
{
	for (; times != 0u; times--) {
		(void)rnv_server_poll(&server);
		rnv_sched_run(&sched);
	}
}

/* Bring the package by the server's own functions, and keep the flash. */
static void install(void)
{
	struct rnv_ota_request request = {.bytes = package_bytes, .header = package};
	uint32_t offset = 0;

	memcpy(request.sha256, package + package_bytes - 112u, sizeof(request.sha256));
	demand(rnv_server_upload_begin(&server, &request, &offset) == RNV_OK);
	demand(rnv_server_upload_chunk(&server, NULL, 0, package, package_bytes,
				       rnv_crc32(0, package, package_bytes), &offset) == RNV_OK);
	go_on(200);
	demand(rnv_server_activate(&server, 0, 1) == RNV_OK);
	go_on(200);
	demand(rnv_server_handle(&server, 0) != RNV_NO_HANDLE);
}

static void load_package(const char *path)
{
	FILE *file = fopen(path, "rb");

	demand(file != NULL);
	package_bytes = (uint32_t)fread(package, 1, sizeof(package), file);
	(void)fclose(file);
	demand(package_bytes > 240u && package_bytes < sizeof(package));
	memcpy(&package_bytes, package + 8, 4);
	layout[0].name = (const char *)package + 80;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *path = getenv("FUZZ_PACKAGE");

	(void)argc;
	(void)argv;
	ram_flash.geometry.sector_bytes = SECTOR;
	ram_flash.geometry.unit_bytes = UNIT;
	if (path != NULL) {
		load_package(path);
	}
	ram_flash.geometry.bytes = rnv_store_region_bytes(&ram_flash.geometry, layout, MODELS);
	demand(ram_flash.geometry.bytes != 0u && ram_flash.geometry.bytes <= FLASH_MOST);
	memset(cells, 0xFF, sizeof(cells));
	start();
	if (path != NULL) {
		install();
	}
	memcpy(snapshot, cells, sizeof(snapshot));
	return 0;
}

/* A reply that says that it is there is whole. */
static void check_reply(const uint8_t *reply, uint32_t bytes)
{
	zcbor_state_t states[3];

	zcbor_new_decode_state(states, 3, reply, bytes, 1, NULL, 0);
	demand(zcbor_any_skip(states, NULL) && states[0].payload == reply + bytes);
}

static void ask(uint32_t op, uint32_t id, const uint8_t *data, uint32_t bytes, uint32_t room)
{
	uint8_t *body = malloc((bytes != 0u) ? bytes : 1u);
	uint8_t *reply = malloc(room);
	zcbor_state_t in[3];
	zcbor_state_t out[2];
	int status;

	memcpy(body, data, bytes);
	zcbor_new_decode_state(in, 3, body, bytes, 1, NULL, 0);
	zcbor_new_encode_state(out, 2, reply, room, 0);
	(void)zcbor_map_start_encode(out, 0);
	status = rnv_smp_handle(&smp, op, id, in, out);
	demand(status == RNV_SMP_EOK || status == RNV_SMP_EMSGSIZE || status == RNV_SMP_ENOTSUP);
	if (status == RNV_SMP_EOK && zcbor_map_end_encode(out, 0)) {
		check_reply(reply, (uint32_t)(out->payload - reply));
	}
	free(body);
	free(reply);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint32_t polls[] = {0, 1, 5, 50};
	static const uint32_t rooms[] = {ROOM, 300, 60, 12};

	now_us = 1000;
	memcpy(cells, snapshot, ram_flash.geometry.bytes);
	start();
	for (uint32_t i = 0; i < REQUESTS && size >= 4u; i++) {
		size_t bytes = (size_t)(data[2] | data[3] << 8);

		if (bytes > size - 4u) {
			bytes = size - 4u;
		}
		ask(data[0] & 7u, data[1], data + 4, (uint32_t)bytes, rooms[data[0] >> 5 & 3u]);
		go_on(polls[data[0] >> 3 & 3u]);
		data += 4u + bytes;
		size -= 4u + bytes;
	}
	start(); /* whatever was done, it starts */
	return 0;
}
