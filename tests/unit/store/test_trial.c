/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Activation, trials, confirmation, falling back, the floor, revoking keys. */

#include "store_fixture.h"

static void state_is(uint32_t confirmed, uint32_t trial, uint32_t tries, uint32_t next)
{
	for (uint32_t i = 0; i < 2; i++) { /* before and after a reset */
		struct rnv_store_info info = info_of(ALPHA);

		assert_int_equal(info.confirmed, confirmed);
		assert_int_equal(info.trial, trial);
		assert_int_equal(info.tries, tries);
		assert_int_equal(info.trial_slot, trial == RNV_TRIAL_NONE ? NONE : 1);
		assert_int_equal(info.next, next);
		reset();
	}
}

/* Slot 0 confirmed, slot 1 good and, where `trial` is set, activated on trial. */
static void prepare(int trial)
{
	assert_int_equal(install(ALPHA, &first), 0);
	assert_int_equal(bring(ALPHA, &second), 1);
	if (trial) {
		activate(ALPHA, 1, 0);
	}
}

static void test_a_good_slot_is_not_active(void **state)
{
	(void)state;
	assert_int_equal(bring(ALPHA, &first), 0);
	state_is(NONE, RNV_TRIAL_NONE, 0, NONE);
	assert_int_equal(rnv_store_boot(&store, ALPHA), RNV_ENOENT);
	activate(ALPHA, 0, 1);
	state_is(0, RNV_TRIAL_NONE, 0, 0);
	assert_int_equal(rnv_store_boot(&store, ALPHA), 0);
	bring(ALPHA, &second);
	assert_int_equal(rnv_store_boot(&store, ALPHA), 0);
	state_is(0, RNV_TRIAL_NONE, 0, 0);
}

static void test_a_boot_without_a_trial_writes_nothing(void **state)
{
	(void)state;
	prepare(0);
	programs = erases = 0;
	for (uint32_t i = 0; i < 5; i++) {
		reset();
		assert_int_equal(rnv_store_boot(&store, ALPHA), 0);
	}
	assert_int_equal(programs + erases, 0);
}

static void test_a_trial_that_is_confirmed(void **state)
{
	(void)state;
	prepare(1);
	state_is(0, RNV_TRIAL_PENDING, 0, 1);
	assert_int_equal(rnv_store_confirm(&store, ALPHA, 2), RNV_ESTATE);
	assert_int_equal(rnv_store_boot(&store, ALPHA), 1);
	state_is(0, RNV_TRIAL_TRYING, 1, 1);
	assert_int_equal(info_of(ALPHA).floor, 1);
	assert_int_equal(rnv_store_confirm(&store, ALPHA, 2), RNV_OK);
	state_is(1, RNV_TRIAL_NONE, 0, 1);
	assert_int_equal(info_of(ALPHA).floor, 2);
	assert_int_equal(rnv_store_confirm(&store, ALPHA, 2), RNV_ESTATE);
	assert_int_equal(rnv_store_boot(&store, ALPHA), 1);
}

/* It is counted before it is tried, so also boots that end in a reset count. */
static void test_a_trial_reverts_after_its_boots(void **state)
{
	(void)state;
	for (uint32_t boots = 1; boots <= 15; boots += 7) {
		begin_test(NULL);
		config.trial_boots = boots;
		reset();
		prepare(1);
		for (uint32_t i = 1; i <= boots; i++) {
			reset();
			assert_int_equal(rnv_store_boot(&store, ALPHA), 1);
			state_is(0, RNV_TRIAL_TRYING, i, i == boots ? 0 : 1);
		}
		assert_int_equal(rnv_store_boot(&store, ALPHA), 0);
		state_is(0, RNV_TRIAL_NONE, 0, 0);
		assert_int_equal(info_of(ALPHA).slot[1], RNV_SLOT_REJECTED);
		assert_int_equal(info_of(ALPHA).floor, 1);
		assert_int_equal(rnv_store_boot(&store, ALPHA), 0);
	}
}

/* A flash that takes nothing: nothing is tried that was not counted. */
static void test_a_trial_that_cannot_be_counted(void **state)
{
	(void)state;
	prepare(1);
	break_programs(SKIP, 0, 1000);
	assert_int_equal(rnv_store_boot(&store, ALPHA), RNV_EIO);
	refuse_at = 1;
	assert_int_equal(rnv_store_boot(&store, ALPHA), RNV_EAGAIN);
	break_programs(SKIP, 0, 0);
	state_is(0, RNV_TRIAL_PENDING, 0, 1);
	assert_int_equal(rnv_store_boot(&store, ALPHA), 1);
}

