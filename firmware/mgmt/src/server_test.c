/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * The golden self-test of a package by jobs: on an instance of its own, in the least urgent lane,
 * on the CPU. What is not to be had at the moment (workspace, model slot, lane, job slot) is waited
 * for; a job that was dropped or cancelled by others makes it begin again.
 */

#include "server_internal.h"

/* rnv_server_test.state */
enum {
	TEST_NONE,
	TEST_FILL,   /* the inputs of an entry point */
	TEST_SUBMIT, /* its job */
	TEST_WAIT,   /* for it, then compare */
	TEST_CLOSE,  /* let go of everything */
};

static int starve(struct rnv_server *server)
{
	server->test.waiting = 1;
	return RNV_EAGAIN;
}

/* Nobody holds the package any more: how it ended, or RNV_EAGAIN. */
static int close_test(struct rnv_server *server)
{
	struct rnv_server_test *test = &server->test;

	rnv_io_release(server, &server->test.io);
	if (rnv_model_close(server->config.sched, test->io.handle) == RNV_EBUSY) {
		return starve(server);
	}
	rnv_io_give(server);
	test->state = TEST_NONE;
	return test->result;
}

static int end(struct rnv_server *server, int result)
{
	server->test.result = result;
	server->test.state = TEST_CLOSE;
	return close_test(server);
}

/* Where the state of an instance lies in the workspace: behind inputs and outputs. */
static uint32_t state_offset(const struct rnv_server *server, const struct rnv_header *header)
{
	return (server->config.io_bytes - header->state_bytes) & ~15u;
}

static int open_instance(struct rnv_server *server, const void *data, uint32_t bytes)
{
	const struct rnv_header *header = data;
	struct rnv_model_config config = {
		.data = data, .bytes = bytes, .flags = RNV_MODEL_UNLISTED};

	if (header->state_bytes > server->config.io_bytes) {
		return RNV_ENOMEM;
	}
	if (header->state_bytes != 0u) {
		config.state = (uint8_t *)server->config.io + state_offset(server, header);
		config.state_bytes = header->state_bytes;
	}
	return rnv_model_open(server->config.sched, &config, &server->test.io.handle, NULL);
}

/* The first entry point is next, with state zero. */
static int rewind_test(struct rnv_server *server)
{
	struct rnv_server_test *test = &server->test;
	int entries = rnv_golden_start(&test->golden, test->pkg);

	if (entries < 0) {
		return entries;
	}
	test->entries = (uint16_t)entries;
	test->io.entry = 0;
	test->state = TEST_FILL;
	return RNV_EAGAIN;
}

static int start(struct rnv_server *server, const void *data, uint32_t bytes)
{
	struct rnv_server_test *test = &server->test;
	struct rnv_model_info info;
	int status;

	server->io_wanted = !rnv_io_take(server, RNV_IO_TEST);
	if (server->io_wanted != 0u) {
		return starve(server);
	}
	status = open_instance(server, data, bytes);
	if (status != RNV_OK) {
		rnv_io_give(server);
		return (status == RNV_EAGAIN) ? starve(server) : status;
	}
	(void)rnv_model_info_get(server->config.sched, test->io.handle, &info);
	test->pkg = info.pkg;
	test->io.lane = (uint8_t)(server->lane_count - 1u);
	test->entries = 0;
	status = rewind_test(server);
	return (status == RNV_EAGAIN) ? status : end(server, status);
}

/* Fill all inputs, or compare all outputs: in the workspace, or in the lane's arena. */
static int visit(struct rnv_server *server, bool outputs)
{
	struct rnv_server_test *test = &server->test;
	uint32_t i = outputs ? test->io.inputs : 0u;
	uint32_t end = outputs ? i + test->io.outputs : test->io.inputs;
	int status = RNV_OK;

	for (; status == RNV_OK && i < end; i++) {
		struct rnv_buffer buffer = rnv_io_list(server)[i];

		if (buffer.data == NULL) {
			buffer.data = rnv_io_resident(server, test->pkg, &test->io, i);
		}
		if (outputs) {
			status = rnv_golden_compare(&test->golden, buffer.data, buffer.bytes);
		} else {
			rnv_golden_fill(&test->golden, buffer.data, buffer.bytes);
		}
	}
	return status;
}

static void fill_inputs(struct rnv_server *server)
{
	(void)visit(server, false);
}

static int fill(struct rnv_server *server)
{
	struct rnv_server_test *test = &server->test;
	int status =
		rnv_io_place(server, test->pkg, state_offset(server, rnv_package_header(test->pkg)),
			     false, &test->io);

	if (status != RNV_OK) {
		return end(server, status);
	}
	if (!rnv_io_is_resident(test->pkg)) { /* else when the lane is claimed */
		fill_inputs(server);
	}
	test->state = TEST_SUBMIT;
	return RNV_EAGAIN;
}

/* A more urgent lane than this one, which is too small or claimed for another model. */
static int next_lane(struct rnv_server *server, int status)
{
	struct rnv_server_test *test = &server->test;

	(void)rnv_model_unbind(server->config.sched, test->io.handle, test->io.lane);
	if (test->io.lane != 0u) {
		test->io.lane--;
		return RNV_EAGAIN;
	}
	test->io.lane = (uint8_t)(server->lane_count - 1u);
	return (status == RNV_ENOMEM) ? end(server, status) : starve(server);
}

