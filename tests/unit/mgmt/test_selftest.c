/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What may be taken, and the golden self-test by jobs. */

#include "server_fixture.h"

#include "virtual_port.h"

static uint32_t offset;

static void send_signed(uint32_t model)
{
	sign();
	send_image(model);
}

static struct rnv_lane_stats lane_of(uint32_t lane)
{
	struct rnv_lane_stats got;

	assert_int_equal(rnv_lane_stats_get(&sched, lane, &got), RNV_OK);
	return got;
}

/* Refused before anything is erased. */
static void assert_not_taken(int status)
{
	sign();
	assert_int_equal(announce(ALPHA, &offset), status);
	assert_int_equal(erases + programs, 0);
}

static void test_what_may_be_taken(void **state)
{
	struct rnv_ota_request request = {.bytes = sizeof(image), .header = package};

	(void)state;
	draw("alpha", 1);
	image.header.isa = RNV_ISA_MVE;
	assert_not_taken(RNV_ENOTSUP);
	image.header.isa = 33;
	assert_not_taken(RNV_ENOTSUP);
	image.header.isa = RNV_ISA_DSP;
	assert_not_taken(RNV_ENOTSUP);
	request.flags = RNV_OTA_ALLOW_SLOW;
	assert_int_equal(rnv_server_upload_begin(&server, &request, &offset), RNV_OK);
	assert_int_equal(rnv_server_abort(&server), RNV_OK);
	erases = programs = 0;
	draw("alpha", 1);
	image.header.opset[31] = 0x80;
	assert_not_taken(RNV_ENOTSUP);
	draw("alpha", 1);
	image.header.arena_bytes = LANE_BYTES + 1;
	assert_not_taken(RNV_ENOMEM);
	draw("alpha", 1);
	image.header.io_bytes = IO_BYTES;
	assert_not_taken(RNV_ENOMEM);
	draw("alpha", 1);
	image.header.external_count = 3;
	assert_not_taken(RNV_ENOMEM);
	draw("alpha", 1);
	image.header.state_bytes = 32;
	assert_not_taken(RNV_ENOMEM);
	draw("alpha", 1);
	sign();
	assert_int_equal(announce(ALPHA, &offset), RNV_OK);
}

static void test_workspace(void **state)
{
	struct rnv_header header = {.external_count = 2, .io_bytes = 12, .state_bytes = 16};
	uint32_t need = rnv_server_io_bytes(&header);

	(void)state;
	assert_true(need >= 2 * sizeof(struct rnv_buffer) + 16 + 16 + 16);
	assert_true(need <= 2 * sizeof(struct rnv_buffer) + 16 + 16 + 16 + 32);
	header.io_bytes = 0xFFFFFFF0;
	assert_int_equal(rnv_server_io_bytes(&header), UINT32_MAX);
}

/* In the least urgent lane, on an instance that nobody finds, whatever the model is bound to. */
static void test_where_it_runs(void **state)
{
	uint32_t seen = 0;

	(void)state;
	update_to(ALPHA, 1, 1);
	draw("alpha", 2);
	image.steps[OP_CONV].flags |= RNV_STEP_NPU;
	send_signed(ALPHA);
	lanes_run = 0;
	for (int i = 0; i < 50; i++) {
		poll_once();
	}
	assert_int_equal(update().phase, RNV_OTA_TESTING);
	assert_int_equal(lane_of(0).submitted, 0);
	assert_int_equal(lane_of(1).completed, 1); /* that of version 1 */
	assert_int_equal(lane_of(1).queued, 1);
	for (int i = 0; i < JOBS; i++) {
		seen += jobs[i].state == RNV_JOB_QUEUED && (jobs[i].flags & RNV_JOB_NPU_NEVER);
	}
	assert_int_equal(seen, 1);
	assert_int_equal(rnv_model_find(&sched, "alpha"), rnv_server_handle(&server, ALPHA));
	assert_int_equal(rnv_model_next(&sched, rnv_server_handle(&server, ALPHA)), RNV_NO_HANDLE);
	rnv_sched_run(&sched);
	work();
	assert_int_equal(update().phase, RNV_OTA_READY);
}

