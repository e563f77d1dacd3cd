/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What becomes of what was received: activated, confirmed, gone back from, erased, dropped. */

#include "ota_fixture.h"

static const struct package newer = {"alpha", 5008, 3, 1, 55};

static void test_activate_for_good(void **state)
{
	uint32_t slot;

	(void)state;
	upload(ALPHA, &second);
	slot = status_of().slot;
	assert_int_equal(rnv_ota_activate(&ota, BETA, 1), RNV_ENOENT);
	assert_int_equal(rnv_ota_activate(&ota, MODELS, 1), RNV_ENOENT);
	assert_int_equal(rnv_ota_activate(&ota, ALPHA, 1), RNV_OK);
	assert_int_equal(status_of().phase, RNV_OTA_DONE);
	assert_int_equal(hooks.changes, 1);
	assert_int_equal(hooks.changed, ALPHA);
	assert_int_equal(hooks.tests, 1); /* it was just tested */
	assert_int_equal(info_of(ALPHA).confirmed, slot);
	assert_int_equal(info_of(ALPHA).floor, second.version);
	assert_int_equal(rnv_ota_activate(&ota, ALPHA, 1), RNV_ENOENT);
}

static void test_trial_and_confirm(void **state)
{
	uint32_t old;
	uint32_t offset;

	(void)state;
	old = put(ALPHA, &first);
	upload(ALPHA, &second);
	assert_int_equal(rnv_ota_activate(&ota, ALPHA, 0), RNV_OK);
	assert_int_equal(info_of(ALPHA).trial, RNV_TRIAL_PENDING);
	assert_int_equal(info_of(ALPHA).floor, first.version);
	assert_int_equal(rnv_ota_confirm(&ota, ALPHA, second.version), RNV_ESTATE);
	assert_int_equal(begin(ALPHA, &newer, &offset), RNV_ESTATE);
	assert_int_equal(rnv_store_boot(&store, ALPHA), 1 - old);
	assert_int_equal(rnv_ota_confirm(&ota, ALPHA, second.version), RNV_OK);
	assert_int_equal(info_of(ALPHA).confirmed, 1 - old);
	assert_int_equal(info_of(ALPHA).floor, second.version);
	assert_int_equal(rnv_ota_confirm(&ota, MODELS, 1), RNV_ENOENT);
	/* Going back is refused: the floor has risen. The package stays as it was. */
	(void)prepare(ALPHA, &first);
	assert_int_equal(rnv_ota_rollback(&ota, ALPHA), RNV_EAGAIN);
	(void)work();
	assert_int_equal(status_of().phase, RNV_OTA_FAILED);
	assert_int_equal(status_of().error, RNV_EACCES);
	assert_int_equal(status_of().why, RNV_WHY_OLDER);
	assert_int_equal(info_of(ALPHA).confirmed, 1 - old);
	assert_int_equal(info_of(ALPHA).slot[old], RNV_SLOT_GOOD);
	assert_int_equal(begin(ALPHA, &first, &offset), RNV_EACCES);
}

static void test_rollback_ends_a_trial(void **state)
{
	uint32_t old;

	(void)state;
	old = put(ALPHA, &first);
	upload(ALPHA, &second);
	assert_int_equal(rnv_ota_activate(&ota, ALPHA, 0), RNV_OK);
	assert_int_equal(rnv_store_boot(&store, ALPHA), 1 - old);
	refuse_at = 1; /* the flash is busy: by and by */
	assert_int_equal(rnv_ota_rollback(&ota, ALPHA), RNV_EAGAIN);
	assert_int_equal(hooks.changes, 2);
	(void)work();
	assert_int_equal(hooks.changes, 3);
	assert_int_equal(status_of().phase, RNV_OTA_DONE);
	assert_int_equal(info_of(ALPHA).slot[1 - old], RNV_SLOT_REJECTED);
	assert_int_equal(info_of(ALPHA).next, old);
	assert_int_equal(info_of(ALPHA).floor, first.version);
	/* Rejected: on trial again, after it was verified and tested again, but not for good. */
	assert_int_equal(rnv_ota_activate(&ota, ALPHA, 1), RNV_ENOENT);
	assert_int_equal(rnv_ota_activate(&ota, ALPHA, 0), RNV_EAGAIN);
	(void)work();
	assert_int_equal(status_of().phase, RNV_OTA_DONE);
	assert_int_equal(info_of(ALPHA).trial_slot, 1 - old);
	assert_int_equal(rnv_ota_rollback(&ota, ALPHA), RNV_OK);
	assert_int_equal(info_of(ALPHA).next, old);
}

