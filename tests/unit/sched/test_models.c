/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Models: handles, binding, draining, swapping, state, resident lanes. */

#include "sched_fixture.h"

static int try_open(const struct rnv_model_config *config, struct rnv_diag *diag)
{
	uint32_t model = 77;
	int status = rnv_model_open(&b.sched, config, &model, diag);

	if (status != RNV_OK) {
		assert_int_equal(model, 77);
	}
	return status;
}

static void test_open_refuses(void **state)
{
	struct rnv_model_config config = model_config(1, 0x7);
	struct rnv_diag diag;

	(void)state;
	image_name(&b.images[1], "m0");
	assert_int_equal(try_open(&config, NULL), RNV_EEXIST);
	image_name(&b.images[1], "m1");
	config.lanes = 0x8;
	assert_int_equal(try_open(&config, NULL), RNV_EINVAL);
	config = model_config(1, 0x7);
	config.flags = 0x80;
	assert_int_equal(try_open(&config, NULL), RNV_EINVAL);
	config.flags = 0;
	b.images[1].weights[0] ^= 1u;
	assert_int_equal(try_open(&config, &diag), RNV_EBADMSG);
	assert_int_equal(diag.what, RNV_WHAT_CRC);
	b.images[1].weights[0] ^= 1u;
	b.images[1].header.arena_bytes = LANE_BYTES + 1;
	image_seal(&b.images[1]);
	assert_int_equal(try_open(&config, &diag), RNV_ENOMEM);
	assert_int_equal(diag.value, LANE_BYTES + 1);
	b.images[1].header.arena_bytes = LANE_BYTES;
	image_seal(&b.images[1]);
	for (int i = 1; i < MODELS; i++) { /* no slot leaked */
		open_model(i, 0x7);
	}
	image_name(&b.images[0], "more");
	config = model_config(0, 0x7);
	assert_int_equal(try_open(&config, NULL), RNV_EAGAIN);
}

static void test_names_and_lists(void **state)
{
	uint32_t model = RNV_NO_HANDLE;

	(void)state;
	open_model(1, 1);
	open_model(2, 2);
	assert_int_equal(rnv_model_find(&b.sched, "m1"), b.model[1]);
	assert_int_equal(rnv_model_find(&b.sched, "m"), RNV_NO_HANDLE);
	assert_int_equal(rnv_model_find(&b.sched, "m11"), RNV_NO_HANDLE);
	assert_int_equal(rnv_model_find(&b.sched, "0123456789012345678901234567890123456789"),
			 RNV_NO_HANDLE);
	assert_int_equal(rnv_model_close(&b.sched, b.model[1]), RNV_OK);
	assert_int_equal(rnv_model_close(&b.sched, b.model[1]), RNV_ENOENT);
	assert_int_equal(rnv_model_find(&b.sched, "m1"), RNV_NO_HANDLE);
	model = rnv_model_next(&b.sched, model);
	assert_int_equal(model, b.model[0]);
	model = rnv_model_next(&b.sched, model);
	assert_int_equal(model, b.model[2]);
	assert_int_equal(rnv_model_next(&b.sched, model), RNV_NO_HANDLE);
	assert_int_equal(rnv_model_next(&b.sched, b.model[1]), b.model[2]);
	model = b.model[1];
	open_model(1, 1); /* the same slot, another handle */
	assert_int_not_equal(b.model[1], model);
	assert_int_equal(rnv_model_drain(&b.sched, model, RNV_DRAIN_FINISH), RNV_ENOENT);
}

static void test_binding(void **state)
{
	(void)state;
	open_model(1, 0x1);
	assert_int_equal(rnv_model_bind(&b.sched, b.model[1], 3), RNV_EINVAL);
	assert_int_equal(rnv_model_bind(&b.sched, b.model[1], 1), RNV_OK);
	assert_int_equal(info_of(1).lanes, 0x3);
	(void)submit(1, 1, RNV_NEVER, 1);
	assert_int_equal(rnv_model_unbind(&b.sched, b.model[1], 1), RNV_EBUSY);
	assert_int_equal(info_of(1).lanes, 0x3);
	assert_int_equal(rnv_model_unbind(&b.sched, b.model[1], 0), RNV_OK);
	assert_int_equal(rnv_model_unbind(&b.sched, b.model[1], 0), RNV_OK);
	assert_int_equal(rnv_model_unbind(&b.sched, b.model[1], LANES), RNV_EINVAL);
	assert_int_equal(rnv_model_close(&b.sched, b.model[1]), RNV_EBUSY);
	rnv_sched_run(&b.sched);
	assert_int_equal(rnv_model_unbind(&b.sched, b.model[1], 1), RNV_OK);
	assert_int_equal(rnv_model_close(&b.sched, b.model[1]), RNV_OK);
}

