/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What arrives: announced, checked, taken, verified, tested. */

#include "ota_fixture.h"

static void test_init(void **state)
{
	struct rnv_ota_hooks table = {on_admit, on_test, on_changed, NULL, NULL};

	(void)state;
	assert_int_equal(rnv_ota_init(NULL, &store, &table, 1), RNV_EINVAL);
	assert_int_equal(rnv_ota_init(&ota, NULL, &table, 1), RNV_EINVAL);
	assert_int_equal(rnv_ota_init(&ota, &store, NULL, 1), RNV_EINVAL);
	assert_int_equal(rnv_ota_init(&ota, &store, &table, 1), RNV_OK);
	assert_int_equal(status_of().phase, RNV_OTA_IDLE);
	assert_int_equal(status_of().model, UINT32_MAX);
	assert_int_equal(rnv_ota_poll(&ota, 5), 0);
	table.test = NULL;
	assert_int_equal(rnv_ota_init(&ota, &store, &table, 1), RNV_EINVAL);
}

static void test_the_whole_way(void **state)
{
	struct rnv_ota_status status;
	uint32_t offset = 99;

	(void)state;
	assert_int_equal(begin(ALPHA, &first, &offset), RNV_OK);
	assert_int_equal(offset, 0);
	assert_int_equal(hooks.active, 1);
	assert_int_equal(hooks.writes, 0); /* first what must not run is parked */
	assert_int_equal(hooks.admits, 1);
	assert_int_equal(status_of().phase, RNV_OTA_RECEIVING);
	send(0, 4000, 777);
	status = status_of();
	assert_int_equal(status.offset, 4000);
	assert_int_equal(status.bytes, first.bytes);
	assert_int_equal(status.model, ALPHA);
	assert_int_equal(status.sha256[1], (uint8_t)(first.seed * 3 + 1));
	assert_int_equal(rnv_ota_poll(&ota, clock_us), 0);
	send(4000, first.bytes, 777);
	assert_int_equal(status_of().phase, RNV_OTA_VERIFYING);
	while (status_of().phase == RNV_OTA_VERIFYING) {
		assert_int_equal(rnv_ota_poll(&ota, clock_us), 1);
		status = status_of();
		assert_true(status.done <= status.total);
	}
	assert_int_equal(status_of().phase, RNV_OTA_TESTING);
	assert_int_equal(hooks.admits, 2);
	assert_int_equal(hooks.active, 1);
	(void)work();
	assert_int_equal(status_of().phase, RNV_OTA_READY);
	assert_int_equal(status_of().error, RNV_OK);
	assert_int_equal(hooks.active, 0);
	assert_int_equal(hooks.sessions, 1);
	assert_int_equal(hooks.tests, 1);
	assert_int_equal(hooks.changes, 0);
	assert_int_equal(info_of(ALPHA).slot[status_of().slot], RNV_SLOT_GOOD);
	assert_int_equal(info_of(ALPHA).next, NONE);
	assert_memory_equal(cells + slot_at(ALPHA, status_of().slot), package, first.bytes);
}

/* Case 33, and the rest of what a header tells: refused with the flash untouched. */
static void test_nothing_is_erased_for_what_is_refused(void **state)
{
	static const struct {
		uint32_t at;
		uint8_t value;
	} wrong[] = {{0, 'X'}, {4, 2}, {6, 127}, {12, 2}, {80, 'b'}, {85, 'x'}};
	struct package big = {"alpha", 3 * 4096 + 16, 1, 1, 5};
	struct rnv_ota_request request;
	uint32_t offset = 99;

	(void)state;
	request = prepare(ALPHA, &first);
	request.model = MODELS;
	assert_int_equal(rnv_ota_begin(&ota, &request, 0, &offset), RNV_ENOENT);
	request = prepare(ALPHA, &first);
	request.encoding = RNV_OTA_PATCH;
	assert_int_equal(rnv_ota_begin(&ota, &request, 0, &offset), RNV_EINVAL);
	request.encoding = RNV_OTA_PLAIN;
	request.flags = 2;
	assert_int_equal(rnv_ota_begin(&ota, &request, 0, &offset), RNV_EINVAL);
	request.flags = 0;
	request.header = NULL;
	assert_int_equal(rnv_ota_begin(&ota, &request, 0, &offset), RNV_EINVAL);
	request = prepare(ALPHA, &first);
	request.bytes += 16;
	assert_int_equal(rnv_ota_begin(&ota, &request, 0, &offset), RNV_EFORMAT);
	for (uint32_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		request = prepare(ALPHA, &first);
		shifted[1 + wrong[i].at] = wrong[i].value;
		assert_int_equal(rnv_ota_begin(&ota, &request, 0, &offset), RNV_EFORMAT);
	}
	assert_int_equal(hooks.admits, 0);
	assert_int_equal(begin(ALPHA, &big, &offset), RNV_ENOSPC);
	layout[ALPHA].security_version = 2;
	assert_int_equal(begin(ALPHA, &first, &offset), RNV_EACCES);
	layout[ALPHA].security_version = 0;
	hooks.admit = RNV_ENOTSUP;
	assert_int_equal(begin(ALPHA, &first, &offset), RNV_ENOTSUP);
	assert_int_equal(offset, 99);
	assert_int_equal(programs + erases, 0);
	assert_int_equal(status_of().phase, RNV_OTA_IDLE);
	assert_int_equal(hooks.sessions, 0);
}