static void test_rollback_to_the_slot_before(void **state)
{
	const struct package same = {"alpha", 9120, 1, 1, 66};
	uint32_t old;

	(void)state;
	assert_int_equal(rnv_ota_rollback(&ota, MODELS), RNV_ENOENT);
	assert_int_equal(rnv_ota_rollback(&ota, ALPHA), RNV_ENOENT);
	old = put(ALPHA, &first);
	assert_int_equal(rnv_ota_rollback(&ota, ALPHA), RNV_ENOENT);
	upload(ALPHA, &same);
	assert_int_equal(rnv_ota_rollback(&ota, ALPHA), RNV_ENOENT); /* no way back: it is newer */
	assert_int_equal(rnv_ota_activate(&ota, ALPHA, 1), RNV_OK);
	assert_int_equal(info_of(ALPHA).next, 1 - old);
	hooks.tests = 0;
	(void)prepare(ALPHA, &first);
	assert_int_equal(rnv_ota_rollback(&ota, ALPHA), RNV_EAGAIN);
	assert_int_equal(rnv_ota_rollback(&ota, ALPHA), RNV_EBUSY);
	assert_int_equal(hooks.active, 1);
	assert_int_equal(status_of().slot, old);
	(void)work();
	assert_int_equal(status_of().phase, RNV_OTA_DONE);
	assert_int_equal(hooks.active, 0);
	assert_int_equal(hooks.tests, 1);
	assert_int_equal(hooks.flags, RNV_OTA_ALLOW_SLOW);
	assert_int_equal(info_of(ALPHA).confirmed, old);
}

/* What was only received, or has failed a trial, is no way back; not after a reset either. */
static void test_no_way_back(void **state)
{
	const struct package same = {"alpha", 9120, 1, 1, 66};
	uint32_t old;

	(void)state;
	old = put(ALPHA, &first);
	upload(ALPHA, &same);
	reset_device();
	assert_int_equal(rnv_ota_rollback(&ota, ALPHA), RNV_ENOENT);
	assert_int_equal(rnv_ota_activate(&ota, ALPHA, 0), RNV_EAGAIN);
	(void)work();
	assert_int_equal(rnv_store_boot(&store, ALPHA), 1 - old);
	assert_int_equal(rnv_ota_rollback(&ota, ALPHA), RNV_OK);
	assert_int_equal(rnv_ota_rollback(&ota, ALPHA), RNV_ENOENT);
	assert_int_equal(info_of(ALPHA).confirmed, old);
	assert_int_equal(hooks.changes, 2);
}

/* The key is revoked while the package waits: it is not activated, and its status says why. */
static void test_revoked_while_it_waits(void **state)
{
	const struct package of_b = {"alpha", 9120, 2, 2, 67};
	uint32_t old;

	(void)state;
	old = put(ALPHA, &first);
	for (uint32_t permanent = 0; permanent < 2; permanent++) {
		upload(ALPHA, &of_b);
		assert_int_equal(rnv_store_revoke(&store, 0x2222), RNV_OK);
		assert_int_equal(rnv_ota_activate(&ota, ALPHA, permanent), RNV_EACCES);
		assert_int_equal(status_of().phase, RNV_OTA_FAILED);
		assert_int_equal(status_of().error, RNV_EACCES);
		assert_int_equal(status_of().why, RNV_WHY_REVOKED);
		assert_int_equal(info_of(ALPHA).floor, 1);
		assert_int_equal(info_of(ALPHA).next, old);
		assert_int_equal(hooks.changes, 1);
		begin_ota(NULL);
		old = put(ALPHA, &first);
	}
}

/* Ready in another session, or before a reset: it is verified and tested again. */
static void test_activate_later(void **state)
{
	uint32_t old;

	(void)state;
	old = put(ALPHA, &first);
	upload(ALPHA, &second);
	reset_device();
	assert_int_equal(rnv_ota_activate(&ota, ALPHA, 0), RNV_EAGAIN);
	assert_int_equal(status_of().phase, RNV_OTA_VERIFYING);
	assert_int_equal(status_of().bytes, 0);
	(void)work();
	assert_int_equal(status_of().phase, RNV_OTA_DONE);
	assert_int_equal(hooks.tests, 1);
	assert_int_equal(hooks.changes, 1);
	assert_int_equal(info_of(ALPHA).trial_slot, 1 - old);
}