static int submit(struct rnv_server *server)
{
	struct rnv_server_test *test = &server->test;
	struct rnv_sched *sched = server->config.sched;
	const struct rnv_golden_walk walk = test->golden;
	struct rnv_job_request request = {.flags = RNV_JOB_NPU_NEVER, .deadline_us = RNV_NEVER};
	int status = rnv_model_bind(sched, test->io.handle, test->io.lane);

	if (status == RNV_OK) {
		status = rnv_io_submit(server, test->pkg, &test->io, &request, fill_inputs);
	}
	if (status == RNV_OK) {
		test->state = TEST_WAIT;
		return starve(server);
	}
	test->golden = walk;
	switch (status) {
	case RNV_EAGAIN:
	case RNV_EBUSY:
		return starve(server);
	case RNV_ENOMEM:
	case RNV_ESTATE:
		return next_lane(server, status);
	default:
		return end(server, status);
	}
}

/* A job has ended: the next entry point, or all again if it was none of the package's fault. */
static int go_on(struct rnv_server *server, int status)
{
	struct rnv_server_test *test = &server->test;

	if (status == RNV_ECANCELED || status == RNV_ENOBUFS || status == RNV_ENOMEM ||
	    status == RNV_ESTALE) {
		rnv_io_release(server, &server->test.io);
		(void)rnv_model_reset(server->config.sched, test->io.handle);
		(void)rewind_test(server);
		return starve(server);
	}
	if (status == RNV_OK) {
		status = visit(server, true);
	}
	rnv_io_release(server, &server->test.io);
	if (status != RNV_OK || ++test->io.entry == test->entries) {
		return end(server, status);
	}
	test->state = TEST_FILL;
	return RNV_EAGAIN;
}

static int wait(struct rnv_server *server)
{
	struct rnv_job_result result;

	return (rnv_io_collect(server, &server->test.io, &result) == RNV_EAGAIN)
		       ? starve(server)
		       : go_on(server, result.status);
}

static int step(struct rnv_server *server, const void *data, uint32_t bytes)
{
	server->test.waiting = 0;
	switch (server->test.state) {
	case TEST_FILL:
		return fill(server);
	case TEST_SUBMIT:
		return submit(server);
	case TEST_WAIT:
		return wait(server);
	case TEST_CLOSE:
		return close_test(server);
	default:
		return start(server, data, bytes);
	}
}

/* Let go of everything: RNV_EAGAIN: the job has not ended. */
static int give_up(struct rnv_server *server)
{
	struct rnv_server_test *test = &server->test;
	struct rnv_job_result result;

	test->waiting = 0;
	server->io_wanted = 0;
	if (test->state == TEST_NONE) {
		return RNV_OK;
	}
	if (test->state == TEST_CLOSE) {
		return close_test(server);
	}
	if (test->state == TEST_WAIT) {
		(void)rnv_job_cancel(server->config.sched, test->io.job);
		if (rnv_io_collect(server, &test->io, &result) == RNV_EAGAIN) {
			return starve(server);
		}
	}
	return end(server, RNV_ECANCELED);
}

int rnv_test_hook(void *context, uint32_t model, const void *data, uint32_t bytes)
{
	struct rnv_server *server = context;
	int status;

	(void)model;
	if (server->test.is_demand != 0u) {
		return (data != NULL) ? starve(server) : RNV_OK;
	}
	if (data == NULL) {
		return give_up(server);
	}
	status = step(server, data, bytes);
	return (status == RNV_EINVAL && server->test.entries == 0u) ? RNV_OK : status; /* none */
}

static int end_demand(struct rnv_server *server, int status)
{
	if (status != RNV_EAGAIN) {
		server->test.status = status;
		server->test.demand = RNV_SERVER_DONE;
		server->test.is_demand = 0;
	}
	return status;
}

enum rnv_work rnv_test_poll(struct rnv_server *server)
{
	const struct rnv_store_view *view;

	if (server->test.is_demand == 0u) {
		return RNV_WORK_NONE;
	}
	view = rnv_server_running(server, server->test.model);
	if (view == NULL) {
		(void)end_demand(server, give_up(server));
	} else {
		(void)end_demand(server, step(server, view->data, view->bytes));
	}
	return (server->test.waiting != 0u) ? RNV_WORK_WAIT : RNV_WORK_MORE;
}

int rnv_test_give_up(struct rnv_server *server, uint32_t model)
{
	if (server->test.is_demand == 0u || server->test.model != model) {
		return RNV_OK;
	}
	if (give_up(server) == RNV_EAGAIN) {
		return RNV_EAGAIN;
	}
	(void)end_demand(server, RNV_ECANCELED);
	return RNV_OK;
}

int rnv_server_selftest(struct rnv_server *server, uint32_t model)
{
	const struct rnv_store_view *view;
	int status = RNV_OK;

	rnv_server_lock(server);
	view = rnv_server_running(server, model);
	if (view == NULL) {
		status = RNV_ENOENT;
	} else if (server->test.is_demand != 0u || server->test.state != TEST_NONE ||
		   server->io_owner != RNV_IO_FREE) {
		status = RNV_EBUSY;
	} else if (rnv_server_io_bytes(view->data) > server->config.io_bytes) {
		status = RNV_ENOMEM;
	} else {
		server->test.model = (uint8_t)model;
		server->test.is_demand = 1;
		server->test.demand = RNV_SERVER_RUNNING;
	}
	rnv_server_unlock_wake(server);
	return status;
}

uint32_t rnv_server_selftest_get(struct rnv_server *server, int32_t *status)
{
	uint32_t state;

	rnv_server_lock(server);
	state = server->test.demand;
	*status = (state == RNV_SERVER_DONE) ? server->test.status : RNV_OK;
	rnv_server_unlock(server);
	return state;
}