static void test_a_trial_that_is_reverted(void **state)
{
	(void)state;
	for (uint32_t boots = 0; boots < 3; boots++) {
		begin_test(NULL);
		prepare(0);
		assert_int_equal(rnv_store_revert(&store, ALPHA), RNV_ESTATE);
		activate(ALPHA, 1, 0);
		for (uint32_t i = 0; i < boots; i++) {
			assert_int_equal(rnv_store_boot(&store, ALPHA), 1);
		}
		assert_int_equal(rnv_store_revert(&store, ALPHA), RNV_OK);
		state_is(0, RNV_TRIAL_NONE, 0, 0);
		assert_int_equal(info_of(ALPHA).slot[1], RNV_SLOT_REJECTED);
		assert_int_equal(rnv_store_revert(&store, ALPHA), RNV_ESTATE);
	}
}

/* On trial again, but not for good; and a trial begins anew. */
static void test_a_rejected_slot(void **state)
{
	struct rnv_store_verify verified;

	(void)state;
	prepare(1);
	assert_int_equal(rnv_store_revert(&store, ALPHA), RNV_OK);
	assert_int_equal(verify(ALPHA, 1, &verified), RNV_OK);
	assert_int_equal(rnv_store_activate(&store, &verified, 1), RNV_ESTATE);
	state_is(0, RNV_TRIAL_NONE, 0, 0);
	activate(ALPHA, 1, 0);
	assert_int_equal(info_of(ALPHA).slot[1], RNV_SLOT_GOOD);
	assert_int_equal(rnv_store_boot(&store, ALPHA), 1);
	assert_int_equal(rnv_store_boot(&store, ALPHA), 1);
	state_is(0, RNV_TRIAL_TRYING, 2, 1);
	activate(ALPHA, 1, 0);
	state_is(0, RNV_TRIAL_PENDING, 0, 1);
	activate(ALPHA, 1, 1); /* for good, in its trial */
	state_is(1, RNV_TRIAL_NONE, 0, 1);
	assert_int_equal(info_of(ALPHA).floor, 2);
}

static void test_what_cannot_be_activated(void **state)
{
	struct rnv_store_verify verified;

	(void)state;
	fill(ALPHA, &first, 500);
	assert_int_equal(verify(ALPHA, 0, &verified), RNV_OK);
	assert_int_equal(rnv_store_activate(&store, &verified, 0), RNV_ESTATE); /* not good */
	assert_int_equal(rnv_store_set_good(&store, &verified), RNV_OK);
	assert_int_equal(rnv_store_activate(&store, &verified, 1), RNV_OK);
	assert_int_equal(rnv_store_activate(&store, &verified, 1), RNV_ESTATE); /* confirmed */
	assert_int_equal(rnv_store_activate(&store, &verified, 0), RNV_ESTATE);
	bring(ALPHA, &second);
	assert_int_equal(verify(ALPHA, 1, &verified), RNV_OK);
	assert_int_equal(rnv_store_mark_bad(&store, ALPHA, 1), RNV_OK);
	assert_int_equal(rnv_store_activate(&store, &verified, 0), RNV_ESTATE);
	assert_int_equal(rnv_store_activate(&store, &verified, 1), RNV_ESTATE);
	state_is(0, RNV_TRIAL_NONE, 0, 0);
}

static void test_nothing_is_filled_or_erased_in_a_trial(void **state)
{
	uint32_t offset;

	(void)state;
	prepare(1);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(rnv_store_fill_begin(&store, ALPHA, package, 100, &offset),
				 RNV_ESTATE);
		assert_int_equal(rnv_store_erase(&store, ALPHA, 0), RNV_ESTATE);
		assert_int_equal(rnv_store_erase(&store, ALPHA, 1), RNV_ESTATE);
		assert_int_equal(rnv_store_boot(&store, ALPHA), 1);
	}
	assert_int_equal(rnv_store_revert(&store, ALPHA), RNV_OK);
	assert_int_equal(rnv_store_fill_begin(&store, ALPHA, package, 100, &offset), RNV_OK);
}

