/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_TESTS_OTA_FIXTURE_H_
#define RNV_TESTS_OTA_FIXTURE_H_

/* An update engine over the store and flash of ../store, with hooks that a test scripts. */

#include "../store/store_fixture.h"

#include "ranvier/ota.h"

#define IDLE_US 30000u

static struct rnv_ota ota;
static uint64_t clock_us;

static struct {
	int admit; /* what the hooks return */
	int test;
	int give_up;
	uint32_t starve; /* times that a test, or its end, has to wait */
	uint32_t admits; /* calls */
	uint32_t tests;
	uint32_t gave_up;
	uint32_t changes;
	uint32_t changed;  /* model */
	uint32_t sessions; /* begun */
	uint32_t active;
	uint32_t writes;  /* that there were when `active` changed */
	uint32_t flags;   /* of the last admit */
	const void *data; /* held by the test */
} hooks;

static inline int on_admit(void *context, uint32_t model, const struct rnv_header *header,
			   uint32_t flags)
{
	assert_ptr_equal(context, &hooks);
	assert_string_equal((const char *)header->name, layout[model].name);
	hooks.admits++;
	hooks.flags = flags;
	return hooks.admit;
}

static inline int on_test(void *context, uint32_t model, const void *data, uint32_t bytes)
{
	assert_ptr_equal(context, &hooks);
	if (data == NULL) {
		hooks.gave_up++;
		hooks.data = hooks.give_up == RNV_EAGAIN ? hooks.data : NULL;
		return hooks.give_up;
	}
	assert_true(hooks.data == NULL || hooks.data == data);
	assert_memory_equal(data, package, bytes);
	assert_int_equal(info_of(model).views[0] + info_of(model).views[1], 1);
	hooks.tests++;
	hooks.data = data;
	if (hooks.starve != 0) {
		hooks.starve--;
		return RNV_EAGAIN;
	}
	hooks.data = NULL;
	return hooks.test;
}

static inline void on_changed(void *context, uint32_t model)
{
	assert_ptr_equal(context, &hooks);
	hooks.changes++;
	hooks.changed = model;
}

static inline void on_session(void *context, uint32_t active)
{
	assert_ptr_equal(context, &hooks);
	assert_int_not_equal(hooks.active, active);
	hooks.active = active;
	hooks.sessions += active;
	hooks.writes = programs + erases;
}

static inline void start_engine(void)
{
	const struct rnv_ota_hooks table = {on_admit, on_test, on_changed, on_session, &hooks};

	memset(&hooks, 0, sizeof(hooks));
	memset(&ota, 0xA5, sizeof(ota));
	assert_int_equal(rnv_ota_init(&ota, &store, &table, IDLE_US), RNV_OK);
}

static inline int begin_ota(void **state)
{
	(void)begin_test(state);
	clock_us = 1000;
	start_engine();
	return 0;
}

/* The device is reset: flash stays. */
static inline void reset_device(void)
{
	reset();
	start_engine();
}

static inline struct rnv_ota_status status_of(void)
{
	struct rnv_ota_status status;

	rnv_ota_status_get(&ota, &status);
	return status;
}

/* The file `made` in `package`, and a request for it. */
static uint8_t shifted[129]; /* the header at an odd address */

static inline struct rnv_ota_request prepare(uint32_t model, const struct package *made)
{
	struct rnv_ota_request request = {.model = model, .bytes = made->bytes};

	make(made);
	package[12] = 1; /* ABI */
	seal(made);
	memcpy(shifted + 1, package, 128);
	request.header = shifted + 1;
	for (uint32_t i = 0; i < 32; i++) {
		request.sha256[i] = (uint8_t)(made->seed * 3 + i);
	}
	return request;
}

static inline int begin(uint32_t model, const struct package *made, uint32_t *offset)
{
	struct rnv_ota_request request = prepare(model, made);

	return rnv_ota_begin(&ota, &request, clock_us, offset);
}

static inline int chunk(uint32_t at, uint32_t bytes, uint32_t *offset)
{
	return rnv_ota_chunk(&ota, at, package + at, bytes, crc_of(0, package + at, bytes),
			     clock_us, offset);
}

/* Send `package` from an offset up to another one. */
static inline void send(uint32_t from, uint32_t to, uint32_t piece)
{
	while (from < to) {
		uint32_t count = to - from < piece ? to - from : piece;
		uint32_t next = 0;

		assert_int_equal(chunk(from, count, &next), RNV_OK);
		from += count;
		assert_int_equal(next, from);
	}
}

/* Poll until nothing is to be done; returns how often. */
static inline uint32_t work(void)
{
	uint32_t polls = 1;

	while (rnv_ota_poll(&ota, clock_us) != 0) {
		polls++;
		assert_true(polls < 10000);
	}
	return polls;
}

/* The whole upload, to READY. */
static inline void upload(uint32_t model, const struct package *made)
{
	uint32_t offset = 77;

	assert_int_equal(begin(model, made, &offset), RNV_OK);
	assert_int_equal(offset, 0);
	send(0, made->bytes, 1000);
	assert_int_equal(status_of().phase, RNV_OTA_VERIFYING);
	(void)work();
	assert_int_equal(status_of().phase, RNV_OTA_READY);
}

/* Uploaded and activated for good; returns the slot. */
static inline uint32_t put(uint32_t model, const struct package *made)
{
	upload(model, made);
	assert_int_equal(rnv_ota_activate(&ota, model, 1), RNV_OK);
	return status_of().slot;
}

static inline uint32_t files_in(uint32_t model, enum rnv_slot_state state)
{
	struct rnv_store_info info = info_of(model);

	return (info.slot[0] == state) + (info.slot[1] == state);
}

#endif /* RNV_TESTS_OTA_FIXTURE_H_ */