static void test_flags_reach_the_hook(void **state)
{
	struct rnv_ota_request request = prepare(ALPHA, &first);
	uint32_t offset;

	(void)state;
	request.flags = RNV_OTA_ALLOW_SLOW;
	assert_int_equal(rnv_ota_begin(&ota, &request, 0, &offset), RNV_OK);
	assert_int_equal(hooks.flags, RNV_OTA_ALLOW_SLOW);
	send(0, first.bytes, 4096);
	hooks.flags = 0;
	(void)work();
	assert_int_equal(hooks.flags, RNV_OTA_ALLOW_SLOW);
}

/* Case 45: a chunk that is sent twice is not appended twice. */
static void test_chunks_that_are_not_wanted(void **state)
{
	uint32_t offset = 99;
	uint32_t before;

	(void)state;
	assert_int_equal(chunk(0, 16, &offset), RNV_ESTATE);
	assert_int_equal(begin(ALPHA, &first, &offset), RNV_OK);
	send(0, 1000, 500);
	before = programs;
	assert_int_equal(chunk(500, 500, &offset), RNV_OK); /* again */
	assert_int_equal(offset, 1000);
	assert_int_equal(chunk(0, 500, &offset), RNV_OK); /* stale */
	assert_int_equal(offset, 1000);
	assert_int_equal(chunk(900, 500, &offset), RNV_OK); /* overlaps */
	assert_int_equal(offset, 1000);
	assert_int_equal(chunk(1500, 500, &offset), RNV_OK); /* too early */
	assert_int_equal(offset, 1000);
	assert_int_equal(rnv_ota_chunk(&ota, 1000, package + 1000, 500, 1, 0, &offset),
			 RNV_EBADMSG);
	assert_int_equal(offset, 1000);
	assert_int_equal(chunk(1000, first.bytes - 1000 + 1, &offset), RNV_ENOSPC);
	assert_int_equal(chunk(first.bytes + 1, 16, &offset), RNV_ENOSPC);
	assert_int_equal(chunk(1000, 0, &offset), RNV_OK);
	assert_int_equal(offset, 1000);
	assert_int_equal(programs, before);
	send(1000, first.bytes, 500);
	assert_int_equal(chunk(first.bytes - 16, 16, &offset), RNV_OK); /* its reply was lost */
	assert_int_equal(offset, first.bytes);
	(void)work();
	assert_int_equal(status_of().phase, RNV_OTA_READY);
	assert_int_equal(chunk(first.bytes - 16, 16, &offset), RNV_OK);
	assert_int_equal(status_of().phase, RNV_OTA_READY);
}

static void test_the_same_file_again_goes_on(void **state)
{
	uint32_t offset = 99;

	(void)state;
	assert_int_equal(begin(ALPHA, &second, &offset), RNV_OK);
	send(0, 5000, 500);
	assert_int_equal(begin(ALPHA, &second, &offset), RNV_OK);
	assert_int_equal(offset, 5000);
	send(5000, second.bytes, 500);
	assert_int_equal(begin(ALPHA, &second, &offset), RNV_OK);
	assert_int_equal(offset, second.bytes);
	(void)work();
	assert_int_equal(begin(ALPHA, &second, &offset), RNV_OK);
	assert_int_equal(offset, second.bytes);
	assert_int_equal(status_of().phase, RNV_OTA_READY);
	assert_int_equal(info_of(ALPHA).fills[0] + info_of(ALPHA).fills[1], 1);
}