static void submit_refused(int number, int status)
{
	struct rnv_job_request request = request_of(number, 1, RNV_NEVER, 0);

	assert_int_equal(rnv_job_submit(&b.sched, &request, NULL), status);
}

static void test_drain_finish(void **state)
{
	(void)state;
	open_model(1, 0x7);
	(void)submit(0, 1, RNV_NEVER, 1);
	(void)submit(1, 1, RNV_NEVER, 2);
	(void)submit(0, 2, RNV_NEVER, 3);
	assert_int_equal(rnv_model_drain(&b.sched, b.model[0], 2), RNV_EINVAL);
	assert_int_equal(rnv_model_drain(&b.sched, b.model[0], RNV_DRAIN_FINISH), RNV_EAGAIN);
	submit_refused(0, RNV_ESTATE);
	(void)submit(1, 1, RNV_NEVER, 4); /* others go on */
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){1, 2, 4, 3}, 4);
	assert_int_equal(b.completed_count, 2);
	assert_int_equal(rnv_model_drain(&b.sched, b.model[0], RNV_DRAIN_FINISH), RNV_OK);
	assert_int_equal(rnv_model_undrain(&b.sched, b.model[0]), RNV_OK);
	(void)submit(0, 1, RNV_NEVER, 5);
}

static void drain_in_step(const struct rnv_trace_event *event)
{
	if (event->model == 0 && event->step == 1) {
		assert_int_equal(rnv_model_drain(&b.sched, b.model[0], RNV_DRAIN_CANCEL),
				 RNV_EAGAIN);
	}
}

/* Queued jobs end at once, the started one after its step: bounded by one step. */
static void test_drain_cancel(void **state)
{
	(void)state;
	open_model(1, 0x7);
	b.in_step = drain_in_step;
	(void)submit(0, 2, 1, 1);
	(void)submit(0, 2, 2, 2);
	(void)submit(1, 2, 3, 3);
	(void)submit(0, 2, 4, 4);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){2, 4, 1, 3}, 4);
	assert_int_equal(b.done[0].end_us, 1010);
	assert_int_equal(b.done[2].status, RNV_ECANCELED);
	assert_int_equal(b.done[2].end_us, 1020);
	assert_int_equal(b.done[3].status, RNV_OK);
	assert_int_equal(info_of(0).jobs, 0);
}

static void drain_in_done(void *context, const struct rnv_job_result *result)
{
	(void)result;
	if ((uintptr_t)context == 1) {
		assert_int_equal(rnv_model_drain(&b.sched, b.model[0], RNV_DRAIN_CANCEL), RNV_OK);
		assert_int_equal(rnv_model_close(&b.sched, b.model[0]), RNV_OK);
	}
}

/* A completion may drain and close its own model. */
static void test_drain_inside_a_completion(void **state)
{
	(void)state;
	open_model(1, 0x7);
	b.in_done = drain_in_done;
	(void)submit(0, 1, 1, 1);
	(void)submit(0, 1, 2, 2);
	(void)submit(1, 1, 3, 3);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){1, 2, 3}, 3);
	assert_int_equal(b.done[1].status, RNV_ECANCELED);
	assert_int_equal(b.done[2].status, RNV_OK);
}

