/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_TESTS_SERVER_FIXTURE_H_
#define RNV_TESTS_SERVER_FIXTURE_H_

/*
 * A model server over the store and flash of ../store, and a scheduler of two lanes. Packages are
 * those of ../model; version k has a bias of k more than it.
 */

#include "../model/package_fixture.h"
#include "../store/store_fixture.h"

#include "mgmt/server.h"
#include "ranvier/port.h"

#define LANES      2
#define JOBS       6
#define DEPTH      3
#define OPEN       4 /* model slots of the scheduler */
#define LANE_BYTES 64
#define IO_BYTES   256
#define IDLE_US    30000u
#define DRAIN_US   5000u

static struct rnv_sched sched;
static struct rnv_lane lanes[LANES];
static struct rnv_job jobs[JOBS];
static struct rnv_job *queues[LANES][DEPTH];
static struct rnv_model opened[OPEN];
static void *externals[JOBS * 2];
static _Alignas(16) uint8_t arenas[LANES][LANE_BYTES];
static struct rnv_sched_hooks sched_hooks;
static uint32_t lane_bytes; /* of the arenas, from the next start on */

static struct rnv_server server;
static struct rnv_server_config server_config;
static struct rnv_server_place places[MODELS];
static struct rnv_server_model served[MODELS];
static _Alignas(16) uint8_t io[IO_BYTES];
static _Alignas(16) uint8_t memory[MODELS][16]; /* state */
static struct image image;
static uint32_t wakes;
static uint32_t sessions;
static int locked;
static int lanes_run; /* jobs run between two polls */

static inline void on_lock(void *context)
{
	assert_ptr_equal(context, &server);
	assert_int_equal(locked, 0);
	locked = 1;
}

static inline void on_unlock(void *context)
{
	assert_ptr_equal(context, &server);
	assert_int_equal(locked, 1);
	locked = 0;
}

static inline void on_wake(void *context)
{
	assert_ptr_equal(context, &server);
	wakes++;
}

static inline void on_session(void *context, uint32_t active)
{
	assert_ptr_equal(context, &server);
	sessions += active;
}

static inline void start_lanes(void)
{
	struct rnv_lane_config configs[LANES];
	const struct rnv_sched_config sched_config = {.lane_configs = configs,
						      .lanes = lanes,
						      .jobs = jobs,
						      .models = opened,
						      .externals = externals,
						      .lane_count = LANES,
						      .job_count = JOBS,
						      .model_count = OPEN,
						      .externals_per_job = 2,
						      .hooks = &sched_hooks};

	for (int i = 0; i < LANES; i++) {
		configs[i] = (struct rnv_lane_config){.arena = arenas[i],
						      .arena_bytes = lane_bytes,
						      .queue = queues[i],
						      .depth = DEPTH};
	}
	assert_int_equal(rnv_sched_init(&sched, &sched_config), RNV_OK);
}

/* Without a boot. */
static inline void start_server(void)
{
	start_lanes();
	for (int i = 0; i < MODELS; i++) {
		places[i] = (struct rnv_server_place){
			.lanes = 1u << i, .state = memory[i], .state_bytes = sizeof(memory[i])};
	}
	server_config = (struct rnv_server_config){.sched = &sched,
						   .store = &store,
						   .places = places,
						   .models = served,
						   .model_count = MODELS,
						   .isa_fast = 1,
						   .io = io,
						   .io_bytes = sizeof(io),
						   .idle_us = IDLE_US,
						   .drain_us = DRAIN_US,
						   .lock = on_lock,
						   .unlock = on_unlock,
						   .wake = on_wake,
						   .session = on_session,
						   .context = &server};
	memset(&server, 0xA5, sizeof(server));
	memset(served, 0xA5, sizeof(served));
	memset(io, 0xA5, sizeof(io));
	assert_int_equal(rnv_server_init(&server, &server_config), RNV_OK);
	lanes_run = 1;
}

/* The device is reset: flash stays. Returns how many models are open. */
static inline int restart(void)
{
	reset();
	start_server();
	return rnv_server_boot(&server);
}

static inline int begin_server(void **state)
{
	(void)begin_test(state);
	lane_bytes = LANE_BYTES;
	locked = 0;
	wakes = sessions = 0;
	memset(memory, 0, sizeof(memory));
	start_server();
	assert_int_equal(rnv_server_boot(&server), 0);
	return 0;
}

