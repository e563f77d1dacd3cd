/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Filling slots: every geometry, resuming, what fails. Erasing slots. */

#include "store_fixture.h"

static void is_in_flash(uint32_t model, uint32_t slot, const struct package *made)
{
	uint32_t unit = flash.geometry.unit_bytes;
	uint32_t end = (made->bytes + unit - 1) / unit * unit;
	const uint8_t *at = cells + slot_at(model, slot);

	make(made);
	assert_memory_equal(at, package, made->bytes);
	for (uint32_t i = made->bytes; i < end; i++) {
		assert_int_equal(at[i], flash.geometry.erased);
	}
}

/* The whole life of two models, in pieces that fit no unit. */
static void test_every_geometry(void **state)
{
	static const uint32_t units[] = {1, 4, 8, 16, 32, 128};
	static const uint32_t pieces[] = {1, 13, 16, 100, 384, 4096};

	(void)state;
	for (uint32_t i = 0; i < 6 * 3 * 2; i++) {
		begin_with(units[i % 6], 4096u << (i / 6 % 3), i < 18 ? 0xFF : 0x00);
		make(&first);
		fill(ALPHA, &first, pieces[(i + i / 6) % 6]);
		is_in_flash(ALPHA, 0, &first);
		assert_int_equal(install(BETA, &other), 0);
		is_in_flash(BETA, 0, &other);
		fill(ALPHA, &second, pieces[i % 6]);
		is_in_flash(ALPHA, 1, &second);
		reset();
		assert_int_equal(rnv_store_boot(&store, BETA), 0);
		assert_int_equal(install(ALPHA, &second), 1);
		reset();
		assert_int_equal(rnv_store_boot(&store, ALPHA), 1);
		assert_int_equal(rnv_store_boot(&store, BETA), 0);
		assert_int_equal(stats().bad_entries + stats().marginal, 0);
		assert_int_equal(begins, ends);
	}
}

/* Nothing is erased before the entry, and each sector right before it is written. */
static void test_a_sector_is_erased_when_its_first_byte_comes(void **state)
{
	uint32_t offset;
	uint32_t taken;

	(void)state;
	make(&second);
	assert_int_equal(rnv_store_fill_begin(&store, ALPHA, package, second.bytes, &offset),
			 RNV_OK);
	assert_int_equal(offset, 0);
	assert_int_equal(erases, 1); /* of the registry */
	assert_int_equal(sector_erases[0], 1);
	assert_int_equal(rnv_store_fill_write(&store, package, 5000, &taken), RNV_OK);
	assert_int_equal(taken, 0);
	assert_int_equal(sector_erases[2], 1);
	assert_int_equal(rnv_store_fill_write(&store, package, 5000, &taken), RNV_OK);
	assert_int_equal(taken, 4096);
	assert_int_equal(info_of(ALPHA).written, 4096);
	assert_int_equal(rnv_store_fill_write(&store, package, 0, &taken), RNV_OK);
	assert_int_equal(taken, 0);
	assert_int_equal(sector_erases[3], 0);
	assert_int_equal(rnv_store_fill_write(&store, package + 4096, 1, &taken), RNV_OK);
	assert_int_equal(taken, 0);
	assert_int_equal(sector_erases[3], 1);
	assert_int_equal(sector_erases[4], 0);
	assert_int_equal(erases, 3);
}

static void test_what_is_too_long(void **state)
{
	uint32_t offset = 7;
	uint32_t taken;

	(void)state;
	assert_int_equal(rnv_store_fill_begin(&store, ALPHA, package, 3 * 4096 + 1, &offset),
			 RNV_ENOSPC);
	assert_int_equal(offset, 7);
	assert_int_equal(programs + erases, 0);
	assert_int_equal(rnv_store_fill_begin(&store, ALPHA, package, 3 * 4096, &offset), RNV_OK);
	assert_int_equal(rnv_store_fill_write(&store, package, 3 * 4096 + 1, &taken), RNV_ENOSPC);
	assert_int_equal(taken, 0);
	assert_int_equal(write_range(0, 3 * 4096, 4096), RNV_OK);
	assert_int_equal(rnv_store_fill_write(&store, package, 1, &taken), RNV_ENOSPC);
	assert_int_equal(rnv_store_fill_end(&store), RNV_OK);
	assert_int_equal(info_of(ALPHA).written, 3 * 4096);
}