/* The first package ever, on trial, fails: none, and it still takes updates. */
static void test_a_first_trial_that_fails(void **state)
{
	(void)state;
	bring(ALPHA, &first);
	activate(ALPHA, 0, 0);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(rnv_store_boot(&store, ALPHA), 0);
	}
	assert_int_equal(info_of(ALPHA).next, NONE);
	assert_int_equal(rnv_store_boot(&store, ALPHA), RNV_ENOENT);
	assert_int_equal(info_of(ALPHA).slot[0], RNV_SLOT_REJECTED);
	state_is(NONE, RNV_TRIAL_NONE, 0, NONE);
	assert_int_equal(install(ALPHA, &second), 1); /* filled less */
	assert_int_equal(rnv_store_boot(&store, ALPHA), 1);
}

static void test_the_confirmed_one_rots(void **state)
{
	struct rnv_store_verify verified;

	(void)state;
	assert_int_equal(install(ALPHA, &first), 0);
	assert_int_equal(install(ALPHA, &third), 1);
	assert_int_equal(rnv_store_mark_bad(&store, ALPHA, 0), RNV_OK);
	assert_int_equal(rnv_store_mark_bad(&store, ALPHA, 0), RNV_ESTATE);
	bring(ALPHA, &second);
	state_is(1, RNV_TRIAL_NONE, 0, 1);
	cells[slot_at(ALPHA, 1) + 500] ^= 1;
	assert_int_equal(verify(ALPHA, 1, &verified), RNV_EBADMSG);
	assert_int_equal(rnv_store_mark_bad(&store, ALPHA, 1), RNV_OK);
	state_is(1, RNV_TRIAL_NONE, 0, 0);
	assert_int_equal(rnv_store_boot(&store, ALPHA), 0);
	assert_int_equal(rnv_store_erase(&store, ALPHA, 0), RNV_ESTATE); /* what stands in */
	assert_int_equal(rnv_store_erase(&store, ALPHA, 1), RNV_ESTATE);
	/* The bad one is filled; what stood in for it is then the confirmed one. */
	assert_int_equal(bring(ALPHA, &(struct package){"alpha", 480, 3, 1, 8}), 1);
	state_is(0, RNV_TRIAL_NONE, 0, 0);
	assert_int_equal(rnv_store_boot(&store, ALPHA), 0);
	activate(ALPHA, 1, 1);
	state_is(1, RNV_TRIAL_NONE, 0, 1);
}

static void test_both_are_bad(void **state)
{
	(void)state;
	prepare(0);
	assert_int_equal(rnv_store_mark_bad(&store, ALPHA, 0), RNV_OK);
	assert_int_equal(rnv_store_mark_bad(&store, ALPHA, 1), RNV_OK);
	state_is(0, RNV_TRIAL_NONE, 0, NONE);
	assert_int_equal(rnv_store_boot(&store, ALPHA), RNV_ENOENT);
	assert_int_equal(info_of(ALPHA).fills[0], 1);
	assert_int_equal(info_of(ALPHA).fills[1], 1);
	assert_int_equal(bring(ALPHA, &second), 0);
	state_is(NONE, RNV_TRIAL_NONE, 0, NONE);
	activate(ALPHA, 0, 1);
	state_is(0, RNV_TRIAL_NONE, 0, 0);
}

static void test_a_bad_one_on_trial(void **state)
{
	(void)state;
	prepare(1);
	assert_int_equal(rnv_store_boot(&store, ALPHA), 1);
	assert_int_equal(rnv_store_mark_bad(&store, ALPHA, 1), RNV_OK);
	assert_int_equal(info_of(ALPHA).slot[1], RNV_SLOT_BAD);
	state_is(0, RNV_TRIAL_NONE, 0, 0);
	/* And the confirmed one while the other one is on trial. */
	bring(ALPHA, &second);
	activate(ALPHA, 1, 0);
	assert_int_equal(rnv_store_mark_bad(&store, ALPHA, 0), RNV_OK);
	state_is(0, RNV_TRIAL_PENDING, 0, 1);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(rnv_store_boot(&store, ALPHA), 1);
	}
	state_is(0, RNV_TRIAL_TRYING, 3, NONE);
	assert_int_equal(rnv_store_boot(&store, ALPHA), RNV_ENOENT);
	state_is(0, RNV_TRIAL_NONE, 0, NONE);
}

/* Downgrades are refused on every path, once a version is confirmed; going back until then is not.
 */