static void test_another_file_drops_what_was_under_way(void **state)
{
	uint32_t offset = 99;

	(void)state;
	assert_int_equal(begin(ALPHA, &second, &offset), RNV_OK);
	send(0, 5000, 500);
	assert_int_equal(begin(ALPHA, &first, &offset), RNV_OK);
	assert_int_equal(offset, 0);
	assert_int_equal(hooks.sessions, 1);
	send(0, first.bytes, 500);
	assert_int_equal(begin(ALPHA, &second, &offset), RNV_EBUSY); /* it is verified */
	(void)prepare(ALPHA, &first);
	(void)work();
	assert_int_equal(status_of().phase, RNV_OTA_READY);
	assert_int_equal(begin(ALPHA, &second, &offset), RNV_OK);
	assert_int_equal(offset, 0);
	assert_int_equal(files_in(ALPHA, RNV_SLOT_GOOD), 1); /* in the slot with fewer fills */
	assert_int_equal(begin(BETA, &other, &offset), RNV_OK);
	assert_int_equal(offset, 0);
	assert_int_equal(begin(ALPHA, &second, &offset), RNV_OK);
	assert_int_equal(offset, 0);
	send(0, second.bytes, 500);
	(void)work();
	assert_int_equal(status_of().phase, RNV_OTA_READY);
}

/* Case 37. */
static void test_a_reset_in_the_middle(void **state)
{
	uint32_t offset = 99;

	(void)state;
	assert_int_equal(begin(ALPHA, &second, &offset), RNV_OK);
	send(0, 8192 + 100, 500);
	reset_device();
	assert_int_equal(chunk(8292, 500, &offset), RNV_ESTATE);
	assert_int_equal(begin(ALPHA, &second, &offset), RNV_OK);
	assert_int_equal(offset, 8192);
	send(8192, second.bytes, 500);
	reset_device(); /* before it is verified */
	assert_int_equal(begin(ALPHA, &second, &offset), RNV_OK);
	assert_int_equal(offset, 8192);
	send(8192, second.bytes, 500);
	(void)work();
	assert_int_equal(status_of().phase, RNV_OTA_READY);
	assert_int_equal(info_of(ALPHA).fills[0] + info_of(ALPHA).fills[1], 1);
}

static void test_a_reset_after_whole_sectors(void **state)
{
	static const struct package whole = {"alpha", 8192, 1, 1, 3};
	uint32_t offset = 99;

	(void)state;
	assert_int_equal(begin(ALPHA, &whole, &offset), RNV_OK);
	send(0, whole.bytes, 1024);
	reset_device();
	assert_int_equal(begin(ALPHA, &whole, &offset), RNV_OK);
	assert_int_equal(offset, whole.bytes);
	assert_int_equal(status_of().phase, RNV_OTA_VERIFYING);
	(void)work();
	assert_int_equal(status_of().phase, RNV_OTA_READY);
}

/* Case 46: a host that is dead holds nothing. */
static void test_time_out(void **state)
{
	uint32_t offset = 99;

	(void)state;
	assert_int_equal(begin(ALPHA, &second, &offset), RNV_OK);
	send(0, 5000, 500);
	clock_us += IDLE_US - 1;
	assert_int_equal(rnv_ota_poll(&ota, clock_us), 0);
	assert_int_equal(status_of().phase, RNV_OTA_RECEIVING);
	send(5000, 5500, 500);                                 /* a sign of life */
	assert_int_equal(rnv_ota_poll(&ota, clock_us - 5), 0); /* a clock that was read before */
	clock_us += IDLE_US - 1;
	assert_int_equal(rnv_ota_poll(&ota, clock_us), 0);
	assert_int_equal(hooks.active, 1);
	clock_us++;
	assert_int_equal(rnv_ota_poll(&ota, clock_us), 0);
	assert_int_equal(hooks.active, 0);
	assert_int_equal(status_of().phase, RNV_OTA_FAILED);
	assert_int_equal(status_of().error, RNV_ETIMEDOUT);
	assert_int_equal(chunk(5500, 500, &offset), RNV_ESTATE);
	assert_int_equal(begin(ALPHA, &second, &offset), RNV_OK);
	assert_int_equal(offset, 4096);
	send(4096, second.bytes, 500);
	(void)work();
	clock_us += 10 * IDLE_US; /* what is ready waits for ever */
	assert_int_equal(rnv_ota_poll(&ota, clock_us), 0);
	assert_int_equal(status_of().phase, RNV_OTA_READY);
}

