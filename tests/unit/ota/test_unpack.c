/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Patches arrive: packages that are compressed, or told by their difference to the current one. */

#include "ota_fixture.h"
#include "patch_fixture.h"

static struct rnv_ota_patch patch;

/* Of the same length as `second`; the versions to come. */
static const struct package newer = {"alpha", 9120, 3, 1, 22};

static void accept(void)
{
	memset(&patch, 0xA5, sizeof(patch));
	assert_int_equal(rnv_ota_accept_patches(&ota, &patch), RNV_OK);
}

static int begin_unpack(void **state)
{
	(void)begin_ota(state);
	accept();
	return 0;
}

static uint32_t crc_in(const uint8_t *bytes, uint32_t count)
{
	uint32_t crc;

	memcpy(&crc, bytes + count - 4, sizeof(crc));
	return crc;
}

/* A patch for the package, without a base: pieces of it, and what repeats 181 bytes before. */
static struct rnv_ota_request compress(uint32_t model, const struct package *what)
{
	struct rnv_ota_request request = prepare(model, what);

	put_header(what->bytes, 0, 0);
	while (made.length < what->bytes) {
		uint32_t at = made.length;
		uint32_t same = 0;
		uint32_t most = what->bytes - at < 300 ? what->bytes - at : 300;

		while (at >= 181 && same < most && package[at + same] == package[at + same - 181]) {
			same++;
		}
		if (same > 8) {
			put_match(same, 181);
		} else {
			put_literals(package + at, most < 100 ? most : 100);
		}
	}
	put_end();
	assert_memory_equal(made.package, package, what->bytes);
	request.encoding = RNV_OTA_PATCH;
	request.bytes = made.bytes;
	request.sha256[31] = 0x77;
	return request;
}

/* A patch against `old`, which is as long: copies, differences and matches. */
static struct rnv_ota_request difference(uint32_t model, const struct package *old,
					 const struct package *what)
{
	uint32_t crc;
	struct rnv_ota_request request;

	(void)prepare(model, old);
	memcpy(base, package, old->bytes);
	crc = crc_in(base, old->bytes);
	request = prepare(model, what);
	put_header(what->bytes, old->bytes, crc);
	while (made.length < what->bytes) {
		uint32_t at = made.length;
		uint32_t same = 0;
		uint32_t most = what->bytes - at < 160 ? what->bytes - at : 160;
		uint8_t steps[160];

		while (at + same < what->bytes && package[at + same] == base[at + same]) {
			same++;
		}
		for (uint32_t i = 0; i < most; i++) {
			steps[i] = (uint8_t)(package[at + i] - base[at + i]);
		}
		if (same > 4) {
			put_copy(same, at);
		} else {
			put_differences(steps, most, at);
		}
	}
	put_end();
	assert_memory_equal(made.package, package, what->bytes);
	request.encoding = RNV_OTA_PATCH;
	request.bytes = made.bytes;
	request.base_crc32 = crc;
	request.sha256[31] = 0x78;
	return request;
}

static int patch_chunk(uint32_t at, uint32_t bytes, uint32_t *offset)
{
	const uint8_t *data = made.stream + at;

	return rnv_ota_chunk(&ota, at, data, bytes, crc_of(0, data, bytes), clock_us, offset);
}

/* Send the stream from an offset to another, as a host does; what it is told at last. */
static int send_patch(uint32_t from, uint32_t to, uint32_t piece)
{
	uint32_t polls = 0;

	while (from < to) {
		uint32_t count = to - from < piece ? to - from : piece;
		uint32_t next = 0;
		int status = patch_chunk(from, count, &next);

		if (status == RNV_EAGAIN) {
			assert_true(next >= from && next < from + count);
			(void)rnv_ota_poll(&ota, clock_us);
			assert_true(++polls < 1000);
		} else if (status != RNV_OK) {
			return status;
		} else {
			assert_int_equal(next, from + count);
		}
		from = next;
	}
	return RNV_OK;
}

static void expect_ready(uint32_t model, const struct package *what)
{
	(void)work();
	assert_int_equal(status_of().error, RNV_OK);
	assert_int_equal(status_of().phase, RNV_OTA_READY);
	assert_memory_equal(cells + slot_at(model, status_of().slot), package, what->bytes);
	assert_int_equal(info_of(model).slot[status_of().slot], RNV_SLOT_GOOD);
}