static void test_the_floor_rises_at_confirm(void **state)
{
	struct rnv_store_verify old;
	struct rnv_store_verify verified;

	(void)state;
	prepare(1);
	assert_int_equal(rnv_store_boot(&store, ALPHA), 1);
	assert_int_equal(rnv_store_revert(&store, ALPHA), RNV_OK);
	assert_int_equal(info_of(ALPHA).floor, 1);
	assert_int_equal(verify(ALPHA, 0, &old), RNV_OK);
	activate(ALPHA, 1, 0);
	assert_int_equal(rnv_store_boot(&store, ALPHA), 1);
	assert_int_equal(verify(ALPHA, 0, &old), RNV_OK);
	assert_int_equal(rnv_store_confirm(&store, ALPHA, 2), RNV_OK);
	/* Verified before, and older now. */
	assert_int_equal(rnv_store_activate(&store, &old, 1), RNV_ESTATE);
	assert_int_equal(rnv_store_activate(&store, &old, 0), RNV_ESTATE);
	assert_int_equal(verify(ALPHA, 0, &verified), RNV_EACCES);
	assert_int_equal(verified.why, RNV_WHY_OLDER);
	reset();
	assert_int_equal(verify(ALPHA, 0, &verified), RNV_EACCES);
	/* A lower version that is confirmed does not lower it. */
	assert_int_equal(install(ALPHA, &third), 0);
	activate(ALPHA, 1, 0);
	assert_int_equal(rnv_store_boot(&store, ALPHA), 1);
	assert_int_equal(rnv_store_confirm(&store, ALPHA, 1), RNV_OK);
	assert_int_equal(info_of(ALPHA).floor, 2);
	assert_int_equal(info_of(BETA).floor, 0);
}

static void test_the_version_cannot_be_read(void **state)
{
	struct rnv_store_verify verified;

	(void)state;
	bring(ALPHA, &first);
	assert_int_equal(verify(ALPHA, 0, &verified), RNV_OK);
	break_reads(0, READ_BAD, slot_at(ALPHA, 0) + 16, 16);
	assert_int_equal(rnv_store_activate(&store, &verified, 1), RNV_EIO);
	state_is(NONE, RNV_TRIAL_NONE, 0, NONE);
}

static void test_models_do_not_touch_each_other(void **state)
{
	(void)state;
	prepare(1);
	assert_int_equal(install(BETA, &other), 0);
	assert_int_equal(rnv_store_boot(&store, ALPHA), 1);
	assert_int_equal(rnv_store_boot(&store, BETA), 0);
	assert_int_equal(rnv_store_mark_bad(&store, BETA, 0), RNV_OK);
	state_is(0, RNV_TRIAL_TRYING, 1, 1);
	assert_int_equal(info_of(BETA).floor, 5);
	assert_int_equal(info_of(BETA).slot[0], RNV_SLOT_BAD);
	assert_int_equal(rnv_store_confirm(&store, BETA, 9), RNV_ESTATE);
	assert_int_equal(rnv_store_revert(&store, BETA), RNV_ESTATE);
}

static void test_revoke(void **state)
{
	(void)state;
	assert_int_equal(rnv_store_revoke(&store, 0), RNV_EINVAL);
	assert_int_equal(rnv_store_revoke(&store, 0x3333), RNV_ENOENT); /* not compiled in */
	assert_int_equal(stats().revoked_count, 0);
	assert_int_equal(rnv_store_revoke(&store, 0x1111), RNV_OK);
	programs = 0;
	assert_int_equal(rnv_store_revoke(&store, 0x1111), RNV_OK);
	assert_int_equal(programs, 0);
	assert_int_equal(rnv_store_revoke(&store, 0x2222), RNV_EACCES);
	more_keys();
	for (uint32_t i = 2; i < 9; i++) {
		assert_int_equal(rnv_store_revoke(&store, keys[i].id), RNV_OK);
	}
	assert_int_equal(rnv_store_revoke(&store, keys[9].id), RNV_ENOSPC);
	assert_int_equal(rnv_store_revoke(&store, keys[8].id), RNV_OK);
	config.key_count = 2;
	reset();
	assert_int_equal(rnv_store_revoke(&store, keys[8].id), RNV_OK); /* no more compiled in */
	assert_int_equal(stats().revoked_count, 8);
	assert_int_equal(stats().revoked[0], 0x1111);
	assert_int_equal(stats().revoked[7], keys[8].id);
	assert_int_equal(rnv_store_revoke(&store, 0x2222), RNV_EACCES);
	assert_int_equal(rnv_store_erase(&store, BETA, 0), RNV_EAGAIN); /* a new header has them */
	reset();
	assert_int_equal(stats().revoked[7], keys[8].id);
}

