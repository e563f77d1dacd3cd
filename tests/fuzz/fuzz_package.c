/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * libFuzzer target: the package verifier, and the executor on whatever it lets pass.
 *
 * The CRC is not checked, so that mutations reach the verifier. Of a package that opens, every
 * entry point is run twice with random inputs in memory of exactly the declared sizes, under the
 * sanitizers, and it tests itself; all of it twice: it must give the same whatever the arena held,
 * and must not have written to the package.
 */

/* posix_memalign() */
#define _POSIX_C_SOURCE 200112L

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ranvier/exec.h"
#include "ranvier/package.h"
#include "ranvier/status.h"

/* Larger demands than a microcontroller's are refused here, to keep runs short. */
#define MOST_BYTES (1u << 20)
#define MOST_SLOTS 32u

static void *aligned(uint32_t bytes)
{
	void *data = NULL;

	/* Exactly so many bytes: ASan sees the first one behind them. */
	if (posix_memalign(&data, 16, (bytes != 0u) ? bytes : 1u) != 0) {
		abort();
	}
	return data;
}

static void fill(uint8_t *data, uint32_t bytes, uint32_t seed)
{
	for (uint32_t i = 0; i < bytes; i++) {
		seed = seed * 1664525u + 1013904223u;
		data[i] = (uint8_t)(seed >> 24);
	}
}

/* Every external tensor's memory; `owned` has a place for each. */
static void bind_all(struct rnv_exec *exec, const struct rnv_package *pkg, void **owned)
{
	const struct rnv_tensor_rec *t;

	for (uint16_t i = 0; (t = rnv_package_tensor(pkg, i)) != NULL; i++) {
		if (t->storage == RNV_STORAGE_EXTERNAL && t->flags != 0u) {
			owned[t->offset] = malloc(t->bytes);
			if (rnv_exec_bind(exec, i, owned[t->offset], t->bytes) != RNV_OK) {
				abort();
			}
		}
	}
}

/* One run of an entry point with inputs from `seed`; returns the CRC of all outputs so far. */
static uint32_t run_entry(struct rnv_exec *exec, uint16_t entry, uint32_t seed, uint32_t crc)
{
	const struct rnv_package *pkg = exec->pkg;
	uint16_t tensor;

	for (uint16_t i = 0; (tensor = rnv_package_input(pkg, entry, i)) != RNV_NO_TENSOR; i++) {
		fill(rnv_exec_tensor(exec, tensor), rnv_package_tensor(pkg, tensor)->bytes,
		     seed + i);
	}
	if (rnv_exec_run(exec, entry) != RNV_OK) {
		abort();
	}
	for (uint16_t i = 0; (tensor = rnv_package_output(pkg, entry, i)) != RNV_NO_TENSOR; i++) {
		crc = rnv_crc32(crc, rnv_exec_tensor(exec, tensor),
				rnv_package_tensor(pkg, tensor)->bytes);
	}
	return crc;
}

/* All entry points, two times, and the self-test; returns the CRC of all outputs, the state and the
 * self-test's status. */
static uint32_t run(const struct rnv_package *pkg, uint32_t seed, uint8_t arena_fill)
{
	const struct rnv_header *header = rnv_package_header(pkg);
	void *slots[MOST_SLOTS] = {NULL};
	void *owned[MOST_SLOTS] = {NULL};
	uint8_t *arena = aligned(header->arena_bytes);
	uint8_t *state = aligned(header->state_bytes);
	struct rnv_exec exec;
	uint32_t crc = 0;
	int status;

	memset(arena, arena_fill, header->arena_bytes);
	memset(state, 0, header->state_bytes);
	if (rnv_exec_init(&exec, pkg, arena, header->arena_bytes, slots, MOST_SLOTS) != RNV_OK ||
	    rnv_exec_set_state(&exec, state, header->state_bytes) != RNV_OK) {
		abort();
	}
	bind_all(&exec, pkg, owned);
	for (uint32_t i = 0; i < 2u * pkg->entry_count; i++) {
		crc = run_entry(&exec, (uint16_t)(i % pkg->entry_count), seed + i, crc);
	}
	crc = rnv_crc32(crc, state, header->state_bytes);
	memset(arena, arena_fill, header->arena_bytes);
	status = rnv_exec_selftest(&exec);
	crc = rnv_crc32(crc, &status, sizeof(status));
	for (uint32_t i = 0; i < MOST_SLOTS; i++) {
		free(owned[i]);
	}
	free(arena);
	free(state);
	return crc;
}

/* Whether the package's demands are those of a microcontroller. */
static bool demands_ok(const struct rnv_package *pkg)
{
	const struct rnv_header *header = rnv_package_header(pkg);
	const struct rnv_tensor_rec *t;

	if (header->arena_bytes > MOST_BYTES || header->state_bytes > MOST_BYTES ||
	    header->external_count > MOST_SLOTS) {
		return false;
	}
	for (uint16_t i = 0; (t = rnv_package_tensor(pkg, i)) != NULL; i++) {
		if (t->bytes > MOST_BYTES) {
			return false;
		}
	}
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = aligned((uint32_t)size);
	struct rnv_package pkg;
	struct rnv_diag diag;

	memcpy(copy, data, size);
	if (rnv_package_open(&pkg, copy, (uint32_t)size, RNV_OPEN_SKIP_CRC, &diag) == RNV_OK) {
		if (diag.what != RNV_WHAT_NONE) {
			abort();
		}
		if (demands_ok(&pkg) && run(&pkg, 1, 0x00) != run(&pkg, 1, 0xA5)) {
			fprintf(stderr, "the result depends on what the arena held\n");
			abort();
		}
	} else if (diag.what == RNV_WHAT_NONE) {
		fprintf(stderr, "refused without a diagnosis\n");
		abort();
	}
	if (memcmp(copy, data, size) != 0) {
		abort();
	}
	free(copy);
	return 0;
}
