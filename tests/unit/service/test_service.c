/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The whole path from client to kernel and back: what is served, and what is refused. */

#include "service_fixture.h"

static void test_look_up_and_infer(void **state)
{
	uint32_t slot = take_slot(first);
	struct rnv_ipc_model found;

	(void)state;
	assert_int_equal(look_up(first, slot, "m0"), RNV_OK);
	memcpy(&found, rnv_client_slot_data(first->client, slot, NULL), sizeof(found));
	assert_int_equal(found.model, b.model[0]);
	assert_int_equal(found.lanes, 0x7);
	assert_int_equal(found.bytes, BLOCK_BYTES);
	assert_int_equal(found.inputs, 1);
	assert_int_equal(found.outputs, 1);
	assert_int_equal(found.tensor_bytes[0], X_BYTES);
	assert_int_equal(found.tensor_bytes[1], Y_BYTES);
	for (uint32_t i = 2; i < RNV_IPC_MAX_TENSORS; i++) {
		assert_int_equal(found.tensor_bytes[i], 0);
	}
	for (uint32_t i = 0; i < 8; i++) {
		assert_int_equal(found.reserved[i], 0);
	}
	assert_int_equal(rnv_client_slot_give(first->client, slot), RNV_OK);
	for (uint32_t seed = 1; seed < 200; seed++) { /* the rings wrap */
		infer(first, seed);
		first->count = 0;
	}
	assert_int_equal(service_stats(first).completed, 199);
	assert_int_equal(service_stats(first).requests, 201); /* with two look-ups */
	assert_int_equal(service_stats(first).jobs, 0);
	assert_int_equal(service_stats(first).refused, 0);
	assert_int_equal(service_stats(second).requests, 1);
}

static const void *seen[2];

static void see_externals(const struct rnv_trace_event *event)
{
	void **row = b.jobs[event->job % RNV_SCHED_MAX_JOBS].externals;

	seen[0] = row[0];
	seen[1] = row[1];
}

/* No copy: the addresses that the kernels have are those of the slot. */
static void test_kernels_work_in_the_region(void **state)
{
	(void)state;
	b.in_step = see_externals;
	for (uint32_t slot = 0; slot < SLOTS; slot++) {
		assert_int_equal(take_slot(first), slot);
		(void)send_job(first, slot, 1, slot);
		settle(first);
		assert_ptr_equal(seen[0], slot_memory(first, slot));
		assert_ptr_equal(seen[1], slot_memory(first, slot) + Y_AT);
		assert_slot(first, slot, slot);
	}
}

/* Times and deadline of a job are in its answer, from when the request was taken. */
static void test_times_and_deadlines(void **state)
{
	uint32_t slot = take_slot(first);
	struct rnv_client_job job = job_of(first, 1);

	(void)state;
	(void)send_job(first, slot, 1, 1);
	now_us += 100; /* on its way */
	(void)poll_server(first);
	now_us += 7; /* queued */
	settle(first);
	assert_int_equal(last(first).args[0], 7);
	assert_int_equal(last(first).args[1], 37);
	assert_int_equal(last(first).args[2], 0);
	job.deadline_us = 36;
	assert_int_equal(rnv_client_submit(first->client, slot, &job, NULL), RNV_OK);
	now_us += 100;
	(void)poll_server(first);
	now_us += 7;
	settle(first);
	assert_int_equal(last(first).args[1], 37);
	assert_int_equal(last(first).args[2], 1); /* missed */
	job.flags = RNV_JOB_DROP_LATE;
	job.deadline_us = 6;
	assert_int_equal(rnv_client_submit(first->client, slot, &job, NULL), RNV_OK);
	(void)poll_server(first);
	now_us += 7;
	settle(first);
	assert_int_equal(last(first).status, RNV_ETIME);
	assert_int_equal(last(first).args[0], UINT32_MAX); /* never started */
	assert_int_equal(last(first).args[1], 7);
	assert_int_equal(service_stats(first).failed, 1);
	first->service->config.dead_us = 0;
	first->client->config.server_dead_us = 0;
	b.step_us = 0x100000000;
	job.deadline_us = RNV_IPC_NO_DEADLINE;
	assert_int_equal(rnv_client_submit(first->client, slot, &job, NULL), RNV_OK);
	settle(first);
	assert_int_equal(last(first).args[1], UINT32_MAX); /* saturates */
	assert_int_equal(last(first).args[2], 0);
}