/* Any package whose outputs differ from what it says itself: refused, and the slot is empty. */
static void assert_fails(int status)
{
	work();
	assert_int_equal(update().phase, RNV_OTA_FAILED);
	assert_int_equal(update().error, status);
	assert_int_equal(model_of(ALPHA).slots[update().slot].state, RNV_SLOT_EMPTY);
	assert_int_equal(rnv_model_next(&sched, RNV_NO_HANDLE), RNV_NO_HANDLE);
	for (int i = 0; i < OPEN; i++) {
		assert_int_equal(opened[i].open, 0);
	}
}

static void test_wrong_outputs(void **state)
{
	(void)state;
	for (int i = 0; i < Y_BYTES; i++) {
		draw("alpha", 1);
		image.golden.output[i] ^= 1;
		send_signed(ALPHA);
		assert_fails(RNV_EBADMSG);
	}
	draw("alpha", 1);
	image.golden.input[4] ^= 0x40;
	send_signed(ALPHA);
	assert_fails(RNV_EBADMSG);
}

/* Signed, but not well made. */
static void test_wrong_structure(void **state)
{
	(void)state;
	draw("alpha", 1);
	image.operands[0] = 77;
	send_signed(ALPHA);
	assert_fails(RNV_EFORMAT);
}

/* A header that says less than the package needs: the workspace is not overrun. */
static void test_wrong_sizes(void **state)
{
	(void)state;
	server_config.io_bytes = 64;
	assert_int_equal(rnv_server_init(&server, &server_config), RNV_OK);
	draw_resident();
	draw("alpha", 1);
	image.header.external_count = 0;
	image.header.io_bytes = 0;
	send_signed(ALPHA);
	work();
	assert_int_equal(update().phase, RNV_OTA_FAILED);
	assert_int_equal(model_of(ALPHA).slots[update().slot].state, RNV_SLOT_EMPTY);
}

static void test_generated_inputs(void **state)
{
	uint32_t x = 12345;
	int8_t in[X_BYTES];

	(void)state;
	for (int i = 0; i < X_BYTES; i++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		in[i] = (int8_t)(x >> 24);
	}
	draw("alpha", 1);
	image.golden.kind = 0;
	image.golden.seed = 12345;
	image.golden.input_bytes = 0;
	memset(image.golden.input, 0, X_BYTES + Y_BYTES);
	expect(in, 1, image.golden.input); /* the outputs follow the head at once */
	image.sections[8].bytes -= X_BYTES;
	send_signed(ALPHA);
	work();
	assert_int_equal(update().phase, RNV_OTA_READY);
	image.golden.input[0] ^= 1;
	send_signed(ALPHA);
	assert_fails(RNV_EBADMSG);
}

static void test_without_a_test(void **state)
{
	int32_t status = 1;

	(void)state;
	draw("alpha", 1);
	image_hide(&image, 8);
	send_signed(ALPHA);
	work();
	assert_int_equal(update().phase, RNV_OTA_READY);
	assert_int_equal(rnv_server_activate(&server, ALPHA, 1), RNV_OK);
	work();
	assert_runs(ALPHA, 1);
	drop_run(&now_us);
	assert_int_equal(rnv_server_selftest(&server, ALPHA), RNV_OK);
	work();
	assert_int_equal(rnv_server_selftest_get(&server, &status), RNV_SERVER_DONE);
	assert_int_equal(status, RNV_EINVAL);
}

static void test_resident(void **state)
{
	(void)state;
	for (int k = 1; k <= 2; k++) {
		draw("alpha", k);
		draw_resident();
		send_signed(ALPHA);
		work();
		assert_int_equal(update().phase, RNV_OTA_READY);
		assert_int_equal(rnv_server_activate(&server, ALPHA, 1), RNV_OK);
		work();
		assert_runs(ALPHA, k);
		drop_run(&now_us);
	}
	draw("alpha", 3);
	draw_resident();
	image.golden.output[2] ^= 1;
	send_signed(ALPHA);
	work();
	assert_int_equal(update().error, RNV_EBADMSG);
	assert_int_equal(rnv_lane_release(&sched, 1), RNV_ESTATE);
}