static void test_without_a_fill(void **state)
{
	uint32_t taken = 7;

	(void)state;
	assert_int_equal(rnv_store_fill_write(&store, package, 1, &taken), RNV_ESTATE);
	assert_int_equal(taken, 0);
	assert_int_equal(rnv_store_fill_end(&store), RNV_ESTATE);
	fill(ALPHA, &first, 500);
	assert_int_equal(rnv_store_fill_write(&store, package, 1, &taken), RNV_ESTATE);
	assert_int_equal(rnv_store_fill_end(&store), RNV_ESTATE);
}

/* The first bytes of a fill; `hash` names it. */
static void interrupt_second(uint32_t cut, uint8_t *hash)
{
	uint32_t offset;

	make(&second);
	hash_of(second.seed, hash);
	assert_int_equal(rnv_store_fill_begin(&store, ALPHA, hash, second.bytes, &offset), RNV_OK);
	assert_int_equal(write_range(0, cut, 333), RNV_OK);
}

/* At every length: goes on at the last whole sector, also twice, whatever that sector holds. */
static void test_a_fill_goes_on_after_a_reset(void **state)
{
	static const uint32_t cuts[] = {0, 1, 16, 4095, 4096, 4097, 8191, 8192, 9000, 9120};
	uint8_t hash[8];

	(void)state;
	for (uint32_t i = 0; i < 10; i++) {
		struct rnv_store_verify verified;
		uint32_t offset;

		begin_test(NULL);
		interrupt_second(cuts[i], hash);
		reset();
		assert_int_equal(info_of(ALPHA).written, cuts[i] / 4096 * 4096);
		assert_memory_equal(info_of(ALPHA).hash, hash, 8);
		for (uint32_t times = 0; times < 2; times++) { /* begun again without a reset */
			uint32_t programs_before = programs;
			uint32_t erases_before = erases;

			assert_int_equal(
				rnv_store_fill_begin(&store, ALPHA, hash, second.bytes, &offset),
				RNV_OK);
			assert_int_equal(offset, cuts[i] / 4096 * 4096);
			/* After the reset the registry is begun anew, before the slot is erased. */
			assert_int_equal(erases - erases_before, times == 0 ? 1 : 0);
			assert_true((programs > programs_before) == (times == 0));
			assert_int_equal(write_range(offset, offset + 20, 20), RNV_OK);
		}
		rnv_store_fill_leave(&store);
		assert_int_equal(rnv_store_fill_begin(&store, ALPHA, hash, second.bytes, &offset),
				 RNV_OK);
		assert_int_equal(write_range(offset, second.bytes, 1000), RNV_OK);
		assert_int_equal(rnv_store_fill_end(&store), RNV_OK);
		assert_int_equal(info_of(ALPHA).fills[0], 1);
		is_in_flash(ALPHA, 0, &second);
		assert_int_equal(verify(ALPHA, 0, &verified), RNV_OK);
		reset();
		assert_int_equal(info_of(ALPHA).written, 8192);
	}
}

/* A record that was cut looks erased at the mount, and can be read later. */
static void test_a_record_that_comes_up_late(void **state)
{
	uint8_t hash[8];
	uint8_t late[16];
	uint32_t offset;
	uint32_t at;
	uint32_t before;

	(void)state;
	interrupt_second(8192, hash);
	assert_int_equal(info_of(ALPHA).written, 8192);
	at = store.sector * 4096u + store.header_bytes + (store.entries - 1u) * store.entry_bytes;
	before = sector_erases[at / 4096];
	memcpy(late, cells + at, sizeof(late));
	memset(cells + at, 0xFF, sizeof(late));
	reset();
	assert_int_equal(info_of(ALPHA).written, 4096);
	assert_int_equal(rnv_store_fill_begin(&store, ALPHA, hash, second.bytes, &offset), RNV_OK);
	assert_int_equal(write_range(offset, offset + 20, 20), RNV_OK);
	if (sector_erases[at / 4096] == before) {
		memcpy(cells + at, late, sizeof(late));
	}
	reset();
	assert_int_equal(info_of(ALPHA).written, 4096);
}

