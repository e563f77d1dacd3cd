/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The SMP group with two clients at a time, and with requests that come twice. */

#include "smp_fixture.h"

#include "virtual_port.h"

/* Inputs of a run with this id; 0: the key is left out. */
static struct body *run_piece(uint32_t id, uint32_t at, uint32_t bytes)
{
	struct body *body = of_model("alpha", 3 + (id != 0));

	put_uint(body, "off", at);
	put_uint(body, "len", X_BYTES);
	put_bytes(body, "data", input + at, bytes);
	if (id != 0) {
		put_uint(body, "id", id);
	}
	return body;
}

static struct body *read_of(uint32_t id)
{
	struct body *body = map(1);

	put_uint(body, "id", id);
	return body;
}

static void test_run_of_two_clients(void **state)
{
	uint32_t bytes;
	int64_t job;

	(void)state;
	update_to(ALPHA, 1, 1);
	well(RNV_SMP_WRITE, RNV_SMP_CMD_RUN, run_piece(5, 0, 4));
	refused(RNV_SMP_WRITE, RNV_SMP_CMD_RUN, run_piece(6, 4, X_BYTES - 4), RNV_ESTATE);
	refused(RNV_SMP_WRITE, RNV_SMP_CMD_RUN, run_piece(0, 4, X_BYTES - 4), RNV_ESTATE);
	well(RNV_SMP_WRITE, RNV_SMP_CMD_RUN, run_piece(5, 4, X_BYTES - 4));
	job = number("job");
	well(RNV_SMP_READ, RNV_SMP_CMD_RUN, read_of(5));
	assert_int_equal(number("job"), job);
	rnv_sched_run(&sched);
	refused(RNV_SMP_READ, RNV_SMP_CMD_RUN, read_of(6), RNV_ESTATE);
	refused(RNV_SMP_READ, RNV_SMP_CMD_RUN, map(0), RNV_ESTATE);
	well(RNV_SMP_READ, RNV_SMP_CMD_RUN, read_of(5));
	assert_int_equal(number("job"), job);
	(void)string("data", 2, &bytes);
	assert_int_equal(bytes, Y_BYTES);
	well(RNV_SMP_WRITE, RNV_SMP_CMD_RUN, run_piece(6, 0, X_BYTES));
	assert_true(number("job") != job);
	job = number("job");
	well(RNV_SMP_WRITE, RNV_SMP_CMD_RUN, run_piece(6, 0, X_BYTES)); /* its reply was lost */
	assert_int_equal(number("job"), job);
	rnv_sched_run(&sched);
	well(RNV_SMP_WRITE, RNV_SMP_CMD_RUN, run_piece(6, 0, X_BYTES));
	assert_int_equal(number("job"), job);
	refused(RNV_SMP_WRITE, RNV_SMP_CMD_RUN, run_piece(5, 0, X_BYTES), RNV_ESTATE);
	refused(RNV_SMP_READ, RNV_SMP_CMD_RUN, read_of(5), RNV_ESTATE);
	well(RNV_SMP_READ, RNV_SMP_CMD_RUN, read_of(6));
	assert_int_equal(model_of(ALPHA).completed, 2);
}

/* Bytes of the upload that arrived. */
static int64_t received(void)
{
	well(RNV_SMP_READ, RNV_SMP_CMD_UPDATE, map(0));
	return number("off");
}

/* A chunk that tells of which file it is does not get into another one. */
static void test_chunks_of_two_uploads(void **state)
{
	uint8_t sha[32];
	struct body *body;

	(void)state;
	draw("alpha", 1);
	sign();
	memcpy(sha, package + sizeof(image) - 112, 32);
	well(RNV_SMP_WRITE, RNV_SMP_CMD_UPLOAD, announcement("alpha"));
	for (uint32_t bytes = 1; bytes <= 32; bytes++) {
		body = piece(0, 100);
		body->data[0] = 0xA0 + 4;
		put_bytes(body, "sha", sha, bytes);
		if (bytes != 4) {
			refused(RNV_SMP_WRITE, RNV_SMP_CMD_UPLOAD, body, RNV_EINVAL);
		} else {
			well(RNV_SMP_WRITE, RNV_SMP_CMD_UPLOAD, body);
		}
	}
	assert_int_equal(received(), 100);
	for (uint32_t i = 0; i < 4; i++) {
		body = piece(100, 100);
		body->data[0] = 0xA0 + 4;
		sha[i] ^= 1;
		put_bytes(body, "sha", sha, 4);
		sha[i] ^= 1;
		refused(RNV_SMP_WRITE, RNV_SMP_CMD_UPLOAD, body, RNV_ESTATE);
	}
	assert_int_equal(received(), 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_run_of_two_clients, begin_smp),
		cmocka_unit_test_setup(test_chunks_of_two_uploads, begin_smp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