/* The model's own state is not touched by the test of its successor. */
static void test_state(void **state)
{
	uint8_t kept[16];

	(void)state;
	for (int k = 1; k <= 2; k++) {
		memcpy(kept, memory[ALPHA], 16);
		draw("alpha", k);
		draw_state();
		send_signed(ALPHA);
		work();
		assert_int_equal(update().phase, RNV_OTA_READY);
		assert_memory_equal(kept, memory[ALPHA], 16);
		assert_int_equal(rnv_server_activate(&server, ALPHA, 1), RNV_OK);
		work();
		assert_runs(ALPHA, k);
		drop_run(&now_us);
	}
	assert_int_not_equal(kept[0] | kept[1] | kept[2], 0);
}

/* --- starved is not failed -------------------------------------------------------------------- */

static void starve(void)
{
	for (int i = 0; i < 100; i++) {
		poll_once();
		now_us += IDLE_US;
	}
	assert_int_equal(update().phase, RNV_OTA_TESTING);
	assert_int_equal(rnv_server_poll(&server), 2000); /* without spinning */
}

static int8_t outputs[DEPTH][Y_BYTES];

static void fill_lane(uint32_t model, uint32_t lane)
{
	for (int i = 0; i < DEPTH; i++) {
		struct rnv_buffer buffers[2] = {{(void *)(uintptr_t)input, X_BYTES},
						{outputs[i], Y_BYTES}};
		const struct rnv_job_request request = {.model = rnv_server_handle(&server, model),
							.lane = (uint8_t)lane,
							.flags = RNV_JOB_FORGET,
							.deadline_us = RNV_NEVER,
							.buffers = buffers,
							.buffer_count = 2};

		assert_int_equal(rnv_job_submit(&sched, &request, NULL), RNV_OK);
	}
}

static void finish(void)
{
	lanes_run = 1;
	work();
	assert_int_equal(update().phase, RNV_OTA_READY);
}

static void test_starved_of_a_lane(void **state)
{
	(void)state;
	update_to(BETA, 1, 1);
	draw("alpha", 1);
	lanes_run = 0;
	fill_lane(BETA, 1);
	send_signed(ALPHA);
	starve();
	finish();
}

/* A lane that is claimed for another model for ever: the next more urgent one. */
static void test_claimed_lane(void **state)
{
	uint32_t before;

	(void)state;
	update_to(BETA, 1, 1);
	assert_int_equal(rnv_lane_claim(&sched, 1, rnv_server_handle(&server, BETA)), RNV_OK);
	before = lane_of(0).completed;
	upload(ALPHA, 1);
	assert_int_equal(lane_of(0).completed, before + 1);
}

static void test_starved_of_job_slots(void **state)
{
	(void)state;
	update_to(BETA, 1, 1);
	assert_int_equal(rnv_model_bind(&sched, rnv_server_handle(&server, BETA), 0), RNV_OK);
	draw("alpha", 1);
	draw_resident();
	lanes_run = 0;
	fill_lane(BETA, 0);
	fill_lane(BETA, 0 + 1);
	send_signed(ALPHA);
	starve();
	finish();
}

static void test_starved_of_a_model_slot(void **state)
{
	struct rnv_model_config other_config = {.data = package, .bytes = sizeof(image)};
	static struct image others[OPEN];
	uint32_t handles[OPEN];

	(void)state;
	for (int i = 0; i < OPEN; i++) {
		draw("x", i);
		image.header.name[1] = (uint8_t)('0' + i);
		image_seal(&image);
		others[i] = image;
		other_config.data = &others[i];
		assert_int_equal(rnv_model_open(&sched, &other_config, &handles[i], NULL), RNV_OK);
	}
	draw("alpha", 1);
	send_signed(ALPHA);
	starve();
	assert_int_equal(rnv_model_close(&sched, handles[2]), RNV_OK);
	finish();
}