/* Failed, and nothing of it is left to go on with. */
static void expect_lost(uint32_t model, int error)
{
	(void)work();
	assert_int_equal(status_of().phase, RNV_OTA_FAILED);
	assert_int_equal(status_of().error, error);
	assert_int_equal(files_in(model, RNV_SLOT_FILLING), 0);
	assert_int_equal(hooks.active, 0);
}

static void start_patch(const struct rnv_ota_request *request)
{
	uint32_t offset = 99;

	assert_int_equal(rnv_ota_begin(&ota, request, clock_us, &offset), RNV_OK);
	assert_int_equal(offset, 0);
	assert_int_equal(status_of().bytes, request->bytes);
}

static void test_taken_only_where_wanted(void **state)
{
	struct rnv_ota_request request = compress(ALPHA, &second);
	uint32_t offset;

	(void)state;
	assert_int_equal(rnv_ota_accept_patches(NULL, &patch), RNV_EINVAL);
	assert_int_equal(rnv_ota_accept_patches(&ota, NULL), RNV_EINVAL);
	assert_int_equal(rnv_ota_begin(&ota, &request, 0, &offset), RNV_EINVAL);
	accept();
	start_patch(&request);
	assert_int_equal(rnv_ota_accept_patches(&ota, &patch), RNV_EINVAL);
	request.encoding = 2;
	assert_int_equal(rnv_ota_begin(&ota, &request, 0, &offset), RNV_EINVAL);
}

static void test_compressed_in_all_pieces(void **state)
{
	static const uint32_t units[] = {1, 4, 16, 128};
	static const uint32_t pieces[] = {1, 7, 300, 8192};

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		for (uint32_t j = 0; j < 4; j++) {
			struct rnv_ota_request request;

			begin_with(units[i], 4096, i == 1 ? 0x00 : 0xFF);
			start_engine();
			accept();
			request = compress(ALPHA, &second);
			assert_true(request.bytes < second.bytes);
			start_patch(&request);
			assert_int_equal(send_patch(0, made.bytes, pieces[j]), RNV_OK);
			assert_int_equal(status_of().phase, RNV_OTA_VERIFYING);
			expect_ready(ALPHA, &second);
		}
	}
}

/* What a match repeats is still staged: units are longer than its distance. */
static void test_matches_of_bytes_that_are_not_yet_programmed(void **state)
{
	struct rnv_ota_request request;

	(void)state;
	begin_with(128, 4096, 0xFF);
	start_engine();
	accept();
	request = prepare(ALPHA, &second);
	for (uint32_t at = 300; at < 8000; at++) {
		package[at] = (uint8_t)(at % 37 < 5 ? at : package[at - 5]);
	}
	seal(&second);
	put_header(second.bytes, 0, 0);
	put_literals(package, 300);
	while (made.length < second.bytes) {
		if (made.length % 37 == 5 && made.length < 8000 - 32) {
			put_match(32, 5);
		} else {
			put_literals(package + made.length, 1);
		}
	}
	put_end();
	assert_memory_equal(made.package, package, second.bytes);
	request.encoding = RNV_OTA_PATCH;
	request.bytes = made.bytes;
	start_patch(&request);
	assert_int_equal(send_patch(0, made.bytes, 1), RNV_OK);
	expect_ready(ALPHA, &second);
}

static void test_difference_to_the_current_one(void **state)
{
	struct rnv_ota_request request;

	(void)state;
	(void)put(ALPHA, &second);
	for (uint32_t piece = 1; piece < 500; piece += 83) {
		request = difference(ALPHA, &second, &newer);
		assert_true(request.bytes < 300);
		start_patch(&request);
		assert_int_equal(send_patch(0, made.bytes, piece), RNV_OK);
		expect_ready(ALPHA, &newer);
		assert_int_equal(rnv_ota_abort(&ota), RNV_OK);
	}
	assert_int_equal(info_of(ALPHA).confirmed, info_of(ALPHA).next);
}

