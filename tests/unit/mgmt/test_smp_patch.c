/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Patches come by SMP: where the server takes them, and what they build on. */

#include "smp_fixture.h"

#include "../ota/patch_fixture.h"
#include "virtual_port.h"

static struct rnv_ota_patch patch;

/* A stream for `package`; from `old` on, where it is not NULL, what is the same there is copied. */
static void make_patch(const uint8_t *old)
{
	uint32_t total = sizeof(image);
	uint32_t crc = 0;

	if (old != NULL) {
		memcpy(base, old, total);
		memcpy(&crc, old + total - 4, sizeof(crc));
	}
	put_header(total, old != NULL ? total : 0, crc);
	while (made.length < total) {
		uint32_t at = made.length;
		uint32_t same = 0;

		while (old != NULL && at + same < total && package[at + same] == base[at + same]) {
			same++;
		}
		if (same != 0) {
			put_copy(same, at);
		} else {
			put_literals(package + at, 1);
		}
	}
	put_end();
}

static struct body *patch_announcement(uint32_t crc)
{
	struct body *body = of_model("alpha", crc != 0 ? 6 : 5);

	put_uint(body, "off", 0);
	put_uint(body, "len", made.bytes);
	put_bytes(body, "sha", package + sizeof(image) - 112, 32);
	put_bytes(body, "hdr", package, 128);
	put_uint(body, "enc", 1);
	if (crc != 0) {
		put_uint(body, "base", crc);
	}
	return body;
}

static void send_patch(void)
{
	for (uint32_t at = 0; at < made.bytes;) {
		uint32_t count = made.bytes - at < 100 ? made.bytes - at : 100;
		struct body *body = map(3);

		put_uint(body, "off", at);
		put_bytes(body, "data", made.stream + at, count);
		put_uint(body, "crc", crc_of(0, made.stream + at, count));
		well(RNV_SMP_WRITE, RNV_SMP_CMD_UPLOAD, body);
		at += count;
		assert_int_equal(number("off"), at);
	}
	work();
	assert_int_equal(update().phase, RNV_OTA_READY);
}

static void test_taken_where_the_server_does(void **state)
{
	(void)state;
	draw("alpha", 1);
	sign();
	make_patch(NULL);
	refused(RNV_SMP_WRITE, RNV_SMP_CMD_UPLOAD, patch_announcement(0), RNV_EINVAL);
	assert_int_equal(rnv_server_accept_patches(&server, &patch), RNV_OK);
	well(RNV_SMP_READ, RNV_SMP_CMD_INFO, map(0));
	assert_true(truth("patch"));
	well(RNV_SMP_WRITE, RNV_SMP_CMD_UPLOAD, patch_announcement(0));
	assert_int_equal(number("off"), 0);
	send_patch();
}

static void test_against_what_runs(void **state)
{
	static uint8_t old[sizeof(image)];
	uint32_t crc;

	(void)state;
	assert_int_equal(rnv_server_accept_patches(&server, &patch), RNV_OK);
	update_to(ALPHA, 1, 1);
	memcpy(old, package, sizeof(old));
	memcpy(&crc, old + sizeof(old) - 4, sizeof(crc));
	draw("alpha", 2);
	sign();
	make_patch(old);
	assert_true(made.bytes < sizeof(image));
	refused(RNV_SMP_WRITE, RNV_SMP_CMD_UPLOAD, patch_announcement(crc + 1), RNV_ESTALE);
	well(RNV_SMP_WRITE, RNV_SMP_CMD_UPLOAD, patch_announcement(crc));
	send_patch();
	assert_int_equal(rnv_server_activate(&server, ALPHA, 1), RNV_OK);
	work();
	assert_runs(ALPHA, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_taken_where_the_server_does, begin_smp),
		cmocka_unit_test_setup(test_against_what_runs, begin_smp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