/* Received as announced, but not what it should be: the slot is empty, and never gone on with. */
static void assert_refused(int error, uint32_t why)
{
	uint32_t offset = 99;

	(void)work();
	assert_int_equal(status_of().phase, RNV_OTA_FAILED);
	assert_int_equal(status_of().error, error);
	assert_int_equal(status_of().why, why);
	assert_int_equal(hooks.active, 0);
	assert_null(hooks.data);
	assert_int_equal(files_in(ALPHA, RNV_SLOT_EMPTY), 2);
	assert_int_equal(rnv_ota_activate(&ota, ALPHA, 1), RNV_ENOENT);
	reset_device();
	assert_int_equal(files_in(ALPHA, RNV_SLOT_EMPTY), 2);
	assert_int_equal(begin(ALPHA, &first, &offset), RNV_OK);
	assert_int_equal(offset, 0);
}

static void announce_and_send(const struct package *made, uint32_t spoilt)
{
	uint32_t offset;

	assert_int_equal(begin(ALPHA, made, &offset), RNV_OK);
	if (spoilt != 0) {
		package[spoilt] ^= 1;
	}
	send(0, made->bytes, 1000);
}

static void test_damaged(void **state)
{
	(void)state;
	announce_and_send(&first, 2000);
	assert_refused(RNV_EBADMSG, RNV_WHY_HASH);
	assert_int_equal(hooks.tests, 0);
}

static void test_unsigned(void **state)
{
	const struct package made = {"alpha", 4800, 1, 0, 11};

	(void)state;
	announce_and_send(&made, 0);
	assert_refused(RNV_EACCES, RNV_WHY_UNSIGNED);
}

static void test_wrong_signature(void **state)
{
	uint32_t offset;

	(void)state;
	assert_int_equal(begin(ALPHA, &first, &offset), RNV_OK);
	package[first.bytes - 112 + 45] ^= 1;
	put32(package + first.bytes - 4, crc_of(0, package, first.bytes - 4));
	send(0, first.bytes, 1000);
	assert_refused(RNV_EACCES, RNV_WHY_SIGNATURE);
}

/* A good package, but another one than was announced: a header that was checked for nothing. */
static void test_another_header_arrives(void **state)
{
	uint32_t offset;

	(void)state;
	assert_int_equal(begin(ALPHA, &first, &offset), RNV_OK);
	package[24] = 77; /* arena_bytes */
	seal(&first);
	send(0, first.bytes, 1000);
	assert_refused(RNV_EBADMSG, RNV_WHY_HEADER);
}

static void test_the_hook_thinks_better_of_it(void **state)
{
	(void)state;
	announce_and_send(&first, 0);
	hooks.admit = RNV_ENOMEM;
	assert_refused(RNV_ENOMEM, RNV_WHY_NONE);
	assert_int_equal(hooks.tests, 0);
}

static void test_a_test_fails(void **state)
{
	(void)state;
	announce_and_send(&first, 0);
	hooks.test = RNV_EBADMSG;
	assert_refused(RNV_EBADMSG, RNV_WHY_NONE);
}

/* Case 45: what an aborted update leaves is not good. */
static void test_a_failure_leaves_the_other_slot(void **state)
{
	uint32_t slot;
	uint32_t offset;

	(void)state;
	slot = put(ALPHA, &first);
	put(ALPHA, &second);
	assert_int_equal(begin(ALPHA, &third, &offset), RNV_OK);
	send(0, 500, 500);
	assert_int_equal(info_of(ALPHA).slot[slot], RNV_SLOT_FILLING);
	assert_int_equal(rnv_ota_abort(&ota), RNV_OK);
	assert_int_equal(info_of(ALPHA).slot[slot], RNV_SLOT_EMPTY);
	assert_int_equal(rnv_ota_rollback(&ota, ALPHA), RNV_ENOENT);
	assert_int_equal(info_of(ALPHA).next, 1 - slot);
	assert_int_equal(info_of(ALPHA).slot[1 - slot], RNV_SLOT_GOOD);
}

static void test_a_starved_test_is_not_failed(void **state)
{
	(void)state;
	announce_and_send(&first, 0);
	hooks.starve = 500;
	clock_us += 100 * IDLE_US;
	assert_true(work() > 500);
	assert_int_equal(status_of().phase, RNV_OTA_READY);
	assert_int_equal(hooks.tests, 501);
}

/* The crypto implementation fails: nothing is known of the package, and it can be gone on with. */
static void test_crypto_fails(void **state)
{
	uint32_t offset = 99;

	(void)state;
	announce_and_send(&second, 0);
	crypto_status = RNV_EIO;
	(void)work();
	assert_int_equal(status_of().phase, RNV_OTA_FAILED);
	assert_int_equal(status_of().error, RNV_EIO);
	assert_int_equal(hooks.active, 0);
	crypto_status = RNV_OK;
	assert_int_equal(begin(ALPHA, &second, &offset), RNV_OK);
	assert_int_equal(offset, 8192);
	send(8192, second.bytes, 1000);
	(void)work();
	assert_int_equal(status_of().phase, RNV_OTA_READY);
}