/* A run of the link holds the workspace until nobody goes on with it. */
static void test_starved_of_the_workspace(void **state)
{
	struct rnv_server_run run = run_of(BETA);

	(void)state;
	update_to(BETA, 1, 1);
	draw("alpha", 1);
	assert_int_equal(rnv_server_run_begin(&server, &run), RNV_OK);
	send_signed(ALPHA);
	for (int i = 0; i < 100; i++) {
		poll_once();
	}
	assert_int_equal(update().phase, RNV_OTA_TESTING);
	now_us += IDLE_US;
	finish();
	/* One run after the other does not keep the test from its turn. */
	assert_int_equal(rnv_server_run_begin(&server, &run), RNV_OK);
	draw("alpha", 2);
	send_signed(ALPHA);
	for (int i = 0; i < 100; i++) {
		poll_once();
	}
	assert_int_equal(rnv_server_run_begin(&server, &run), RNV_EBUSY);
	finish();
	assert_int_equal(rnv_server_run_begin(&server, &run), RNV_OK);
	draw("alpha", 3);
	send_signed(ALPHA);
	for (int i = 0; i < 100; i++) {
		poll_once();
	}
	assert_int_equal(rnv_server_abort(&server), RNV_OK);
	assert_int_equal(rnv_server_run_begin(&server, &run), RNV_OK);
}

/* Others cancel or drop its job: once more. */
static void test_its_job_is_cancelled(void **state)
{
	uint32_t cancelled = 0;

	(void)state;
	draw("alpha", 1);
	send_signed(ALPHA);
	lanes_run = 0;
	while (cancelled < 3) {
		poll_once();
		for (int i = 0; i < JOBS; i++) {
			cancelled += jobs[i].state == RNV_JOB_QUEUED &&
				     rnv_job_cancel(&sched, jobs[i].handle) == RNV_OK;
		}
	}
	assert_int_equal(update().phase, RNV_OTA_TESTING);
	finish();
}

static void test_abort(void **state)
{
	(void)state;
	for (int polls = 0; polls < 40; polls++) {
		draw("alpha", 1);
		send_signed(ALPHA);
		lanes_run = 0;
		for (int i = 0; i < polls; i++) {
			poll_once();
		}
		assert_int_equal(rnv_server_abort(&server), RNV_OK);
		work();
		assert_int_equal(update().phase, RNV_OTA_IDLE);
		assert_int_equal(model_of(ALPHA).slots[0].state, RNV_SLOT_EMPTY);
		assert_int_equal(model_of(ALPHA).slots[1].state, RNV_SLOT_EMPTY);
		for (int i = 0; i < OPEN; i++) {
			assert_int_equal(opened[i].open, 0);
		}
		for (int i = 0; i < JOBS; i++) {
			assert_int_equal(jobs[i].state, RNV_JOB_FREE);
		}
	}
	lanes_run = 1;
	upload(ALPHA, 1);
}

/* --- on demand -------------------------------------------------------------------------------- */