/* A key that is revoked between verification and decision: nothing is decided, no floor rises. */
static void test_revoked_before_it_is_decided(void **state)
{
	struct rnv_store_verify verified;

	(void)state;
	assert_int_equal(install(ALPHA, &first), 0);
	assert_int_equal(bring(ALPHA, &third), 1); /* of the other key */
	assert_int_equal(verify(ALPHA, 1, &verified), RNV_OK);
	assert_int_equal(rnv_store_revoke(&store, 0x2222), RNV_OK);
	programs = erases = 0;
	assert_int_equal(rnv_store_activate(&store, &verified, 1), RNV_EACCES);
	assert_int_equal(rnv_store_activate(&store, &verified, 0), RNV_EACCES);
	assert_int_equal(programs + erases, 0);
	state_is(0, RNV_TRIAL_NONE, 0, 0);
	assert_int_equal(info_of(ALPHA).floor, 1);
}

static void test_revoked_in_its_trial(void **state)
{
	(void)state;
	assert_int_equal(install(ALPHA, &first), 0);
	assert_int_equal(bring(ALPHA, &third), 1);
	activate(ALPHA, 1, 0);
	assert_int_equal(rnv_store_boot(&store, ALPHA), 1);
	assert_int_equal(rnv_store_revoke(&store, 0x2222), RNV_OK);
	programs = erases = 0;
	assert_int_equal(rnv_store_confirm(&store, ALPHA, 2), RNV_EACCES);
	assert_int_equal(programs + erases, 0);
	state_is(0, RNV_TRIAL_TRYING, 1, 1);
	assert_int_equal(info_of(ALPHA).floor, 1);
	assert_int_equal(rnv_store_revert(&store, ALPHA), RNV_OK);
	state_is(0, RNV_TRIAL_NONE, 0, 0);
}

/* What cannot be asked for its key is not confirmed, but nothing is held against it. */
static void test_the_key_cannot_be_read(void **state)
{
	(void)state;
	prepare(1);
	assert_int_equal(rnv_store_boot(&store, ALPHA), 1);
	break_reads(0, READ_BAD, slot_at(ALPHA, 1) + second.bytes - 80, 16);
	assert_int_equal(rnv_store_confirm(&store, ALPHA, 2), RNV_EIO);
	cells[slot_at(ALPHA, 1) + 8] ^= 0xFF; /* a length of nonsense */
	cells[slot_at(ALPHA, 1) + 11] ^= 0xFF;
	assert_int_equal(rnv_store_confirm(&store, ALPHA, 2), RNV_EIO);
	state_is(0, RNV_TRIAL_TRYING, 1, 1);
}

/* Of both slots, before and after a reset. */
static void proven_is(uint32_t bits)
{
	assert_int_equal(info_of(ALPHA).proven, bits);
	reset();
	assert_int_equal(info_of(ALPHA).proven, bits);
}

/* A package is proven from when it is confirmed until its slot is filled or erased. */
static void test_what_was_confirmed_once(void **state)
{
	uint32_t offset;

	(void)state;
	assert_int_equal(bring(ALPHA, &first), 0);
	proven_is(0);
	activate(ALPHA, 0, 1);
	proven_is(1);
	bring(ALPHA, &second);
	proven_is(1);
	activate(ALPHA, 1, 0);
	assert_int_equal(rnv_store_boot(&store, ALPHA), 1);
	proven_is(1);
	assert_int_equal(rnv_store_confirm(&store, ALPHA, 1), RNV_OK);
	proven_is(3);
	activate(ALPHA, 0, 0);
	assert_int_equal(rnv_store_boot(&store, ALPHA), 0);
	assert_int_equal(rnv_store_revert(&store, ALPHA), RNV_OK); /* it has run well before */
	proven_is(3);
	assert_int_equal(rnv_store_fill_begin(&store, ALPHA, package, 100, &offset), RNV_OK);
	assert_int_equal(info_of(ALPHA).slot[0], RNV_SLOT_FILLING);
	proven_is(2);
	bring(ALPHA, &second);
	proven_is(2);
	activate(ALPHA, 0, 1);
	proven_is(3);
	assert_int_equal(rnv_store_erase(&store, ALPHA, 1), RNV_EAGAIN);
	proven_is(1);
	/* What stands in for a bad one becomes the confirmed one when that is filled. */
	bring(ALPHA, &second);
	assert_int_equal(rnv_store_mark_bad(&store, ALPHA, 0), RNV_OK);
	proven_is(1);
	bring(ALPHA, &second);
	proven_is(2);
	assert_int_equal(info_of(ALPHA).confirmed, 1);
}