/* --- packages --------------------------------------------------------------------------------- */

/* What version k of the network makes of an input, by hand. */
static inline void expect(const int8_t *x, int k, int8_t *y)
{
	for (int channel = 0; channel < 3; channel++) {
		int32_t sum = fc_bias[channel] + k;

		for (int i = 0; i < 8; i++) {
			const int8_t *window = x + (i / 4) * 3 + (i / 2) % 2;
			const int8_t *w = conv_weights[i % 2];

			sum += fc_weights[channel][i] *
			       lut(clamped(conv_bias[i % 2] + w[0] * window[0] + w[1] * window[1] +
					   w[2] * window[3] + w[3] * window[4]));
		}
		y[channel] = clamped(sum);
	}
}

/* Version k of a model, in `image`. */
static inline void draw(const char *name, int k)
{
	image_init(&image);
	memset(image.header.name, 0, sizeof(image.header.name));
	memcpy(image.header.name, name, strlen(name));
	image.header.security_version = 1;
	image.header.version[1] = (uint16_t)k;
	for (int i = 0; i < 3; i++) {
		int32_t bias = fc_bias[i] + k;

		memcpy(image.weights + FC_OFFSET + 4 * i, &bias, 4);
	}
	expect(golden_input, k, image.golden.output);
}

static inline void draw_resident(void)
{
	image.header.flags = RNV_IO_RESIDENT;
	image.header.external_count = 0;
	image.header.io_bytes = 0;
	image.header.arena_bytes = LANE_BYTES;
	image.tensors[T_X].storage = RNV_STORAGE_ARENA;
	image.tensors[T_X].offset = 32;
	image.tensors[T_Y].storage = RNV_STORAGE_ARENA;
	image.tensors[T_Y].offset = 48;
}

/* Tensor b is kept from run to run. */
static inline void draw_state(void)
{
	const uint8_t *rec = (const uint8_t *)&image.tensors[T_B];
	uint32_t layout_crc;

	image.tensors[T_B].storage = RNV_STORAGE_STATE;
	image.tensors[T_B].alias = RNV_ALIAS_NONE;
	image.tensors[T_B].alias_tensor = RNV_NO_TENSOR;
	image.tensors[T_B].first_step = 0;
	layout_crc = crc_of(0, rec, 2);
	layout_crc = crc_of(layout_crc, rec + 8, 8);
	layout_crc = crc_of(layout_crc, rec + 24, 8);
	image.header.state_layout = crc_of(layout_crc, rec + 40, 20);
	image.header.state_bytes = 16;
}

static uint32_t package_bytes;

/* `image`, signed, in `package`, with so many bytes more in its last section. */
static inline void sign_long(uint32_t more)
{
	struct package made = {.bytes = sizeof(image) + more, .key = 1};
	uint32_t kept[8]; /* of a hash that the device has under way */
	uint32_t kept_hashed = hashed;
	int kept_hashing = hashing;

	memcpy(kept, sums, sizeof(sums));
	image.header.total_bytes = made.bytes;
	if (more != 0) {
		image_hide(&image, 8);
		image.sections[8].bytes += more;
	}
	memset(package, 0, made.bytes);
	memcpy(package, &image, offsetof(struct image, trailer));
	package_bytes = made.bytes;
	seal(&made);
	memcpy(sums, kept, sizeof(sums));
	hashed = kept_hashed;
	hashing = kept_hashing;
}

static inline void sign(void)
{
	sign_long(0);
}

/* --- an update -------------------------------------------------------------------------------- */

static inline struct rnv_ota_status update(void)
{
	struct rnv_ota_status status;

	rnv_server_update_get(&server, &status);
	return status;
}

static inline void poll_once(void)
{
	(void)rnv_server_poll(&server);
	if (lanes_run) {
		rnv_sched_run(&sched);
	}
}

/* Until nothing is to be done. */
static inline void work(void)
{
	uint32_t polls = 0;

	while (rnv_server_poll(&server) < 100000u) {
		if (lanes_run) {
			rnv_sched_run(&sched);
		}
		assert_true(++polls < 10000);
	}
}

static inline int announce(uint32_t model, uint32_t *offset)
{
	struct rnv_ota_request request = {
		.model = model, .bytes = package_bytes, .header = package};

	memcpy(request.sha256, package + package_bytes - 112, 32);
	return rnv_server_upload_begin(&server, &request, offset);
}