/* A job runs with the model that it was submitted for, or fails. */
static void test_swap(void **state)
{
	struct rnv_model_config config = model_config(1, 0);
	uint32_t old = b.model[0];
	uint32_t model = old;
	uint32_t kept = 9;

	(void)state;
	image_name(&b.images[1], "m0");
	(void)submit(0, 1, RNV_NEVER, 1);
	assert_int_equal(rnv_model_swap(&b.sched, &config, &model, &kept, NULL), RNV_EBUSY);
	assert_int_equal(rnv_model_drain(&b.sched, old, RNV_DRAIN_FINISH), RNV_EAGAIN);
	assert_int_equal(rnv_model_swap(&b.sched, &config, &model, &kept, NULL), RNV_EBUSY);
	rnv_sched_run(&b.sched);
	b.images[1].weights[0] ^= 1u; /* the new one is damaged: the old one stays */
	assert_int_equal(rnv_model_swap(&b.sched, &config, &model, &kept, NULL), RNV_EBADMSG);
	assert_int_equal(model, old);
	assert_int_equal(info_of(0).draining, 1);
	assert_ptr_equal(info_of(0).pkg->header, &b.images[0].header);
	b.images[1].weights[0] ^= 1u;
	assert_int_equal(rnv_model_swap(&b.sched, &config, &model, &kept, NULL), RNV_OK);
	assert_int_not_equal(model, old);
	assert_int_equal(kept, 0);
	submit_refused(0, RNV_ENOENT);
	b.model[0] = model;
	assert_ptr_equal(info_of(0).pkg->header, &b.images[1].header);
	assert_int_equal(info_of(0).lanes, 0x7);
	(void)submit(0, 1, RNV_NEVER, 2);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){1, 2}, 2);
	assert_int_equal(rnv_model_swap(&b.sched, &config, &old, &kept, NULL), RNV_ENOENT);
}

static uint32_t countdown;
static int status_between;

static void drain_between(void)
{
	if (countdown-- == 0u) {
		between = NULL;
		status_between = rnv_model_drain(&b.sched, b.model[0], RNV_DRAIN_FINISH);
	}
}

/* Who waits for a drain that came in the middle of a reset is told of its end. */
static void test_drain_during_a_reset(void **state)
{
	(void)state;
	between = drain_between;
	assert_int_equal(rnv_model_reset(&b.sched, b.model[0]), RNV_OK);
	assert_null(between);
	assert_int_equal(status_between, RNV_EAGAIN);
	assert_int_equal(b.completed_count, 1);
	assert_int_equal(rnv_model_drain(&b.sched, b.model[0], RNV_DRAIN_FINISH), RNV_OK);
}

static void bind_between(void)
{
	if (countdown-- == 0u) {
		between = NULL;
		status_between = rnv_model_bind(&b.sched, b.model[0], 0);
	}
}

/* A model with state is never in two lanes, whenever an unbind that fails is interrupted. */
static void test_bind_during_an_unbind(void **state)
{
	uint32_t job;

	(void)state;
	b.models[0].state_bytes = sizeof(b.state);
	b.models[0].lanes = 0x2;
	job = submit(0, 1, RNV_NEVER, 1);
	for (uint32_t when = 0; between == NULL; when++) {
		countdown = when;
		between = bind_between;
		assert_int_equal(rnv_model_unbind(&b.sched, b.model[0], 1), RNV_EBUSY);
		assert_int_equal(info_of(0).lanes, 0x2);
		if (between == NULL) {
			assert_int_equal(status_between, RNV_EINVAL);
		}
	}
	between = NULL;
	assert_int_equal(rnv_job_cancel(&b.sched, job), RNV_OK);
	assert_int_equal(rnv_model_unbind(&b.sched, b.model[0], 1), RNV_OK);
	assert_int_equal(rnv_model_bind(&b.sched, b.model[0], 0), RNV_OK);
}

/* --- state ------------------------------------------------------------------------------------ */

/* Model 0 in lane 1 as if its package had state. */
static void give_state(uint8_t flags)
{
	bench_start();
	open_model(0, 0x2);
	b.models[0].state = b.state;
	b.models[0].state_bytes = sizeof(b.state);
	b.models[0].state_room = sizeof(b.state);
	b.models[0].flags = flags;
	memset(b.state, 0x77, sizeof(b.state));
}

static const uint8_t zeros[16];

static uint32_t victim;

static void cancel_first_step(const struct rnv_trace_event *event)
{
	if (event->job == victim && event->step == 0) {
		(void)rnv_job_cancel(&b.sched, victim);
	}
}

static void make_stale(void)
{
	b.in_step = cancel_first_step;
	victim = submit(0, 1, RNV_NEVER, 1);
	rnv_sched_run(&b.sched);
	assert_int_equal(info_of(0).stale, 1);
}