/* What goes on is refused, or the registry fails: the slot is untouched, and it can be repeated. */
static void test_a_fill_that_cannot_go_on_yet(void **state)
{
	uint8_t hash[8];
	uint32_t offset = 99;
	uint32_t before;
	uint32_t taken;

	(void)state;
	interrupt_second(5000, hash);
	reset();
	before = programs + erases;
	refuse_at = 1;
	assert_int_equal(rnv_store_fill_begin(&store, ALPHA, hash, second.bytes, &offset),
			 RNV_EAGAIN);
	assert_int_equal(programs + erases, before);
	before = sector_erases[3];
	break_programs(FAIL, 0, 2);
	assert_int_equal(rnv_store_fill_begin(&store, ALPHA, hash, second.bytes, &offset), RNV_EIO);
	assert_int_equal(offset, 99);
	assert_int_equal(rnv_store_fill_write(&store, package, 1, &taken), RNV_ESTATE);
	assert_int_equal(sector_erases[3], before);
	assert_int_equal(info_of(ALPHA).written, 4096);
	assert_int_equal(rnv_store_fill_begin(&store, ALPHA, hash, second.bytes, &offset), RNV_OK);
	assert_int_equal(offset, 4096);
}

static void test_another_file_starts_anew(void **state)
{
	uint8_t hash[8] = {1};
	uint32_t offset;

	(void)state;
	make(&second);
	assert_int_equal(rnv_store_fill_begin(&store, ALPHA, hash, second.bytes, &offset), RNV_OK);
	assert_int_equal(write_range(0, 5000, 5000), RNV_OK);
	assert_int_equal(info_of(ALPHA).written, 4096);
	/* Shorter than what is said to be there already: it cannot be the same. */
	assert_int_equal(rnv_store_fill_begin(&store, ALPHA, hash, 4000, &offset), RNV_OK);
	assert_int_equal(offset, 0);
	assert_int_equal(info_of(ALPHA).written, 0);
	assert_int_equal(info_of(ALPHA).fills[0], 2);
	hash[0] = 2;
	assert_int_equal(rnv_store_fill_begin(&store, ALPHA, hash, 4000, &offset), RNV_OK);
	assert_int_equal(offset, 0);
	/* With nothing to run the slot that was filled less is taken, and the other one given up.
	 */
	assert_int_equal(info_of(ALPHA).fills[0], 2);
	assert_int_equal(info_of(ALPHA).fills[1], 1);
	assert_int_equal(info_of(ALPHA).slot[0], RNV_SLOT_EMPTY);
	assert_int_equal(info_of(ALPHA).slot[1], RNV_SLOT_FILLING);
	reset();
	assert_memory_equal(info_of(ALPHA).hash, hash, 8);
	assert_int_equal(info_of(ALPHA).slot[1], RNV_SLOT_FILLING);
}

static void test_another_model_meanwhile(void **state)
{
	uint8_t hash[8];
	uint32_t offset;

	(void)state;
	interrupt_second(4500, hash);
	assert_int_equal(install(BETA, &other), 0);
	make(&second);
	assert_int_equal(rnv_store_fill_begin(&store, ALPHA, hash, second.bytes, &offset), RNV_OK);
	assert_int_equal(offset, 4096);
	assert_int_equal(write_range(offset, second.bytes, 5000), RNV_OK);
	assert_int_equal(rnv_store_fill_end(&store), RNV_OK);
	is_in_flash(ALPHA, 0, &second);
	is_in_flash(BETA, 0, &other);
}

static void test_the_slot_in_use_is_not_filled(void **state)
{
	uint8_t hash[8];
	uint32_t offset;

	(void)state;
	assert_int_equal(install(ALPHA, &first), 0);
	for (uint32_t i = 0; i < 3; i++) {
		hash_of(100 + i, hash);
		assert_int_equal(rnv_store_fill_begin(&store, ALPHA, hash, 100, &offset), RNV_OK);
		assert_int_equal(info_of(ALPHA).slot[0], RNV_SLOT_GOOD);
		assert_int_equal(info_of(ALPHA).slot[1], RNV_SLOT_FILLING);
		assert_int_equal(info_of(ALPHA).confirmed, 0);
		assert_int_equal(info_of(ALPHA).fills[1], i + 1);
		reset();
		assert_int_equal(rnv_store_boot(&store, ALPHA), 0);
	}
}