static void test_a_base_that_is_not_there(void **state)
{
	struct rnv_ota_request request = difference(ALPHA, &second, &newer);
	uint32_t offset;
	uint32_t before;

	(void)state;
	assert_int_equal(rnv_ota_begin(&ota, &request, 0, &offset), RNV_ESTALE); /* none at all */
	assert_int_equal(programs + erases, 0);
	(void)put(ALPHA, &first);
	before = programs + erases;
	request = difference(ALPHA, &second, &newer);
	assert_int_equal(rnv_ota_begin(&ota, &request, 0, &offset), RNV_ESTALE);
	assert_int_equal(programs + erases, before);
	assert_int_equal(status_of().phase, RNV_OTA_DONE);
	request.base_crc32 = 0; /* the announcement lies, the stream does not */
	start_patch(&request);
	assert_int_equal(send_patch(0, made.bytes, 100), RNV_ESTALE);
	expect_lost(ALPHA, RNV_ESTALE);
	assert_int_equal(info_of(ALPHA).next, info_of(ALPHA).confirmed);
	request = compress(ALPHA, &second); /* what the host falls back to */
	start_patch(&request);
	assert_int_equal(send_patch(0, made.bytes, 100), RNV_OK);
	expect_ready(ALPHA, &second);
}

static void test_what_was_announced_is_what_comes(void **state)
{
	struct rnv_ota_request request = compress(ALPHA, &second);
	struct rnv_ota_request wrong = prepare(ALPHA, &first);
	uint32_t offset;

	(void)state;
	request.header = wrong.header; /* another length */
	start_patch(&request);
	assert_int_equal(send_patch(0, made.bytes, 100), RNV_EFORMAT);
	expect_lost(ALPHA, RNV_EFORMAT);
	request = compress(ALPHA, &second);
	wrong = prepare(ALPHA, &newer); /* another version */
	request.header = wrong.header;
	start_patch(&request);
	assert_int_equal(send_patch(0, made.bytes, 100), RNV_OK);
	expect_lost(ALPHA, RNV_EBADMSG);
	assert_int_equal(status_of().why, RNV_WHY_HEADER);
	wrong = prepare(ALPHA, &(struct package){"alpha", 3 * 4096 + 16, 1, 1, 5});
	request.header = wrong.header; /* a short patch of a long package */
	assert_int_equal(rnv_ota_begin(&ota, &request, 0, &offset), RNV_ENOSPC);
}

static void test_damaged_or_cut(void **state)
{
	struct rnv_ota_request request = compress(ALPHA, &second);
	uint32_t cut = request.bytes - 1;

	(void)state;
	for (uint32_t at = 30; at < request.bytes; at += request.bytes / 9) {
		int status;

		start_patch(&request);
		made.stream[at] ^= 0x10;
		status = send_patch(0, request.bytes, 64);
		assert_true(status == RNV_OK || status == RNV_EFORMAT);
		expect_lost(ALPHA, RNV_EFORMAT);
		made.stream[at] ^= 0x10;
	}
	request.bytes = cut;
	start_patch(&request);
	assert_int_equal(send_patch(0, cut, 64), RNV_OK);
	expect_lost(ALPHA, RNV_EFORMAT);
	request.bytes = cut + 1;
	start_patch(&request);
	assert_int_equal(send_patch(0, cut + 1, 64), RNV_OK);
	expect_ready(ALPHA, &second);
}

/* Of 40 KB nearly all is one copy. */
static struct rnv_ota_request long_copy(const struct package *old, const struct package *what)
{
	begin_with(16, 16384, 0xFF);
	start_engine();
	accept();
	(void)put(ALPHA, old);
	return difference(ALPHA, old, what);
}