/* The good package has rotted meanwhile: it is bad. One that fails its test is, too. */
static void test_activate_what_is_damaged(void **state)
{
	(void)state;
	put(ALPHA, &first);
	upload(ALPHA, &second);
	reset_device();
	cells[slot_at(ALPHA, 1) + 5000] ^= 1;
	assert_int_equal(rnv_ota_activate(&ota, ALPHA, 0), RNV_EAGAIN);
	(void)work();
	assert_int_equal(status_of().phase, RNV_OTA_FAILED);
	assert_int_equal(status_of().error, RNV_EBADMSG);
	assert_int_equal(info_of(ALPHA).slot[1], RNV_SLOT_BAD);
	assert_int_equal(info_of(ALPHA).next, 0);
	upload(ALPHA, &second);
	reset_device();
	hooks.test = RNV_EBADMSG;
	assert_int_equal(rnv_ota_activate(&ota, ALPHA, 0), RNV_EAGAIN);
	refuse_at = 1;
	while (status_of().phase != RNV_OTA_FAILED) {
		(void)rnv_ota_poll(&ota, clock_us);
		refuse_at = 1;
	}
	assert_int_equal(rnv_ota_poll(&ota, clock_us), 1); /* the flash is busy */
	refuse_at = 0;
	(void)work();
	assert_int_equal(status_of().phase, RNV_OTA_FAILED);
	assert_int_equal(info_of(ALPHA).slot[1], RNV_SLOT_BAD);
	assert_int_equal(info_of(ALPHA).trial, RNV_TRIAL_NONE);
}

/* What cannot be tested here, for want of memory, stays good. */
static void test_activate_what_does_not_fit(void **state)
{
	(void)state;
	put(ALPHA, &first);
	upload(ALPHA, &second);
	reset_device();
	hooks.admit = RNV_ENOMEM;
	assert_int_equal(rnv_ota_activate(&ota, ALPHA, 1), RNV_EAGAIN);
	(void)work();
	assert_int_equal(status_of().phase, RNV_OTA_FAILED);
	assert_int_equal(status_of().error, RNV_ENOMEM);
	assert_int_equal(info_of(ALPHA).slot[1], RNV_SLOT_GOOD);
	assert_int_equal(info_of(ALPHA).next, 0);
	assert_int_equal(info_of(ALPHA).views[1], 0);
}

static void test_activate_when_the_flash_is_busy(void **state)
{
	(void)state;
	upload(ALPHA, &first);
	refuse_at = 1;
	assert_int_equal(rnv_ota_activate(&ota, ALPHA, 1), RNV_EAGAIN);
	assert_int_equal(hooks.changes, 0);
	assert_int_equal(rnv_ota_activate(&ota, ALPHA, 1), RNV_EBUSY);
	(void)work();
	assert_int_equal(hooks.changes, 1);
	assert_int_equal(status_of().phase, RNV_OTA_DONE);
}

static void test_activate_when_the_flash_fails(void **state)
{
	(void)state;
	upload(ALPHA, &first);
	break_programs(FAIL, 0, 100);
	break_erases(0, 100);
	assert_int_equal(rnv_ota_activate(&ota, ALPHA, 1), RNV_EIO);
	assert_int_equal(status_of().phase, RNV_OTA_FAILED);
	assert_int_equal(hooks.changes, 0);
	break_programs(FAIL, 0, 0);
	break_erases(0, 0);
	assert_int_equal(rnv_ota_activate(&ota, ALPHA, 1), RNV_EAGAIN);
	(void)work();
	assert_int_equal(status_of().phase, RNV_OTA_DONE);
}