/* A job that was started and did not complete leaves the state stale. */
static void test_stale_state(void **state)
{
	struct rnv_job_request request;

	(void)state;
	give_state(0);
	request = request_of(0, 1, RNV_NEVER, 4);
	(void)rnv_job_cancel(&b.sched, submit(0, 1, RNV_NEVER, 0));
	assert_int_equal(info_of(0).stale, 0); /* it was not started */
	make_stale();
	(void)submit(0, 1, RNV_NEVER, 2);
	rnv_sched_run(&b.sched);
	assert_int_equal(b.done[2].status, RNV_ESTALE);
	assert_true(b.done[2].start_us == RNV_NEVER);
	assert_int_equal(b.state[0], 0x77);
	assert_int_equal(rnv_model_reset(&b.sched, b.model[0]), RNV_OK);
	assert_memory_equal(b.state, zeros, 16);
	(void)submit(0, 1, RNV_NEVER, 3);
	assert_int_equal(rnv_model_reset(&b.sched, b.model[0]), RNV_EBUSY);
	rnv_sched_run(&b.sched);
	assert_int_equal(b.done[3].status, RNV_OK);
	make_stale();
	b.state[3] = 1;
	request.flags = RNV_JOB_RESET;
	assert_int_equal(rnv_job_submit(&b.sched, &request, NULL), RNV_OK);
	rnv_sched_run(&b.sched);
	assert_int_equal(b.done[5].status, RNV_OK);
	assert_memory_equal(b.state, zeros, 16);
	assert_int_equal(info_of(0).stale, 0);
	assert_int_equal(info_of(0).resets, 0);
}

static void test_auto_reset(void **state)
{
	(void)state;
	give_state(RNV_MODEL_AUTO_RESET);
	make_stale();
	(void)submit(0, 1, RNV_NEVER, 2);
	rnv_sched_run(&b.sched);
	assert_int_equal(b.done[1].status, RNV_OK);
	assert_int_equal(info_of(0).resets, 1);
	assert_memory_equal(b.state, zeros, 16);
	assert_int_equal(rnv_model_bind(&b.sched, b.model[0], 0), RNV_EINVAL);
}

/* Jobs of a model with state run in the order of their submission; others are not held up. */
static void test_order_of_a_model_with_state(void **state)
{
	uint32_t second;

	(void)state;
	give_state(0);
	open_model(1, 0x2);
	(void)submit(0, 1, 3000, 1);
	second = submit(0, 1, 2000, 2);
	(void)submit(0, 1, 1500, 3);
	(void)submit(1, 1, 2500, 4);
	assert_int_equal(rnv_job_cancel(&b.sched, second), RNV_OK);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){2, 4, 1, 3}, 4);
	(void)rnv_job_cancel(&b.sched, submit(0, 1, 1, 5));
	(void)submit(0, 1, 1, 6);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){2, 4, 1, 3, 5, 6}, 6);
}

static void test_swap_and_state(void **state)
{
	struct rnv_model_config config = model_config(1, 0);
	uint32_t kept = 9;

	(void)state;
	give_state(0);
	image_name(&b.images[1], "m0");
	(void)rnv_model_drain(&b.sched, b.model[0], RNV_DRAIN_FINISH);
	assert_int_equal(rnv_model_swap(&b.sched, &config, &b.model[0], &kept, NULL), RNV_OK);
	assert_int_equal(kept, 0); /* the new one has none */
	assert_int_equal(b.models[0].state_bytes, 0);
}

/* --- resident inputs and outputs -------------------------------------------------------------- */

/* The same network with its input and output in the arena. */
static void make_resident(struct image *image)
{
	image->header.flags = RNV_IO_RESIDENT;
	image->header.external_count = 0;
	image->header.io_bytes = 0;
	image->header.arena_bytes = LANE_BYTES;
	image->tensors[T_X].storage = RNV_STORAGE_ARENA;
	image->tensors[T_X].offset = 32;
	image->tensors[T_Y].storage = RNV_STORAGE_ARENA;
	image->tensors[T_Y].offset = 48;
}