/* Where none is in use: rather one that nobody holds than the one with fewer fills. */
static void test_a_held_slot_is_not_filled_if_another_can_be(void **state)
{
	struct rnv_store_verify verified;
	struct rnv_store_view view;

	(void)state;
	for (uint32_t held = 0; held < 2; held++) {
		begin_test(NULL);
		if (held == 1) {
			assert_int_equal(bring(ALPHA, &first), 0);
		}
		assert_int_equal(bring(ALPHA, &second), held);
		if (held == 0) { /* both with one fill: slot 0 would be next */
			assert_int_equal(rnv_store_erase(&store, ALPHA, 1), RNV_EAGAIN);
		} else {
			assert_int_equal(rnv_store_erase(&store, ALPHA, 0), RNV_EAGAIN);
		}
		activate(ALPHA, held, 0);
		assert_int_equal(rnv_store_boot(&store, ALPHA), held);
		assert_int_equal(verify(ALPHA, held, &verified), RNV_OK);
		assert_int_equal(rnv_store_view_open(&store, &verified, &view), RNV_OK);
		assert_int_equal(rnv_store_revert(&store, ALPHA), RNV_OK);
		assert_int_equal(bring(ALPHA, &first), 1 - held);
		rnv_store_view_close(&store, &view);
	}
}

/* The good mark is gone before the first erase of the slot. */
static void test_the_good_mark_goes_first(void **state)
{
	uint8_t hash[8] = {9};
	uint32_t offset;

	(void)state;
	install(ALPHA, &first);
	assert_int_equal(bring(ALPHA, &second), 1);
	reset();
	memset(sector_erases, 0, sizeof(sector_erases));
	assert_int_equal(rnv_store_fill_begin(&store, ALPHA, hash, 100, &offset), RNV_OK);
	assert_int_equal(sector_erases[5] + sector_erases[6] + sector_erases[7], 0);
	is_in_flash(ALPHA, 1, &second);
	reset();
	assert_int_equal(info_of(ALPHA).slot[1], RNV_SLOT_FILLING);
}

static void test_a_slot_that_does_not_take_it(void **state)
{
	static const enum fault_kind kinds[] = {FAIL, SKIP, FLIP};
	uint32_t offset;
	uint32_t taken;

	(void)state;
	for (uint32_t i = 0; i < 6; i++) {
		begin_test(NULL);
		make(&first);
		assert_int_equal(rnv_store_fill_begin(&store, ALPHA, package, 4800, &offset),
				 RNV_OK);
		assert_int_equal(write_range(0, 4792, 100), RNV_OK); /* half a unit is staged */
		break_programs(kinds[i % 3], 0, 1);
		if (i < 3) {
			assert_int_equal(rnv_store_fill_write(&store, package + 4792, 8, &taken),
					 RNV_EIO);
		} else {
			assert_int_equal(rnv_store_fill_end(&store), RNV_EIO);
		}
		assert_int_equal(info_of(ALPHA).slot[0], RNV_SLOT_EMPTY);
		assert_int_equal(rnv_store_fill_end(&store), RNV_ESTATE);
		reset();
		assert_int_equal(info_of(ALPHA).slot[0], RNV_SLOT_EMPTY);
		assert_int_equal(info_of(ALPHA).written, 0);
	}
}

static void test_a_slot_that_cannot_be_erased(void **state)
{
	uint32_t offset;
	uint32_t taken;

	(void)state;
	assert_int_equal(rnv_store_fill_begin(&store, ALPHA, package, 4800, &offset), RNV_OK);
	break_erases(0, 1);
	assert_int_equal(rnv_store_fill_write(&store, package, 8, &taken), RNV_EIO);
	assert_int_equal(taken, 0);
	assert_int_equal(info_of(ALPHA).slot[0], RNV_SLOT_EMPTY);
	assert_int_equal(rnv_store_fill_write(&store, package, 8, &taken), RNV_ESTATE);
}

/* What is written has to be read back, also where the unit turns out to be bad. */
static void test_a_unit_that_cannot_be_read_back(void **state)
{
	uint32_t offset;
	uint32_t taken;

	(void)state;
	assert_int_equal(rnv_store_fill_begin(&store, ALPHA, package, 4800, &offset), RNV_OK);
	assert_int_equal(rnv_store_fill_write(&store, package, 64, &taken), RNV_OK);
	break_reads(0, READ_BAD, slot_at(ALPHA, 0) + 48, 16);
	assert_int_equal(rnv_store_fill_write(&store, package, 64, &taken), RNV_EIO);
	assert_int_equal(info_of(ALPHA).slot[0], RNV_SLOT_EMPTY);
}