static uint32_t slots_of_results(const struct side *side, uint32_t *slots)
{
	for (uint32_t i = 0; i < side->count; i++) {
		slots[i] = side->results[i].slot;
	}
	return side->count;
}

/* Several in flight: by lane, by deadline; each answer finds its request. */
static void test_several_in_flight(void **state)
{
	static const uint32_t deadlines[SLOTS] = {3000, 1000, 2000};
	static const uint32_t expected[SLOTS] = {1, 2, 0};
	struct rnv_client_job job = job_of(first, 1);
	uint32_t ids[SLOTS];
	uint32_t jobs[SLOTS];
	uint32_t order[RESULTS];

	(void)state;
	first->count = 0;
	for (uint32_t i = 0; i < SLOTS; i++) {
		assert_int_equal(take_slot(first), i);
		make_input(i, rnv_client_slot_data(first->client, i, NULL));
		job.deadline_us = deadlines[i];
		assert_int_equal(rnv_client_submit(first->client, i, &job, &ids[i]), RNV_OK);
	}
	(void)poll_server(first);
	assert_int_equal(service_stats(first).jobs, SLOTS);
	b.event_count = 0;
	rnv_sched_run(&b.sched);
	assert_int_equal(events_of(RNV_TRACE_DONE, jobs), SLOTS);
	for (uint32_t i = 0; i < SLOTS; i++) {
		assert_int_equal(jobs[i], first->jobs[expected[i]].handle);
	}
	settle(first);
	assert_int_equal(slots_of_results(first, order), SLOTS);
	for (uint32_t i = 0; i < SLOTS; i++) {
		assert_int_equal(first->results[i].id, ids[order[i]]);
		assert_int_equal(first->results[i].status, RNV_OK);
	}
	/* An urgent lane goes first, though it was asked last. */
	b.event_count = 0;
	(void)send_job(first, 0, 2, 1);
	(void)send_job(first, 1, 0, 2);
	(void)poll_server(first);
	jobs[1] = first->jobs[1].handle;
	settle(first);
	assert_true(events_of(RNV_TRACE_STEP_BEGIN, order) > 1);
	assert_int_equal(order[0], jobs[1]);
	assert_slot(first, 0, 1);
	assert_slot(first, 1, 2);
}

/* A completion submits the next one; and answers of two clients do not mix. */
static void submit_again(struct side *side, const struct rnv_client_result *result)
{
	assert_slot(side, result->slot, 10 * result->slot + side->count - 1);
	if (side->count < 20) {
		(void)send_job(side, result->slot, 1, 10 * result->slot + side->count);
	} else {
		side->in_done = NULL;
	}
}

static void test_two_clients_from_callbacks(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < SIDES; i++) {
		uint32_t slot = take_slot(&sides[i]);

		if (i == 1) {
			slot = take_slot(second);
		}
		sides[i].count = 0;
		sides[i].in_done = submit_again;
		(void)send_job(&sides[i], slot, 1, 10 * slot);
	}
	for (uint32_t turn = 0; turn < 20; turn++) {
		settle(first);
		settle(second);
	}
	for (uint32_t i = 0; i < SIDES; i++) {
		assert_int_equal(sides[i].count, 20);
		assert_int_equal(service_stats(&sides[i]).completed, 20);
	}
}

static void test_status(void **state)
{
	uint32_t slot = take_slot(first);

	(void)state;
	(void)send_job(first, slot, 1, 1);
	settle(first);
	assert_int_equal(look_up(first, slot, "nobody"), RNV_ENOENT);
	(void)send_job(first, slot, 1, 1);
	assert_int_equal(rnv_client_status(first->client, note, first), RNV_OK);
	assert_int_equal(rnv_client_status(first->client, note, first), RNV_EBUSY);
	(void)poll_server(first);
	first->count = 0;
	(void)poll_client(first);
	assert_int_equal(first->count, 1);
	assert_int_equal(last(first).status, RNV_OK);
	assert_int_equal(last(first).slot, RNV_IPC_MAX_SLOTS);
	assert_int_equal(last(first).args[0], 1);
	assert_int_equal(last(first).args[1], 1);
	assert_int_equal(last(first).args[2], 1);
	settle(first);
	assert_int_equal(first->count, 2);
}