static void test_on_demand(void **state)
{
	int32_t status = 1;

	(void)state;
	assert_int_equal(rnv_server_selftest_get(&server, &status), RNV_SERVER_NONE);
	assert_int_equal(rnv_server_selftest(&server, ALPHA), RNV_ENOENT);
	assert_int_equal(rnv_server_selftest(&server, MODELS), RNV_ENOENT);
	update_to(ALPHA, 1, 1);
	assert_int_equal(rnv_server_selftest(&server, ALPHA), RNV_OK);
	assert_int_equal(rnv_server_selftest(&server, ALPHA), RNV_EBUSY);
	assert_int_equal(rnv_server_selftest_get(&server, &status), RNV_SERVER_RUNNING);
	work();
	assert_int_equal(rnv_server_selftest_get(&server, &status), RNV_SERVER_DONE);
	assert_int_equal(status, RNV_OK);
	assert_runs(ALPHA, 1);
	assert_int_equal(rnv_server_selftest(&server, ALPHA), RNV_EBUSY); /* a run holds it */
	drop_run(&now_us);
	/* A bit of a weight flips in the flash that runs. */
	cells[slot_at(ALPHA, 0) + offsetof(struct image, weights) + FC_OFFSET + 16 + 4] ^= 8;
	assert_int_equal(rnv_server_selftest(&server, ALPHA), RNV_OK);
	work();
	assert_int_equal(rnv_server_selftest_get(&server, &status), RNV_SERVER_DONE);
	assert_int_equal(status, RNV_EBADMSG);
}

/* It ends before what it tests is exchanged; and an update's test waits for it. */
static void test_on_demand_and_updates(void **state)
{
	int32_t status = 1;

	(void)state;
	update_to(ALPHA, 1, 1);
	upload(ALPHA, 2);
	lanes_run = 0;
	assert_int_equal(rnv_server_selftest(&server, ALPHA), RNV_OK);
	for (int i = 0; i < 10; i++) {
		poll_once();
	}
	assert_int_equal(rnv_server_activate(&server, ALPHA, 0), RNV_OK);
	for (int i = 0; i < 50; i++) {
		poll_once();
	}
	assert_int_equal(rnv_server_selftest_get(&server, &status), RNV_SERVER_DONE);
	assert_int_equal(status, RNV_ECANCELED);
	lanes_run = 1;
	work();
	assert_runs(ALPHA, 2);
	drop_run(&now_us);
	assert_int_equal(rnv_server_confirm(&server, ALPHA), RNV_OK);
	lanes_run = 0;
	assert_int_equal(rnv_server_selftest(&server, ALPHA), RNV_OK);
	draw("alpha", 3);
	send_signed(ALPHA);
	for (int i = 0; i < 50; i++) {
		poll_once();
	}
	assert_int_equal(update().phase, RNV_OTA_TESTING);
	assert_int_equal(rnv_server_abort(&server), RNV_OK); /* which is not that one's */
	assert_int_equal(rnv_server_selftest_get(&server, &status), RNV_SERVER_RUNNING);
	lanes_run = 1;
	work();
	assert_int_equal(rnv_server_selftest_get(&server, &status), RNV_SERVER_DONE);
	assert_int_equal(status, RNV_OK);
	upload(ALPHA, 3);
	/* What the one on demand finds says nothing of the update. */
	lanes_run = 0;
	assert_int_equal(rnv_server_selftest(&server, ALPHA), RNV_OK);
	draw("alpha", 4);
	image.golden.output[1] ^= 1;
	send_signed(ALPHA);
	for (int i = 0; i < 50; i++) {
		poll_once();
	}
	lanes_run = 1;
	work();
	assert_int_equal(rnv_server_selftest_get(&server, &status), RNV_SERVER_DONE);
	assert_int_equal(status, RNV_OK);
	assert_int_equal(update().phase, RNV_OTA_FAILED);
	assert_int_equal(update().error, RNV_EBADMSG);
}

#define TEST(name) cmocka_unit_test_setup(name, begin_server)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_what_may_be_taken),
		TEST(test_workspace),
		TEST(test_where_it_runs),
		TEST(test_wrong_outputs),
		TEST(test_wrong_structure),
		TEST(test_wrong_sizes),
		TEST(test_generated_inputs),
		TEST(test_without_a_test),
		TEST(test_resident),
		TEST(test_state),
		TEST(test_starved_of_a_lane),
		TEST(test_claimed_lane),
		TEST(test_starved_of_job_slots),
		TEST(test_starved_of_a_model_slot),
		TEST(test_starved_of_the_workspace),
		TEST(test_its_job_is_cancelled),
		TEST(test_abort),
		TEST(test_on_demand),
		TEST(test_on_demand_and_updates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