/* A refusal at each begin of a whole update: nothing changes, and the call can be repeated. */
static void test_refusals_change_nothing(void **state)
{
	uint32_t refused = 0;

	(void)state;
	make(&second);
	for (uint32_t at = 1; at < 30; at++) {
		struct rnv_store_verify verified;
		uint32_t done = 0;
		uint32_t offset;
		int status;

		begin_test(NULL);
		refuse_at = at;
		refusal = RNV_EBUSY;
		status = rnv_store_fill_begin(&store, ALPHA, package, second.bytes, &offset);
		if (status == RNV_EBUSY) {
			refused++;
			assert_int_equal(info_of(ALPHA).slot[0], RNV_SLOT_EMPTY);
			assert_int_equal(erases + programs, 0);
			status =
				rnv_store_fill_begin(&store, ALPHA, package, second.bytes, &offset);
		}
		assert_int_equal(status, RNV_OK);
		while (done < second.bytes) {
			uint32_t before = erases + programs;
			uint32_t taken;

			status = rnv_store_fill_write(&store, package + done, second.bytes - done,
						      &taken);
			if (status == RNV_EBUSY) {
				refused++;
				assert_int_equal(taken, 0);
				assert_int_equal(erases + programs, before);
			} else {
				assert_int_equal(status, RNV_OK);
			}
			done += taken;
		}
		assert_int_equal(rnv_store_fill_end(&store), RNV_OK);
		is_in_flash(ALPHA, 0, &second);
		assert_int_equal(verify(ALPHA, 0, &verified), RNV_OK);
	}
	/* begin, erase and program of three sectors; two records are just made later */
	assert_int_equal(refused, 1 + 3 + 3);
}

static void test_a_refused_record_is_made_later(void **state)
{
	uint32_t offset;
	uint32_t taken;

	(void)state;
	assert_int_equal(rnv_store_fill_begin(&store, ALPHA, package, 9000, &offset), RNV_OK);
	assert_int_equal(rnv_store_fill_write(&store, package, 4096, &taken), RNV_OK);
	refuse_at = 2;
	assert_int_equal(rnv_store_fill_write(&store, package, 4096, &taken), RNV_OK);
	assert_int_equal(taken, 4096);
	assert_int_equal(info_of(ALPHA).written, 0);
	refuse_at = 1;
	assert_int_equal(rnv_store_fill_write(&store, package, 4096, &taken), RNV_EAGAIN);
	assert_int_equal(taken, 0);
	assert_int_equal(rnv_store_fill_write(&store, package, 4096, &taken), RNV_OK);
	assert_int_equal(info_of(ALPHA).written, 4096);
	reset();
	assert_int_equal(info_of(ALPHA).written, 4096);
}

static void test_a_view_is_not_filled_and_not_erased(void **state)
{
	struct rnv_store_verify verified;
	struct rnv_store_view view;
	uint32_t offset;
	uint32_t taken;

	(void)state;
	install(ALPHA, &first);
	bring(ALPHA, &second);
	assert_int_equal(verify(ALPHA, 1, &verified), RNV_OK);
	assert_int_equal(rnv_store_view_open(&store, &verified, &view), RNV_OK);
	programs = erases = 0;
	assert_int_equal(rnv_store_fill_begin(&store, ALPHA, package, 100, &offset), RNV_EBUSY);
	assert_int_equal(rnv_store_erase(&store, ALPHA, 1), RNV_EBUSY);
	assert_int_equal(rnv_store_mark_bad(&store, ALPHA, 1), RNV_EBUSY);
	assert_int_equal(programs + erases, 0);
	rnv_store_view_close(&store, &view);
	assert_int_equal(rnv_store_fill_begin(&store, ALPHA, package, 100, &offset), RNV_OK);
	assert_int_equal(write_range(0, 100, 100), RNV_OK);
	models[ALPHA].views[1] = 1; /* a view while bytes are staged */
	assert_int_equal(rnv_store_fill_write(&store, package, 1, &taken), RNV_EBUSY);
	assert_int_equal(rnv_store_fill_end(&store), RNV_EBUSY);
	models[ALPHA].views[1] = 0;
	assert_int_equal(rnv_store_fill_end(&store), RNV_OK);
}

static int erase_all(uint32_t model, uint32_t slot, uint32_t *calls)
{
	int status;

	*calls = 0;
	do {
		uint32_t before = erases;

		status = rnv_store_erase(&store, model, slot);
		assert_true(erases - before <= 1);
		(*calls)++;
	} while (status == RNV_EAGAIN);
	return status;
}

