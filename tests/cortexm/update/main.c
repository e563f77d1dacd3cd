/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * The least application that is updated by SMP: what it links of store, engine, server and handlers
 * is their code, and the sizes of its variables are their RAM (benchmarks/store). It is linked, not
 * run: flash, crypto and clock are stand-ins.
 */

#include <baremetal/semihosting.h>

#include "mgmt/smp.h"
#include "ranvier/port.h"

#define MODELS 1 /* sizes of arrays are those for each model */
#define SECTOR 8192u

/* --- what is measured ------------------------------------------------------------------------- */

struct rnv_store store;
struct rnv_store_model store_models[MODELS];
struct rnv_server server; /* with the update engine */
struct rnv_server_model server_models[MODELS];
struct rnv_smp smp;

/* Part of the server; for patches; of the scheduler. Only their sizes are wanted. */
struct rnv_ota engine;
struct rnv_ota_patch patch;
struct rnv_model sched_models[MODELS];

/* --- stand-ins -------------------------------------------------------------------------------- */

static struct rnv_sched sched;
static uint8_t memory[16u * SECTOR];
static uint8_t io[1024] __attribute__((aligned(16)));

void rnv_panic(const char *what)
{
	rnv_semihost_puts(what);
	rnv_semihost_exit(1);
}

uint64_t rnv_now_us(void)
{
	return 0;
}

uint32_t rnv_cycles(void)
{
	return 0;
}

uint32_t rnv_cycles_per_second(void)
{
	return 1000000;
}

uint32_t rnv_critical_enter(void)
{
	return 0;
}

void rnv_critical_exit(uint32_t key)
{
	(void)key;
}

static int read_flash(void *context, uint32_t offset, void *to, uint32_t bytes)
{
	(void)context;
	(void)offset;
	(void)to;
	(void)bytes;
	return RNV_EIO;
}

static int program_flash(void *context, uint32_t offset, const void *from, uint32_t bytes)
{
	(void)context;
	(void)offset;
	(void)from;
	(void)bytes;
	return RNV_EIO;
}

static int erase_flash(void *context, uint32_t offset)
{
	(void)context;
	(void)offset;
	return RNV_EIO;
}

static const void *map_flash(void *context, uint32_t offset, uint32_t bytes)
{
	(void)context;
	(void)bytes;
	return memory + offset;
}

static int start_hash(void *context)
{
	(void)context;
	return RNV_EIO;
}

static int update_hash(void *context, const void *data, uint32_t bytes)
{
	(void)context;
	(void)data;
	(void)bytes;
	return RNV_EIO;
}

static int finish_hash(void *context, uint8_t *hash)
{
	(void)context;
	(void)hash;
	return RNV_EIO;
}

static int verify(void *context, const uint8_t *xy, const uint8_t *hash, const uint8_t *signature)
{
	(void)context;
	(void)xy;
	(void)hash;
	(void)signature;
	return RNV_EIO;
}

/* --- the application -------------------------------------------------------------------------- */

static int start(void)
{
	static const struct rnv_flash flash = {.geometry = {sizeof(memory), SECTOR, 16, 0xFF, 0},
					       .read = read_flash,
					       .program = program_flash,
					       .erase = erase_flash,
					       .map = map_flash};
	static const struct rnv_crypto crypto = {NULL, start_hash, update_hash, finish_hash,
						 verify};
	static const struct rnv_store_layout layout[MODELS] = {{"model", 4u * SECTOR, 0}};
	static const struct rnv_server_place places[MODELS] = {{1, NULL, 0, 0}};
	static const struct rnv_key keys[] = {{1, {0}}};
	const struct rnv_store_config store_config = {.flash = &flash,
						      .crypto = &crypto,
						      .layout = layout,
						      .models = store_models,
						      .keys = keys,
						      .model_count = MODELS,
						      .key_count = 1,
						      .trial_boots = 3};
	const struct rnv_server_config config = {.sched = &sched,
						 .store = &store,
						 .places = places,
						 .models = server_models,
						 .model_count = MODELS,
						 .isa_fast = 1,
						 .io = io,
						 .io_bytes = sizeof(io),
						 .idle_us = 1000000,
						 .drain_us = 1000000};
	int status = rnv_store_mount(&store, &store_config);

	if (status == RNV_OK) {
		status = rnv_server_init(&server, &config);
	}
	if (status == RNV_OK) {
		status = rnv_server_boot(&server);
	}
	smp = (struct rnv_smp){.server = &server, .sched = &sched, .version = "1", .board = "none"};
	return status;
}

int main(void)
{
	static zcbor_state_t in[2];
	static zcbor_state_t out[6];
	int status = start();

	while (status >= 0) {
		(void)rnv_server_poll(&server);
		status = -rnv_smp_handle(&smp, RNV_SMP_READ, RNV_SMP_CMD_INFO, in, out);
	}
	return 1;
}
