/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * The ready-made store: a package is brought, tested, tried, confirmed, and gone back from; what
 * may not be loaded is refused. One story, in the order of the names, on flash that was erased.
 */

#include <string.h>

#include <zephyr/ztest.h>

#include <psa/crypto.h>

#include <ranvier/zephyr/flash.h>
#include <ranvier/zephyr/store.h>

#include "frame.h"
#include "packages.h"

#define SLOT_BYTES (32 * 1024)
#define CHUNK      500 /* neither units nor words */
#define PATIENCE_S 120

#define FRAME_BYTES 784
#define CLASSES     10

/* From tflite-micro, as tests/python/test_samples.py compares them. */
static const int8_t scores[CLASSES] = {-128, -128, -128, -128, -128, -128, -128, 127, -128, -128};

static const struct rnv_store_layout layout[] = {{.name = "digits", .slot_bytes = SLOT_BYTES}};
static const struct rnv_server_place places[] = {{.lanes = BIT_MASK(RNV_LANE_COUNT)}};

static struct rnv_server *server;

static void *start(void)
{
	struct rnv_flash flash;

	zassert_equal(rnv_zephyr_flash_init(&flash), RNV_OK);
	for (uint32_t at = 0; at < flash.geometry.bytes; at += flash.geometry.sector_bytes) {
		zassert_equal(flash.erase(flash.context, at), RNV_OK);
	}
	zassert_is_null(rnv_runtime_server(K_NO_WAIT));
	zassert_equal(rnv_runtime_store_start(layout, places, 2), RNV_EINVAL, "more than models");
	zassert_equal(rnv_runtime_store_start(layout, places, 1), 0, "an empty store");
	zassert_equal(rnv_runtime_store_start(layout, places, 1), RNV_ESTATE, "a second time");
	server = rnv_runtime_server(K_NO_WAIT);
	zassert_not_null(server);
	return NULL;
}

static int begin(const struct package *package, uint32_t *offset)
{
	struct rnv_ota_request request = {
		.bytes = package->bytes,
		.encoding = RNV_OTA_PLAIN,
		.header = package->data,
	};
	size_t length;

	zassert_equal(psa_hash_compute(PSA_ALG_SHA_256, package->data, package->bytes,
				       request.sha256, sizeof(request.sha256), &length),
		      PSA_SUCCESS);
	return rnv_server_upload_begin(server, &request, offset);
}

static int send(const struct package *package, uint32_t offset, uint32_t until)
{
	while (offset < until) {
		static uint8_t chunk[CHUNK];
		const uint32_t part = MIN(CHUNK, until - offset);
		int status;

		memcpy(chunk, package->data + offset, part);
		status = rnv_server_upload_chunk(server, NULL, offset, chunk, part,
						 rnv_crc32(0, chunk, part), &offset);
		if (status != RNV_OK) {
			return status;
		}
	}
	return RNV_OK;
}

static void await_phase(uint32_t phase, struct rnv_ota_status *status)
{
	for (uint32_t i = 0; i < PATIENCE_S * 100; i++) {
		rnv_server_update_get(server, status);
		if (status->phase == phase) {
			return;
		}
		zassert_not_equal(status->phase, RNV_OTA_FAILED, "error %d, why %u", status->error,
				  status->why);
		k_msleep(10);
	}
	zassert_unreachable("phase %u is not %u", status->phase, phase);
}

static void await_version(uint32_t major, struct rnv_server_model_info *info)
{
	for (uint32_t i = 0; i < PATIENCE_S * 100; i++) {
		zassert_equal(rnv_server_model_get(server, 0, info), RNV_OK);
		if (info->running < 2U && info->slots[info->running].version[0] == major &&
		    info->changing == 0U) {
			return;
		}
		k_msleep(10);
	}
	zassert_unreachable("version %u does not run: slot %u, error %d", major, info->running,
			    info->error);
}

static void bring(const struct package *package)
{
	struct rnv_ota_status status;
	uint32_t offset = 0;

	zassert_equal(begin(package, &offset), RNV_OK);
	zassert_equal(send(package, offset, package->bytes), RNV_OK);
	await_phase(RNV_OTA_READY, &status);
}

/* A frame through what runs: the scores of the reference. */
static void run_frame(uint32_t major)
{
	const struct rnv_server_run run = {
		.lane = RNV_SERVER_ANY_LANE, .bytes = FRAME_BYTES, .deadline_us = RNV_NEVER};
	static int8_t input[FRAME_BYTES];
	int8_t output[CLASSES];
	struct rnv_server_run_status status = {0};
	uint32_t offset;

	for (size_t i = 0; i < sizeof(input); i++) {
		input[i] = (int8_t)(frame[i] - 128);
	}
	zassert_equal(rnv_server_run_begin(server, &run), RNV_OK);
	zassert_equal(rnv_server_run_write(server, 0, 0, input, sizeof(input), &offset, NULL),
		      RNV_OK);
	for (uint32_t i = 0; i < PATIENCE_S * 100 && status.state != RNV_SERVER_DONE; i++) {
		(void)rnv_server_run_read(server, 0, 0, output, sizeof(output), &status);
		k_msleep(10);
	}
	zassert_equal(status.state, RNV_SERVER_DONE);
	zassert_equal(status.status, RNV_OK);
	zassert_equal(status.version[0], major);
	zassert_equal(rnv_server_run_read(server, 0, 0, output, sizeof(output), &status), CLASSES);
	zassert_mem_equal(output, scores, sizeof(scores));
}