static void test_erase(void **state)
{
	uint32_t calls;
	uint32_t taken;
	uint32_t offset;

	(void)state;
	install(ALPHA, &first);
	bring(ALPHA, &second);
	assert_int_equal(rnv_store_erase(&store, ALPHA, 0), RNV_ESTATE);
	assert_int_equal(erase_all(ALPHA, 1, &calls), RNV_OK);
	assert_int_equal(calls, 4); /* the entry, then the sectors */
	for (uint32_t i = 0; i < 3 * 4096; i++) {
		assert_int_equal(cells[slot_at(ALPHA, 1) + i], 0xFF);
	}
	assert_int_equal(info_of(ALPHA).slot[1], RNV_SLOT_EMPTY);
	assert_int_equal(info_of(ALPHA).fills[1], 2);
	assert_int_equal(erase_all(ALPHA, 1, &calls), RNV_OK);
	assert_int_equal(calls, 4);
	/* Its fill is over. */
	assert_int_equal(rnv_store_fill_begin(&store, ALPHA, package, 100, &offset), RNV_OK);
	assert_int_equal(rnv_store_erase(&store, ALPHA, 1), RNV_EAGAIN);
	assert_int_equal(rnv_store_fill_write(&store, package, 1, &taken), RNV_ESTATE);
	/* And an erase by a fill. */
	assert_int_equal(rnv_store_erase(&store, ALPHA, 1), RNV_EAGAIN);
	fill(ALPHA, &second, 500);
	assert_int_equal(rnv_store_erase(&store, ALPHA, 1), RNV_EAGAIN);
	is_in_flash(ALPHA, 1, &second);
	is_in_flash(ALPHA, 0, &first);
	reset();
	assert_int_equal(info_of(ALPHA).slot[1], RNV_SLOT_EMPTY);
	assert_int_equal(info_of(ALPHA).fills[1], 7);
}

static void test_erase_that_fails_or_is_refused(void **state)
{
	uint32_t calls;
	uint32_t offset;

	(void)state;
	refuse_at = 1;
	assert_int_equal(rnv_store_erase(&store, ALPHA, 0), RNV_EAGAIN);
	assert_int_equal(info_of(ALPHA).fills[0], 0);
	assert_int_equal(rnv_store_erase(&store, ALPHA, 0), RNV_EAGAIN);
	assert_int_equal(info_of(ALPHA).fills[0], 1);
	refuse_at = 1; /* a fill that does not begin: the erase goes on where it was */
	assert_int_equal(rnv_store_fill_begin(&store, ALPHA, package, 100, &offset), RNV_EAGAIN);
	refuse_at = 1;
	refusal = RNV_EBUSY;
	assert_int_equal(rnv_store_erase(&store, ALPHA, 0), RNV_EBUSY);
	break_erases(0, 1);
	assert_int_equal(rnv_store_erase(&store, ALPHA, 0), RNV_EIO);
	assert_int_equal(rnv_store_erase(&store, ALPHA, 0), RNV_EAGAIN);
	/* The other slot's, in between: each begins with its entry. */
	assert_int_equal(rnv_store_erase(&store, ALPHA, 1), RNV_EAGAIN);
	assert_int_equal(info_of(ALPHA).fills[1], 1);
	assert_int_equal(erase_all(ALPHA, 1, &calls), RNV_OK);
	assert_int_equal(calls, 3);
	assert_int_equal(sector_erases[2], 2);
	for (uint32_t slot = 0; slot < 2; slot++) { /* also right after the end of the other */
		assert_int_equal(erase_all(ALPHA, slot, &calls), RNV_OK);
		assert_int_equal(calls, 4);
		assert_int_equal(info_of(ALPHA).fills[slot], 2);
	}
}

#define TEST(name) cmocka_unit_test_setup(name, begin_test)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_every_geometry),
		TEST(test_a_sector_is_erased_when_its_first_byte_comes),
		TEST(test_what_is_too_long),
		TEST(test_without_a_fill),
		TEST(test_a_fill_goes_on_after_a_reset),
		TEST(test_a_record_that_comes_up_late),
		TEST(test_a_fill_that_cannot_go_on_yet),
		TEST(test_another_file_starts_anew),
		TEST(test_another_model_meanwhile),
		TEST(test_the_slot_in_use_is_not_filled),
		TEST(test_a_held_slot_is_not_filled_if_another_can_be),
		TEST(test_the_good_mark_goes_first),
		TEST(test_a_slot_that_does_not_take_it),
		TEST(test_a_slot_that_cannot_be_erased),
		TEST(test_a_unit_that_cannot_be_read_back),
		TEST(test_refusals_change_nothing),
		TEST(test_a_refused_record_is_made_later),
		TEST(test_a_view_is_not_filled_and_not_erased),
		TEST(test_erase),
		TEST(test_erase_that_fails_or_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