static void test_erase(void **state)
{
	uint32_t old;
	uint32_t before;
	uint32_t writes;
	struct rnv_ota_status status;
	uint32_t last = 0;

	(void)state;
	old = put(ALPHA, &first);
	upload(ALPHA, &second);
	assert_int_equal(rnv_ota_erase(&ota, MODELS, 0), RNV_ENOENT);
	assert_int_equal(rnv_ota_erase(&ota, ALPHA, 2), RNV_ENOENT);
	assert_int_equal(rnv_ota_erase(&ota, ALPHA, old), RNV_ESTATE);
	before = erases;
	writes = programs + erases;
	assert_int_equal(rnv_ota_erase(&ota, ALPHA, 1 - old), RNV_EAGAIN);
	assert_int_equal(hooks.writes, writes);
	assert_int_equal(status_of().phase, RNV_OTA_ERASING);
	assert_int_equal(hooks.active, 1);
	assert_int_equal(rnv_ota_erase(&ota, BETA, 0), RNV_EBUSY);
	assert_int_equal(info_of(ALPHA).slot[1 - old], RNV_SLOT_EMPTY);
	while (rnv_ota_poll(&ota, clock_us) != 0) {
		status = status_of();
		assert_int_equal(status.total, 3 * 4096);
		assert_int_equal(status.done, last + 4096);
		last = status.done;
	}
	assert_int_equal(status_of().phase, RNV_OTA_DONE);
	assert_int_equal(hooks.active, 0);
	assert_int_equal(erases - before, 3);
	for (uint32_t i = 0; i < 3 * 4096; i++) {
		assert_int_equal(cells[slot_at(ALPHA, 1 - old) + i], 0xFF);
	}
}

static void test_erase_of_what_is_held(void **state)
{
	struct rnv_store_verify verified;
	struct rnv_store_view view;

	(void)state;
	put(ALPHA, &first);
	upload(ALPHA, &second);
	assert_int_equal(verify(ALPHA, 1, &verified), RNV_OK);
	assert_int_equal(rnv_store_view_open(&store, &verified, &view), RNV_OK);
	assert_int_equal(rnv_ota_erase(&ota, ALPHA, 1), RNV_EBUSY);
	assert_int_equal(status_of().phase, RNV_OTA_READY);
	rnv_store_view_close(&store, &view);
	assert_int_equal(rnv_ota_erase(&ota, ALPHA, 1), RNV_EAGAIN);
	assert_int_equal(rnv_ota_poll(&ota, clock_us), 1);
	assert_int_equal(rnv_ota_abort(&ota), RNV_OK); /* it is empty all the same */
	assert_int_equal(status_of().phase, RNV_OTA_IDLE);
	assert_int_equal(rnv_ota_poll(&ota, clock_us), 0);
	assert_int_equal(info_of(ALPHA).slot[1], RNV_SLOT_EMPTY);
}

static void test_erase_fails(void **state)
{
	(void)state;
	put(ALPHA, &first);
	upload(ALPHA, &second);
	assert_int_equal(rnv_ota_erase(&ota, ALPHA, 1), RNV_EAGAIN);
	break_erases(1, 1);
	(void)work();
	assert_int_equal(status_of().phase, RNV_OTA_FAILED);
	assert_int_equal(status_of().error, RNV_EIO);
	assert_int_equal(hooks.active, 0);
}

/* In every phase: nothing of it is gone on with, nothing else has changed. */
static void test_abort_anywhere(void **state)
{
	(void)state;
	put(ALPHA, &first);
	assert_int_equal(rnv_ota_abort(&ota), RNV_OK);
	assert_int_equal(info_of(ALPHA).slot[0], RNV_SLOT_GOOD);
	for (uint32_t polls = 0;; polls++) {
		uint32_t offset = 99;
		int ready;

		assert_int_equal(begin(ALPHA, &second, &offset), RNV_OK);
		assert_int_equal(offset, 0);
		send(0, second.bytes - (polls == 0 ? 1000 : 0), 1000);
		hooks.starve = 1;
		for (uint32_t i = 1; i < polls; i++) {
			(void)rnv_ota_poll(&ota, clock_us);
		}
		ready = status_of().phase == RNV_OTA_READY;
		assert_int_equal(rnv_ota_abort(&ota), RNV_OK);
		assert_int_equal(status_of().phase, RNV_OTA_IDLE);
		assert_int_equal(hooks.active, 0);
		assert_null(hooks.data);
		assert_int_equal(info_of(ALPHA).slot[0], RNV_SLOT_GOOD);
		assert_int_equal(info_of(ALPHA).slot[1], RNV_SLOT_EMPTY);
		assert_int_equal(info_of(ALPHA).views[1], 0);
		assert_int_equal(rnv_ota_poll(&ota, clock_us), 0);
		if (ready) {
			break;
		}
		assert_true(polls < 100);
	}
	assert_true(hooks.gave_up > 0);
}