static void test_claimed_lane(void **state)
{
	struct rnv_job_request request;
	int8_t expected[Y_BYTES];

	(void)state;
	make_resident(&b.images[1]);
	open_model(1, 0x2);
	request = request_of(1, 1, RNV_NEVER, 1);
	request.buffers = NULL;
	request.buffer_count = 0;
	assert_int_equal(rnv_job_submit(&b.sched, &request, NULL), RNV_ESTATE);
	assert_null(rnv_lane_tensor(&b.sched, 1, T_X));
	assert_int_equal(rnv_lane_claim(&b.sched, 3, b.model[1]), RNV_EINVAL);
	assert_int_equal(rnv_lane_claim(&b.sched, 0, b.model[1]), RNV_ESTATE);
	assert_int_equal(rnv_lane_claim(&b.sched, 1, 5), RNV_ENOENT);
	(void)submit(0, 1, RNV_NEVER, 0);
	assert_int_equal(rnv_lane_claim(&b.sched, 1, b.model[1]), RNV_EBUSY);
	rnv_sched_run(&b.sched);
	assert_int_equal(rnv_lane_claim(&b.sched, 1, b.model[1]), RNV_OK);
	assert_int_equal(rnv_lane_claim(&b.sched, 1, b.model[0]), RNV_EBUSY);
	submit_refused(0, RNV_ESTATE); /* claimed for another */
	assert_ptr_equal(rnv_lane_tensor(&b.sched, 1, T_X), b.arenas[1] + 32);
	assert_null(rnv_lane_tensor(&b.sched, 1, T_A));
	memcpy(b.arenas[1] + 32, b.x, X_BYTES);
	assert_int_equal(rnv_job_submit(&b.sched, &request, NULL), RNV_OK);
	assert_int_equal(rnv_lane_release(&b.sched, 1), RNV_EBUSY);
	rnv_sched_run(&b.sched);
	expected_output(b.x, expected);
	assert_memory_equal(b.arenas[1] + 48, expected, Y_BYTES);
	assert_int_equal(rnv_model_close(&b.sched, b.model[1]), RNV_EBUSY);
	assert_int_equal(rnv_model_unbind(&b.sched, b.model[1], 1), RNV_EBUSY);
	assert_int_equal(rnv_lane_release(&b.sched, 1), RNV_OK);
	assert_int_equal(rnv_lane_release(&b.sched, 1), RNV_ESTATE);
	submit(0, 1, RNV_NEVER, 0);
}

static void test_init_refuses(void **state)
{
	struct rnv_sched_config good;

	(void)state;
	bench_init();
	good = b.config;
	b.config.lane_count = 0;
	assert_int_equal(rnv_sched_init(&b.sched, &b.config), RNV_EINVAL);
	b.config.lane_count = RNV_SCHED_MAX_LANES + 1;
	assert_int_equal(rnv_sched_init(&b.sched, &b.config), RNV_EINVAL);
	b.config = good;
	b.config.job_count = RNV_SCHED_MAX_JOBS + 1;
	assert_int_equal(rnv_sched_init(&b.sched, &b.config), RNV_EINVAL);
	b.config = good;
	b.configs[1].depth = RNV_LANE_MAX_DEPTH + 1;
	assert_int_equal(rnv_sched_init(&b.sched, &b.config), RNV_EINVAL);
	b.configs[1].depth = DEPTH;
	b.configs[1].arena = b.arenas[1] + 1;
	assert_int_equal(rnv_sched_init(&b.sched, &b.config), RNV_EALIGN);
	b.configs[1].arena = b.arenas[1];
	assert_int_equal(rnv_sched_init(&b.sched, &b.config), RNV_OK);
	assert_true(rnv_sched_next_us(&b.sched) == RNV_NEVER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_open_refuses, bench_setup),
		cmocka_unit_test_setup(test_names_and_lists, bench_setup),
		cmocka_unit_test_setup(test_binding, bench_setup),
		cmocka_unit_test_setup(test_drain_finish, bench_setup),
		cmocka_unit_test_setup(test_drain_cancel, bench_setup),
		cmocka_unit_test_setup(test_drain_inside_a_completion, bench_setup),
		cmocka_unit_test_setup(test_swap, bench_setup),
		cmocka_unit_test_setup(test_drain_during_a_reset, bench_setup),
		cmocka_unit_test_setup(test_bind_during_an_unbind, bench_setup),
		cmocka_unit_test_setup(test_stale_state, bench_setup),
		cmocka_unit_test_setup(test_auto_reset, bench_setup),
		cmocka_unit_test_setup(test_order_of_a_model_with_state, bench_setup),
		cmocka_unit_test_setup(test_swap_and_state, bench_setup),
		cmocka_unit_test_setup(test_claimed_lane, bench_setup),
		cmocka_unit_test(test_init_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