/* Queued: it ends at once. Started: at its next step. Over: too late, no harm. */
static void test_cancel(void **state)
{
	uint32_t slots[2] = {take_slot(first), take_slot(first)};
	uint32_t ids[2];

	(void)state;
	first->count = 0;
	ids[0] = send_job(first, slots[0], 1, 1);
	ids[1] = send_job(first, slots[1], 1, 2);
	(void)poll_server(first);
	assert_int_equal(rnv_sched_step(&b.sched), 1);
	assert_int_equal(rnv_client_cancel(first->client, ids[1]), RNV_OK);
	(void)poll_server(first);
	assert_int_equal(first->woken, 1); /* the completion, in this poll */
	(void)poll_server(first);
	(void)poll_client(first);
	assert_int_equal(first->count, 1);
	assert_int_equal(last(first).id, ids[1]);
	assert_int_equal(last(first).status, RNV_ECANCELED);
	assert_int_equal(last(first).args[0], UINT32_MAX);
	assert_int_equal(rnv_client_cancel(first->client, ids[1]), RNV_ENOENT);
	assert_int_equal(rnv_client_cancel(first->client, ids[0]), RNV_OK);
	settle(first);
	assert_int_equal(first->count, 2);
	assert_int_equal(last(first).id, ids[0]);
	assert_int_equal(last(first).status, RNV_ECANCELED);
	assert_int_equal(service_stats(first).failed, 2);
	/* Asked before the answer was seen. */
	ids[0] = send_job(first, slots[0], 1, 1);
	(void)poll_server(first);
	rnv_sched_run(&b.sched);
	assert_int_equal(rnv_client_cancel(first->client, ids[0]), RNV_OK);
	settle(first);
	assert_int_equal(first->count, 3);
	assert_int_equal(last(first).status, RNV_OK);
	assert_slot(first, slots[0], 1);
}

/* The status of a submit that is refused; its slot can be used again. */
static void refused(const struct rnv_client_job *job, uint32_t slot, int status)
{
	uint32_t before = service_stats(first).refused;

	first->count = 0;
	assert_int_equal(rnv_client_submit(first->client, slot, job, NULL), RNV_OK);
	settle(first);
	assert_int_equal(first->count, 1);
	assert_int_equal(last(first).status, status);
	assert_int_equal(last(first).slot, slot);
	assert_int_equal(service_stats(first).refused, before + 1);
	assert_int_equal(service_stats(first).jobs, 0);
	assert_int_equal(info_of(0).jobs, 0);
}

static void test_wrong_submits(void **state)
{
	uint32_t slot = take_slot(first);
	const struct rnv_client_job good = job_of(first, 1);
	struct rnv_client_job job;

	(void)state;
	for (uint32_t flags = 1; flags < 256; flags++) {
		job = good;
		job.flags = (uint8_t)flags;
		if ((flags & ~(uint32_t)RNV_IPC_JOB_FLAGS) != 0) {
			refused(&job, slot, RNV_EINVAL);
		}
	}
	job = good;
	job.flags = RNV_JOB_NPU_NEVER | RNV_JOB_NPU_STRICT; /* the scheduler refuses that */
	refused(&job, slot, RNV_EINVAL);
	job = good;
	job.model = RNV_NO_HANDLE;
	refused(&job, slot, RNV_ENOENT);
	job.model = good.model + 0x10000u;
	refused(&job, slot, RNV_ENOENT);
	job.model = UINT32_MAX;
	refused(&job, slot, RNV_ENOENT);
	job = good;
	job.entry = 1;
	refused(&job, slot, RNV_EINVAL);
	job.entry = UINT16_MAX;
	refused(&job, slot, RNV_EINVAL);
	job = good;
	job.bytes = BLOCK_BYTES - 1;
	refused(&job, slot, RNV_EINVAL);
	job.bytes = 0;
	refused(&job, slot, RNV_EINVAL);
	for (uint32_t lane = LANES; lane < 256; lane++) {
		job = good;
		job.lane = (uint8_t)lane;
		refused(&job, slot, RNV_EACCES);
	}
	job = good;
	job.bytes = SLOT_BYTES; /* more than is needed */
	assert_int_equal(rnv_client_submit(first->client, slot, &job, NULL), RNV_OK);
	settle(first);
	assert_int_equal(last(first).status, RNV_OK);
}