static void test_the_flash_fails(void **state)
{
	uint32_t offset = 99;

	(void)state;
	assert_int_equal(begin(ALPHA, &first, &offset), RNV_OK);
	send(0, 1000, 500);
	break_programs(FLIP, 0, 1);
	assert_int_equal(chunk(1000, 500, &offset), RNV_EIO);
	assert_int_equal(status_of().phase, RNV_OTA_FAILED);
	assert_int_equal(status_of().error, RNV_EIO);
	assert_int_equal(hooks.active, 0);
	assert_int_equal(files_in(ALPHA, RNV_SLOT_EMPTY), 2);
	assert_int_equal(begin(ALPHA, &first, &offset), RNV_OK);
	assert_int_equal(offset, 0);
}

/* An accelerator reads that bank: each piece is refused once, and nothing is lost. */
static void test_the_flash_is_busy(void **state)
{
	uint32_t offset = 99;
	uint32_t next = 0;
	uint32_t refusals = 0;

	(void)state;
	refuse_at = 1;
	assert_int_equal(begin(ALPHA, &first, &offset), RNV_EAGAIN);
	assert_int_equal(status_of().phase, RNV_OTA_IDLE);
	assert_int_equal(begin(ALPHA, &first, &offset), RNV_OK);
	while (next < first.bytes) {
		uint32_t count = first.bytes - next < 1000 ? first.bytes - next : 1000;
		int status;

		refuse_at = refusals % 2 == 0 ? 2 : 1;
		status = chunk(next, count, &offset);
		assert_true(status == RNV_OK || status == RNV_EAGAIN);
		refusals += status == RNV_EAGAIN;
		assert_true(offset >= next && offset <= next + count);
		next = offset;
		refuse_at = 0;
		if (status == RNV_EAGAIN) {
			count = first.bytes - next < 500 ? first.bytes - next : 500;
			assert_int_equal(chunk(next, count, &next), RNV_OK);
		}
	}
	assert_true(refusals > 2);
	refuse_at = 1; /* what is staged */
	assert_int_equal(rnv_ota_poll(&ota, clock_us), 1);
	for (uint32_t polls = 0; status_of().phase != RNV_OTA_READY; polls++) {
		refuse_at = polls % 2 == 0 ? 1 : 0;
		(void)rnv_ota_poll(&ota, clock_us);
		assert_true(polls < 100);
	}
	assert_int_equal(files_in(ALPHA, RNV_SLOT_GOOD), 1);
}

/* A failed package stays to be emptied while the flash is busy: it is not gone on with meanwhile.
 */
static void test_empty_when_the_flash_is_busy(void **state)
{
	uint32_t offset = 99;

	(void)state;
	announce_and_send(&first, 2000);
	while (status_of().phase != RNV_OTA_FAILED) {
		assert_int_equal(rnv_ota_poll(&ota, clock_us), 1);
	}
	refuse_at = 1;
	assert_int_equal(rnv_ota_poll(&ota, clock_us), 1);
	assert_int_equal(hooks.active, 1);
	refuse_at = 1;
	assert_int_equal(begin(ALPHA, &first, &offset), RNV_EBUSY);
	assert_int_equal(begin(ALPHA, &first, &offset), RNV_OK);
	assert_int_equal(offset, 0);
}

#define TEST(name) cmocka_unit_test_setup(name, begin_ota)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_init),
		TEST(test_the_whole_way),
		TEST(test_nothing_is_erased_for_what_is_refused),
		TEST(test_flags_reach_the_hook),
		TEST(test_chunks_that_are_not_wanted),
		TEST(test_the_same_file_again_goes_on),
		TEST(test_another_file_drops_what_was_under_way),
		TEST(test_a_reset_in_the_middle),
		TEST(test_a_reset_after_whole_sectors),
		TEST(test_time_out),
		TEST(test_damaged),
		TEST(test_unsigned),
		TEST(test_wrong_signature),
		TEST(test_another_header_arrives),
		TEST(test_the_hook_thinks_better_of_it),
		TEST(test_a_test_fails),
		TEST(test_a_failure_leaves_the_other_slot),
		TEST(test_a_starved_test_is_not_failed),
		TEST(test_crypto_fails),
		TEST(test_the_flash_fails),
		TEST(test_the_flash_is_busy),
		TEST(test_empty_when_the_flash_is_busy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