/* The job of a test has to end first. */
static void test_abort_waits_for_the_test(void **state)
{
	uint32_t offset;

	(void)state;
	put(ALPHA, &first);
	assert_int_equal(begin(ALPHA, &second, &offset), RNV_OK);
	send(0, second.bytes, 1000);
	hooks.starve = 100;
	while (hooks.data == NULL) {
		assert_int_equal(rnv_ota_poll(&ota, clock_us), 1);
	}
	hooks.give_up = RNV_EAGAIN;
	assert_int_equal(rnv_ota_abort(&ota), RNV_EAGAIN);
	assert_int_equal(rnv_ota_abort(&ota), RNV_EAGAIN);
	assert_int_equal(rnv_ota_poll(&ota, clock_us), 1);
	assert_int_equal(info_of(ALPHA).views[1], 1);
	assert_int_equal(begin(ALPHA, &second, &offset), RNV_EBUSY);
	assert_int_equal(hooks.active, 1);
	hooks.give_up = RNV_OK;
	(void)work();
	assert_int_equal(status_of().phase, RNV_OTA_IDLE);
	assert_int_equal(info_of(ALPHA).views[1], 0);
	assert_int_equal(info_of(ALPHA).slot[1], RNV_SLOT_EMPTY);
	assert_int_equal(hooks.active, 0);
}

/* What was good before the session stays so. */
static void test_abort_of_an_activation(void **state)
{
	(void)state;
	put(ALPHA, &first);
	upload(ALPHA, &second);
	reset_device();
	for (uint32_t polls = 0; polls < 20; polls++) {
		hooks.starve = 1000;
		assert_int_equal(rnv_ota_activate(&ota, ALPHA, 1), RNV_EAGAIN);
		for (uint32_t i = 0; i < polls; i++) {
			(void)rnv_ota_poll(&ota, clock_us);
		}
		assert_int_equal(rnv_ota_abort(&ota), RNV_OK);
		assert_int_equal(status_of().phase, RNV_OTA_IDLE);
		assert_int_equal(info_of(ALPHA).slot[1], RNV_SLOT_GOOD);
		assert_int_equal(info_of(ALPHA).next, 0);
		assert_int_equal(info_of(ALPHA).views[1], 0);
	}
	assert_true(hooks.gave_up > 0);
}

/* Nobody goes on with it: what has arrived can be forgotten, too. */
static void test_abort_after_the_time_out(void **state)
{
	uint32_t offset;

	(void)state;
	assert_int_equal(begin(ALPHA, &second, &offset), RNV_OK);
	send(0, 5000, 1000);
	clock_us += IDLE_US;
	(void)work();
	assert_int_equal(files_in(ALPHA, RNV_SLOT_FILLING), 1);
	assert_int_equal(rnv_ota_abort(&ota), RNV_OK);
	assert_int_equal(files_in(ALPHA, RNV_SLOT_FILLING), 0);
	assert_int_equal(begin(ALPHA, &second, &offset), RNV_OK);
	assert_int_equal(offset, 0);
}

static void test_busy_while_receiving(void **state)
{
	uint32_t offset;

	(void)state;
	put(ALPHA, &first);
	assert_int_equal(begin(BETA, &other, &offset), RNV_OK);
	assert_int_equal(rnv_ota_activate(&ota, ALPHA, 1), RNV_EBUSY);
	assert_int_equal(rnv_ota_rollback(&ota, ALPHA), RNV_EBUSY);
	assert_int_equal(rnv_ota_erase(&ota, ALPHA, 1), RNV_EBUSY);
	assert_int_equal(status_of().phase, RNV_OTA_RECEIVING);
}

#define TEST(name) cmocka_unit_test_setup(name, begin_ota)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_activate_for_good),
		TEST(test_trial_and_confirm),
		TEST(test_rollback_ends_a_trial),
		TEST(test_rollback_to_the_slot_before),
		TEST(test_no_way_back),
		TEST(test_revoked_while_it_waits),
		TEST(test_activate_later),
		TEST(test_activate_what_is_damaged),
		TEST(test_activate_what_does_not_fit),
		TEST(test_activate_when_the_flash_is_busy),
		TEST(test_activate_when_the_flash_fails),
		TEST(test_erase),
		TEST(test_erase_of_what_is_held),
		TEST(test_erase_fails),
		TEST(test_abort_anywhere),
		TEST(test_abort_waits_for_the_test),
		TEST(test_abort_of_an_activation),
		TEST(test_abort_after_the_time_out),
		TEST(test_busy_while_receiving),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