/* Send `package`. */
static inline void send_image(uint32_t model)
{
	uint32_t offset = 99;

	assert_int_equal(announce(model, &offset), RNV_OK);
	while (offset < package_bytes) {
		uint32_t count = package_bytes - offset < 500 ? package_bytes - offset : 500;

		assert_int_equal(rnv_server_upload_chunk(&server, NULL, offset, package + offset,
							 count, crc_of(0, package + offset, count),
							 &offset),
				 RNV_OK);
	}
}

/* Version k is good. */
static inline void upload(uint32_t model, int k)
{
	draw(layout[model].name, k);
	sign();
	send_image(model);
	work();
	assert_int_equal(update().phase, RNV_OTA_READY);
}

/* Version k is on trial, or there for good, and runs. */
static inline void update_to(uint32_t model, int k, uint32_t permanent)
{
	upload(model, k);
	assert_int_equal(rnv_server_activate(&server, model, permanent), RNV_OK);
	work();
}

static inline struct rnv_server_model_info model_of(uint32_t model)
{
	struct rnv_server_model_info info;

	assert_int_equal(rnv_server_model_get(&server, model, &info), RNV_OK);
	return info;
}

/* --- what runs -------------------------------------------------------------------------------- */

static const int8_t input[X_BYTES] = {3, 1, -4, 1, 5, -9, 2, 6, 5};

static inline struct rnv_server_run run_of(uint32_t model)
{
	return (struct rnv_server_run){.model = model,
				       .lane = RNV_SERVER_ANY_LANE,
				       .bytes = X_BYTES,
				       .deadline_us = RNV_NEVER};
}

/* Version k is what runs, and all agree on it; -1: none runs. */
static inline void assert_runs(uint32_t model, int k)
{
	struct rnv_server_run run = run_of(model);
	struct rnv_server_run_status status;
	uint32_t offset;
	uint32_t job;
	int8_t expected[Y_BYTES];
	int8_t y[Y_BYTES];

	if (k < 0) {
		assert_int_equal(model_of(model).running, NONE);
		assert_int_equal(rnv_server_handle(&server, model), RNV_NO_HANDLE);
		assert_int_equal(rnv_model_find(&sched, layout[model].name), RNV_NO_HANDLE);
		assert_int_equal(rnv_server_run_begin(&server, &run), RNV_ENOENT);
		return;
	}
	assert_int_equal(rnv_model_find(&sched, layout[model].name),
			 rnv_server_handle(&server, model));
	assert_int_equal(rnv_server_run_begin(&server, &run), RNV_OK);
	assert_int_equal(rnv_server_run_write(&server, 0, 0, input, X_BYTES, &offset, &job),
			 RNV_OK);
	assert_int_equal(offset, X_BYTES);
	assert_int_not_equal(job, RNV_NO_HANDLE);
	rnv_sched_run(&sched);
	assert_int_equal(rnv_server_run_read(&server, 0, 0, y, sizeof(y), &status), Y_BYTES);
	assert_int_equal(status.state, RNV_SERVER_DONE);
	assert_int_equal(status.status, RNV_OK);
	assert_int_equal(status.bytes, Y_BYTES);
	assert_int_equal(status.version[1], k);
	assert_int_equal(status.crc, model_of(model).slots[model_of(model).running].crc);
	expect(input, k, expected);
	assert_memory_equal(y, expected, Y_BYTES);
}

static inline uint32_t submit_to(uint32_t model, int8_t *y)
{
	struct rnv_buffer buffers[2] = {{(void *)(uintptr_t)input, X_BYTES}, {y, Y_BYTES}};
	const struct rnv_job_request request = {.model = rnv_server_handle(&server, model),
						.lane = (uint8_t)model,
						.deadline_us = RNV_NEVER,
						.buffers = buffers,
						.buffer_count = 2};
	uint32_t job = RNV_NO_HANDLE;

	assert_int_equal(rnv_job_submit(&sched, &request, &job), RNV_OK);
	return job;
}

static inline void drop_run(uint64_t *clock)
{
	*clock += IDLE_US;
	(void)rnv_server_poll(&server);
}

#endif /* RNV_TESTS_SERVER_FIXTURE_H_ */
