/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The suite through a flash that parks a client: whatever bank is the client's. */

#include "../../unit/ipc_park/park_fixture.h"

#include "contract.h"
#include "posix/flash.h"

#define SECTOR 4096u
#define BYTES  (5u * SECTOR)

static _Alignas(64) uint8_t memory[2u * BYTES];
static struct rnv_posix_flash model;
static struct played_client client;

static void model_power(void *context)
{
	rnv_posix_flash_power_on(context);
}

static void model_hurt(void *context, uint32_t offset)
{
	assert_int_equal(rnv_posix_flash_mark(context, offset, 1, RNV_POSIX_FLASH_BAD), RNV_OK);
}

static uint64_t model_erases(void *context)
{
	struct rnv_posix_flash_stats stats;

	rnv_posix_flash_stats_get(context, &stats);
	return stats.erases;
}

/* Parks that it took. */
static uint32_t run(uint32_t first, uint32_t end)
{
	const struct rnv_flash_geometry geometry = {BYTES, SECTOR, 16, 0xFF, 0};
	struct rnv_parked_flash parked;
	struct rnv_flash inner;
	struct rnv_flash outer;
	const struct flash_contract_device device = {&outer, model_power, model_hurt, model_erases,
						     &model};
	const char *broken;
	uint32_t checks;

	play(&client);
	assert_int_equal(rnv_posix_flash_init(&model, &geometry, memory, sizeof(memory), 1),
			 RNV_OK);
	rnv_posix_flash_seam(&model, &inner);
	assert_int_equal(rnv_parked_flash_init(&parked, &inner, &client.park, first, end, &outer),
			 RNV_OK);
	broken = flash_contract_run(&device, &checks);
	if (broken != NULL) {
		fail_msg("%s", broken);
	}
	assert_true(checks > 100u);
	assert_int_equal(client.region[PARK], 0);
	assert_int_equal(client.held, 0);
	return client.park.parks;
}

static void test_every_bank(void **state)
{
	const uint32_t all = run(0, BYTES);
	const uint32_t some = run(SECTOR, 3u * SECTOR);

	(void)state;
	assert_true(all > some);
	assert_true(some > 0u);
	assert_int_equal(run(BYTES - 1u, BYTES) > 0u, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_bank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