/* The answer to a message that the client's library would not send. */
static struct rnv_message answer_to(struct rnv_message message)
{
	struct rnv_message answer = {0};

	message.id = 1;
	message.epoch = first->service->client_epoch;
	assert_int_equal(rnv_ring_push(&first->client->requests, &message), RNV_OK);
	(void)poll_server(first);
	assert_int_equal(rnv_ring_pop(&first->client->responses, &answer), RNV_OK);
	assert_int_equal(answer.id, 1);
	assert_int_equal(answer.epoch, message.epoch);
	assert_int_equal(answer.type, message.type);
	return answer;
}

static void test_wrong_messages(void **state)
{
	static const uint32_t offsets[] = {
		0,
		SLOTS_AT - SLOT_BYTES,
		SLOTS_AT - 1,
		SLOTS_AT + 1,
		SLOTS_AT + 16,
		SLOTS_AT + 64,
		SLOTS_AT + 2 * SLOT_BYTES - 64,
		SLOTS_AT + SLOTS * SLOT_BYTES,
		SLOTS_AT + 0x80000000,
		UINT32_MAX,
	};
	const struct rnv_message good = {.type = RNV_IPC_SUBMIT,
					 .offset = SLOTS_AT,
					 .bytes = BLOCK_BYTES,
					 .args = {b.model[0], 1u << 16, RNV_IPC_NO_DEADLINE}};
	struct rnv_message message = good;

	(void)state;
	for (uint32_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		message.offset = offsets[i];
		message.type = RNV_IPC_SUBMIT;
		assert_int_equal(answer_to(message).status, RNV_EINVAL);
		message.type = RNV_IPC_LOOKUP;
		assert_int_equal(answer_to(message).status, RNV_EINVAL);
	}
	message = good;
	message.bytes = SLOT_BYTES + 1;
	assert_int_equal(answer_to(message).status, RNV_EINVAL);
	message.bytes = UINT32_MAX;
	assert_int_equal(answer_to(message).status, RNV_EINVAL);
	for (uint32_t type = 0; type <= UINT16_MAX; type += (type == 0) ? 5 : 0xFF) {
		message.type = (uint16_t)type;
		assert_int_equal(answer_to(message).status, RNV_EINVAL);
		assert_int_equal(answer_to(message).args[0], 0);
	}
	/* A slot that has a job. */
	(void)send_job(first, take_slot(first), 1, 5);
	(void)poll_server(first);
	assert_int_equal(answer_to(good).status, RNV_EBUSY);
	message = good;
	message.type = RNV_IPC_LOOKUP;
	assert_int_equal(answer_to(message).status, RNV_EBUSY);
	settle(first);
	assert_slot(first, 0, 5);
	assert_int_equal(service_stats(first).completed, 1);
	assert_int_equal(info_of(0).jobs, 0);
}

static void test_lanes_and_limit(void **state)
{
	struct rnv_client_job job;
	uint32_t slots[SLOTS];

	(void)state;
	first->service_config.lanes = 0xFFFFFFF2;
	first->service_config.max_jobs = 2;
	start_server(first);
	bond(first);
	find_model(first);
	job = job_of(first, 0);
	slots[0] = take_slot(first);
	refused(&job, slots[0], RNV_EACCES);
	job.lane = 2;
	refused(&job, slots[0], RNV_EACCES);
	job.lane = 4; /* open to it, but there is no such lane */
	refused(&job, slots[0], RNV_EINVAL);
	assert_int_equal(look_up(first, slots[0], "m0"), RNV_OK);
	assert_int_equal(((struct rnv_ipc_model *)slot_memory(first, slots[0]))->lanes, 0x2);
	slots[1] = take_slot(first);
	slots[2] = take_slot(first);
	first->count = 0;
	for (uint32_t i = 0; i < SLOTS; i++) {
		(void)send_job(first, slots[i], 1, i);
	}
	(void)poll_server(first);
	(void)poll_client(first);
	assert_int_equal(first->count, 1); /* the third is refused at once */
	assert_int_equal(last(first).slot, slots[2]);
	assert_int_equal(last(first).status, RNV_EAGAIN);
	assert_int_equal(service_stats(first).most_jobs, 2);
	assert_second_is_served(1);
	settle(first);
	assert_int_equal(first->count, 3);
	assert_slot(first, slots[0], 0);
	assert_slot(first, slots[1], 1);
}