static void test_what_is_long_is_written_by_and_by(void **state)
{
	static const struct package old = {"alpha", 40000, 1, 1, 7};
	static const struct package what = {"alpha", 40000, 2, 1, 7};
	struct rnv_ota_request request = long_copy(&old, &what);
	uint32_t next = 0;
	uint32_t polls = 0;
	uint32_t before;

	(void)state;
	start_patch(&request);
	assert_int_equal(patch_chunk(0, request.bytes - 1, &next), RNV_EAGAIN);
	assert_true(next > 20 && next < request.bytes - 1);
	assert_int_equal(store.position, 16384);
	assert_int_equal(hooks.active, 1);
	before = programs;
	while (rnv_ota_poll(&ota, clock_us) != 0) {
		assert_true(programs - before <= 1024 / 16 + 2);
		before = programs;
		polls++;
		clock_us += IDLE_US; /* the host waits: that is no idling */
	}
	assert_true(polls > 20);
	assert_int_equal(status_of().phase, RNV_OTA_RECEIVING);
	assert_int_equal(hooks.active, 1);
	assert_int_equal(send_patch(next, request.bytes, 60), RNV_OK);
	expect_ready(ALPHA, &what);
}

/* The whole patch in one chunk: it is all taken, the rest follows. */
static void test_all_in_one_chunk(void **state)
{
	static const struct package old = {"alpha", 40000, 1, 1, 7};
	static const struct package what = {"alpha", 40000, 2, 1, 7};
	struct rnv_ota_request request = long_copy(&old, &what);
	uint32_t offset;

	(void)state;
	start_patch(&request);
	assert_int_equal(send_patch(0, request.bytes, 8192), RNV_OK);
	expect_ready(ALPHA, &what);
	assert_int_equal(rnv_ota_abort(&ota), RNV_OK);
	start_patch(&request); /* given up while it is written */
	assert_int_equal(patch_chunk(0, request.bytes - 1, &offset), RNV_EAGAIN);
	assert_int_equal(rnv_ota_abort(&ota), RNV_OK);
	assert_int_equal(status_of().phase, RNV_OTA_IDLE);
	assert_int_equal(files_in(ALPHA, RNV_SLOT_FILLING), 0);
	assert_int_equal(rnv_ota_poll(&ota, clock_us), 0);
}

static void test_after_a_reset_what_is_there_is_not_written_again(void **state)
{
	struct rnv_ota_request request;
	uint32_t slot;

	(void)state;
	(void)put(ALPHA, &second);
	request = difference(ALPHA, &second, &newer);
	slot = 1 - info_of(ALPHA).confirmed;
	for (uint32_t cut = 30; cut < made.bytes; cut += 17) {
		uint32_t sector = slot_at(ALPHA, slot) / 4096;
		uint32_t before, kept;

		before = sector_erases[sector];
		start_patch(&request);
		assert_int_equal(send_patch(0, cut, 10), RNV_OK);
		reset_device();
		accept();
		kept = info_of(ALPHA).written;
		start_patch(&request);
		assert_int_equal(send_patch(0, made.bytes, 50), RNV_OK);
		expect_ready(ALPHA, &newer);
		assert_true(sector_erases[sector] - before <= (kept != 0 ? 1 : 2));
		assert_int_equal(rnv_ota_abort(&ota), RNV_OK);
	}
}

static void test_a_time_out_and_a_session_that_goes_on(void **state)
{
	struct rnv_ota_request request = compress(ALPHA, &second);
	uint32_t half = request.bytes / 2;
	uint32_t offset = 99;

	(void)state;
	start_patch(&request);
	assert_int_equal(send_patch(0, half, 100), RNV_OK);
	assert_int_equal(rnv_ota_begin(&ota, &request, clock_us, &offset), RNV_OK);
	assert_int_equal(offset, half); /* the host restarts: it goes on */
	clock_us += IDLE_US;
	assert_int_equal(rnv_ota_poll(&ota, clock_us), 0);
	assert_int_equal(status_of().error, RNV_ETIMEDOUT);
	start_patch(&request); /* from its start, as after a reset */
	assert_int_equal(send_patch(0, request.bytes, 100), RNV_OK);
	expect_ready(ALPHA, &second);
}

static void test_refused_writes_are_made_up_for(void **state)
{
	struct rnv_ota_request request;

	(void)state;
	(void)put(ALPHA, &second);
	for (uint32_t nth = 1; nth < 120; nth += 7) {
		uint32_t next = 0;

		request = difference(ALPHA, &second, &newer);
		start_patch(&request);
		while (next < request.bytes) {
			uint32_t count = request.bytes - next < 50 ? request.bytes - next : 50;
			int status;

			refuse_at = nth;
			status = patch_chunk(next, count, &next);
			assert_true(status == RNV_OK || status == RNV_EAGAIN);
			(void)rnv_ota_poll(&ota, clock_us);
		}
		refuse_at = 0;
		expect_ready(ALPHA, &newer);
		assert_int_equal(rnv_ota_abort(&ota), RNV_OK);
	}
}