ZTEST(ranvier_store, test_1_first_package)
{
	struct rnv_server_model_info info;

	bring(&packages[PACKAGE_FIRST]);
	zassert_equal(rnv_server_activate(server, 0, 0), RNV_OK);
	await_version(1, &info);
	zassert_equal(info.store.trial, RNV_TRIAL_TRYING);
	zassert_equal(info.store.tries, 1);
	run_frame(1);
	zassert_equal(rnv_server_confirm(server, 0), RNV_OK);
	zassert_equal(rnv_server_model_get(server, 0, &info), RNV_OK);
	zassert_equal(info.store.confirmed, info.running);
	zassert_equal(info.store.floor, 1);
}

ZTEST(ranvier_store, test_2_trial_and_way_back)
{
	struct rnv_server_model_info info;

	bring(&packages[PACKAGE_SECOND]);
	run_frame(1); /* not activated: nothing has changed */
	zassert_equal(rnv_server_activate(server, 0, 0), RNV_OK);
	await_version(2, &info);
	run_frame(2);
	zassert_equal(rnv_server_rollback(server, 0), RNV_OK);
	await_version(1, &info);
	run_frame(1);
	zassert_equal(info.store.floor, 1, "it rises at a confirmation alone");
}

/* An upload that stops goes on where it was, at a whole sector, and another one is dropped. */
ZTEST(ranvier_store, test_3_resumed)
{
	const struct package *package = &packages[PACKAGE_SECOND];
	struct rnv_server_model_info info;
	struct rnv_ota_status status;
	uint32_t offset = 1;

	zassert_equal(begin(package, &offset), RNV_OK);
	zassert_equal(offset, 0);
	zassert_equal(send(package, 0, 10000), RNV_OK);
	zassert_equal(begin(package, &offset), RNV_OK);
	zassert_equal(offset, 10000);
	zassert_equal(send(package, offset, package->bytes), RNV_OK);
	await_phase(RNV_OTA_READY, &status);
	zassert_equal(rnv_server_activate(server, 0, 0), RNV_OK);
	await_version(2, &info);
	zassert_equal(rnv_server_confirm(server, 0), RNV_OK);
	run_frame(2);
}

ZTEST(ranvier_store, test_4_refused)
{
	static uint8_t damaged[SLOT_BYTES];
	struct package package = packages[PACKAGE_UNSIGNED];
	struct rnv_server_model_info info;
	struct rnv_ota_status status;
	uint32_t offset;

	zassert_equal(begin(&packages[PACKAGE_FIRST], &offset), RNV_EACCES, "security version");
	zassert_equal(begin(&package, &offset), RNV_EACCES, "security version 0");

	package = packages[PACKAGE_SECOND];
	memcpy(damaged, package.data, package.bytes);
	damaged[package.bytes / 2] ^= 1U;
	package.data = damaged;
	zassert_equal(begin(&package, &offset), RNV_OK);
	zassert_equal(send(&package, offset, package.bytes), RNV_OK);
	for (uint32_t i = 0; i < PATIENCE_S * 100; i++) {
		rnv_server_update_get(server, &status);
		if (status.phase == RNV_OTA_FAILED) {
			break;
		}
		k_msleep(10);
	}
	zassert_equal(status.phase, RNV_OTA_FAILED);
	zassert_equal(status.error, RNV_EBADMSG);
	zassert_equal(status.why, RNV_WHY_HASH);
	await_version(2, &info);
	run_frame(2);
}

/* What the flash says to somebody who has just come. */
ZTEST(ranvier_store, test_5_persistent)
{
	static struct rnv_flash flash;
	static struct rnv_store store;
	static struct rnv_store_model models[1];
	static const struct rnv_crypto none;
	const struct rnv_store_config config = {
		.flash = &flash,
		.crypto = &none,
		.layout = layout,
		.models = models,
		.model_count = 1,
		.trial_boots = 1,
	};
	struct rnv_server_model_info running;
	struct rnv_store_info info;

	zassert_equal(rnv_server_model_get(server, 0, &running), RNV_OK);
	zassert_equal(rnv_zephyr_flash_init(&flash), RNV_OK);
	zassert_equal(rnv_store_mount(&store, &config), RNV_OK);
	zassert_equal(rnv_store_info_get(&store, 0, &info), RNV_OK);
	zassert_equal(info.confirmed, running.running);
	zassert_equal(info.floor, 2);
	zassert_equal(info.trial, RNV_TRIAL_NONE);
	zassert_equal(info.next, running.running);
}

ZTEST_SUITE(ranvier_store, NULL, start, NULL, NULL, NULL);