/* What may not be loaded is not bad: until the next mount the other one is chosen. */
static void test_passed_over(void **state)
{
	(void)state;
	prepare(0);
	programs = erases = 0;
	assert_int_equal(rnv_store_pass_over(&store, MODELS, 0), RNV_ENOENT);
	assert_int_equal(rnv_store_pass_over(&store, ALPHA, 2), RNV_ENOENT);
	assert_int_equal(rnv_store_pass_over(&store, BETA, 0), RNV_ESTATE);
	assert_int_equal(rnv_store_pass_over(&store, ALPHA, 0), RNV_OK);
	assert_int_equal(rnv_store_boot(&store, ALPHA), 1);
	assert_int_equal(info_of(ALPHA).next, 1);
	assert_int_equal(info_of(ALPHA).slot[0], RNV_SLOT_GOOD);
	assert_int_equal(rnv_store_erase(&store, ALPHA, 0), RNV_ESTATE);
	assert_int_equal(rnv_store_erase(&store, ALPHA, 1), RNV_ESTATE);
	assert_int_equal(rnv_store_pass_over(&store, ALPHA, 1), RNV_OK);
	assert_int_equal(rnv_store_boot(&store, ALPHA), RNV_ENOENT);
	assert_int_equal(programs + erases, 0);
	reset();
	state_is(0, RNV_TRIAL_NONE, 0, 0);
	assert_int_equal(rnv_store_boot(&store, ALPHA), 0);
	activate(ALPHA, 1, 0);
	assert_int_equal(rnv_store_pass_over(&store, ALPHA, 1), RNV_ESTATE);
	assert_int_equal(rnv_store_pass_over(&store, ALPHA, 0), RNV_OK);
	assert_int_equal(rnv_store_boot(&store, ALPHA), 1);
}

/* What is passed over gives way to an update, but the confirmed one only to what stands in for it.
 */
static void test_an_update_of_what_is_passed_over(void **state)
{
	(void)state;
	prepare(0);
	assert_int_equal(rnv_store_pass_over(&store, ALPHA, 0), RNV_OK);
	assert_int_equal(bring(ALPHA, &second), 0);
	state_is(1, RNV_TRIAL_NONE, 0, 1);
	assert_int_equal(info_of(ALPHA).proven, 2);
	begin_test(NULL);
	prepare(0);
	assert_int_equal(rnv_store_pass_over(&store, ALPHA, 0), RNV_OK);
	assert_int_equal(rnv_store_pass_over(&store, ALPHA, 1), RNV_OK);
	assert_int_equal(bring(ALPHA, &third), 1);
	assert_int_equal(info_of(ALPHA).confirmed, 0);
	assert_int_equal(rnv_store_boot(&store, ALPHA), 1); /* filled since: no more passed over */
	activate(ALPHA, 1, 1);
	state_is(1, RNV_TRIAL_NONE, 0, 1);
}

#define TEST(name) cmocka_unit_test_setup(name, begin_test)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_good_slot_is_not_active),
		TEST(test_a_boot_without_a_trial_writes_nothing),
		TEST(test_a_trial_that_is_confirmed),
		TEST(test_a_trial_reverts_after_its_boots),
		TEST(test_a_trial_that_cannot_be_counted),
		TEST(test_a_trial_that_is_reverted),
		TEST(test_a_rejected_slot),
		TEST(test_what_cannot_be_activated),
		TEST(test_nothing_is_filled_or_erased_in_a_trial),
		TEST(test_a_first_trial_that_fails),
		TEST(test_the_confirmed_one_rots),
		TEST(test_both_are_bad),
		TEST(test_a_bad_one_on_trial),
		TEST(test_the_floor_rises_at_confirm),
		TEST(test_the_version_cannot_be_read),
		TEST(test_models_do_not_touch_each_other),
		TEST(test_revoke),
		TEST(test_revoked_before_it_is_decided),
		TEST(test_revoked_in_its_trial),
		TEST(test_the_key_cannot_be_read),
		TEST(test_what_was_confirmed_once),
		TEST(test_passed_over),
		TEST(test_an_update_of_what_is_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