/* Send a patch until the flash refuses the nth write; 1: there were less, and all of it is there.
 */
static int send_until(const struct rnv_ota_request *request, uint32_t nth)
{
	uint32_t next = 0;

	refuse_at = nth;
	if (rnv_ota_begin(&ota, request, clock_us, &next) != RNV_OK) {
		return 0;
	}
	while (next < request->bytes && refuse_at != 0) {
		uint32_t count = request->bytes - next < 50 ? request->bytes - next : 50;

		(void)patch_chunk(next, count, &next);
	}
	while (refuse_at != 0 && rnv_ota_poll(&ota, clock_us) != 0) {
	}
	return refuse_at != 0;
}

/* Inside of operations the store's own tests cut; what is special here is what is left out. */
static void test_a_reset_before_every_write(void **state)
{
	struct rnv_ota_request request;
	uint32_t writes = 0;
	int done = 0;

	(void)state;
	(void)put(ALPHA, &second);
	while (!done) {
		request = difference(ALPHA, &second, &newer);
		done = send_until(&request, ++writes);
		refuse_at = 0;
		if (!done) {
			reset_device();
			accept();
			assert_int_equal(info_of(ALPHA).next, info_of(ALPHA).confirmed);
			assert_memory_equal(cells + slot_at(ALPHA, info_of(ALPHA).next), base,
					    second.bytes);
			start_patch(&request);
			assert_int_equal(send_patch(0, request.bytes, 50), RNV_OK);
		}
		expect_ready(ALPHA, &newer);
		assert_int_equal(rnv_ota_abort(&ota), RNV_OK);
	}
	assert_true(writes > 60);
}

static void test_flash_that_fails(void **state)
{
	struct rnv_ota_request request;
	uint32_t current;

	(void)state;
	(void)put(ALPHA, &second);
	current = slot_at(ALPHA, info_of(ALPHA).confirmed);
	request = difference(ALPHA, &second, &newer);
	start_patch(&request);
	break_reads(0, READ_BAD, current + 5000, 16); /* the base */
	assert_int_equal(send_patch(0, made.bytes, 50), RNV_EIO);
	expect_lost(ALPHA, RNV_EIO);
	break_reads(0, READ_BAD, 0, 0);
	start_patch(&request);
	break_programs(FAIL, 20, 1);
	assert_int_equal(send_patch(0, made.bytes, 50), RNV_EIO);
	expect_lost(ALPHA, RNV_EIO);
	break_programs(FAIL, 0, 0);
	start_patch(&request);
	assert_int_equal(send_patch(0, made.bytes, 50), RNV_OK);
	expect_ready(ALPHA, &newer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_taken_only_where_wanted, begin_ota),
		cmocka_unit_test_setup(test_compressed_in_all_pieces, begin_unpack),
		cmocka_unit_test_setup(test_matches_of_bytes_that_are_not_yet_programmed,
				       begin_unpack),
		cmocka_unit_test_setup(test_difference_to_the_current_one, begin_unpack),
		cmocka_unit_test_setup(test_a_base_that_is_not_there, begin_unpack),
		cmocka_unit_test_setup(test_what_was_announced_is_what_comes, begin_unpack),
		cmocka_unit_test_setup(test_damaged_or_cut, begin_unpack),
		cmocka_unit_test_setup(test_what_is_long_is_written_by_and_by, begin_unpack),
		cmocka_unit_test_setup(test_all_in_one_chunk, begin_unpack),
		cmocka_unit_test_setup(test_after_a_reset_what_is_there_is_not_written_again,
				       begin_unpack),
		cmocka_unit_test_setup(test_a_time_out_and_a_session_that_goes_on, begin_unpack),
		cmocka_unit_test_setup(test_refused_writes_are_made_up_for, begin_unpack),
		cmocka_unit_test_setup(test_a_reset_before_every_write, begin_unpack),
		cmocka_unit_test_setup(test_flash_that_fails, begin_unpack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