static void test_wrong_look_ups(void **state)
{
	uint32_t slot = take_slot(first);
	char name[RNV_IPC_NAME] = "m0";

	(void)state;
	assert_int_equal(look_up(first, slot, ""), RNV_ENOENT);
	assert_int_equal(look_up(first, slot, "m"), RNV_ENOENT);
	assert_int_equal(look_up(first, slot, "m00"), RNV_ENOENT);
	memset(name, 'm', sizeof(name) - 1);
	assert_int_equal(look_up(first, slot, name), RNV_ENOENT);
	/* A name without an end, that the client's library would not send. */
	assert_int_equal(rnv_client_lookup(first->client, slot, "m0", 0, note, first), RNV_OK);
	memset(slot_memory(first, slot), 'm', SLOT_BYTES);
	settle(first);
	assert_int_equal(last(first).status, RNV_ENOENT);
	assert_int_equal(rnv_client_lookup(first->client, slot, "m0", 1, note, first), RNV_OK);
	settle(first);
	assert_int_equal(last(first).status, RNV_EINVAL);
	assert_int_equal(look_up(first, slot, "m0"), RNV_OK);
}

/* Larger than a slot, or more tensors than an answer describes. */
static void test_look_up_of_what_does_not_fit(void **state)
{
	uint32_t slot;

	(void)state;
	first->service_config.layout = (struct rnv_ipc_layout){2, 1, 256};
	first->service_config.max_jobs = 1;
	start_server(first);
	bond(first);
	slot = take_slot(first);
	b.images[0].tensors[T_Y].bytes = 256 - Y_AT + 1;
	assert_int_equal(look_up(first, slot, "m0"), RNV_ENOSPC);
	b.images[0].tensors[T_Y].bytes = Y_BYTES;
	b.images[0].tensors[T_X].bytes = UINT32_MAX;
	assert_int_equal(look_up(first, slot, "m0"), RNV_ENOSPC);
	b.images[0].tensors[T_X].bytes = 1;
	b.images[0].tensors[T_Y].bytes = 1;
	b.images[0].entry.input_first = 0;
	b.images[0].entry.input_count = 7;
	b.images[0].entry.output_first = 0;
	b.images[0].entry.output_count = 6;
	memset(b.images[0].operands, 0, sizeof(b.images[0].operands)); /* x */
	assert_int_equal(look_up(first, slot, "m0"), RNV_ENOSPC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_look_up_and_infer, bonded_setup, teardown),
		cmocka_unit_test_setup_teardown(test_kernels_work_in_the_region, bonded_setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_times_and_deadlines, bonded_setup, teardown),
		cmocka_unit_test_setup_teardown(test_several_in_flight, bonded_setup, teardown),
		cmocka_unit_test_setup_teardown(test_two_clients_from_callbacks, bonded_setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_status, bonded_setup, teardown),
		cmocka_unit_test_setup_teardown(test_cancel, bonded_setup, teardown),
		cmocka_unit_test_setup_teardown(test_wrong_submits, bonded_setup, teardown),
		cmocka_unit_test_setup_teardown(test_wrong_messages, bonded_setup, teardown),
		cmocka_unit_test_setup_teardown(test_lanes_and_limit, bonded_setup, teardown),
		cmocka_unit_test_setup_teardown(test_wrong_look_ups, bonded_setup, teardown),
		cmocka_unit_test_setup_teardown(test_look_up_of_what_does_not_fit, bonded_setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
