/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Opening a package: where it lies, how long it is, and that nothing outside of it is read. What
 * each field may hold is tested from Python.
 */

#include "package_fixture.h"

static struct image image;

static int open_image(uint32_t flags, struct rnv_diag *diag)
{
	struct rnv_package pkg;

	return rnv_package_open(&pkg, &image, sizeof(image), flags, diag);
}

/* Known answers: the check value of CRC-32/ISO-HDLC, and the empty string. */
static void test_crc(void **state)
{
	(void)state;
	assert_int_equal(rnv_crc32(0, "123456789", 9), 0xCBF43926u);
	assert_int_equal(rnv_crc32(rnv_crc32(0, "1234", 4), "56789", 5), 0xCBF43926u);
	assert_int_equal(rnv_crc32(0, "", 0), 0);
	assert_int_equal(rnv_crc32(0, "\0\0\0\0", 4), 0x2144DF1Cu);
}

static void test_view(void **state)
{
	struct rnv_package pkg;
	const struct rnv_header *header;

	(void)state;
	image_open(&image, &pkg);
	header = rnv_package_header(&pkg);
	assert_ptr_equal(header, &image.header);
	assert_int_equal(rnv_package_input(&pkg, 0, 0), T_X);
	assert_int_equal(rnv_package_output(&pkg, 0, 0), T_Y);
	assert_int_equal(rnv_package_input(&pkg, 0, 1), RNV_NO_TENSOR);
	assert_int_equal(rnv_package_output(&pkg, 0, 1), RNV_NO_TENSOR);
	assert_int_equal(rnv_package_input(&pkg, 1, 0), RNV_NO_TENSOR);
	assert_int_equal(rnv_package_output(&pkg, UINT16_MAX, 0), RNV_NO_TENSOR);
	assert_ptr_equal(rnv_package_tensor(&pkg, T_B), &image.tensors[T_B]);
	assert_null(rnv_package_tensor(&pkg, TENSOR_COUNT));
	assert_null(rnv_package_tensor(&pkg, RNV_NO_TENSOR));
	memset(image.params, 1, sizeof(image.params)); /* what lies behind the entry points */
	assert_int_equal(rnv_package_input(&pkg, 1, 0), RNV_NO_TENSOR);
	assert_int_equal(rnv_package_output(&pkg, 1, 0), RNV_NO_TENSOR);
}

static void test_labels(void **state)
{
	struct rnv_package pkg;

	(void)state;
	image_open(&image, &pkg);
	assert_int_equal(rnv_package_label_count(&pkg), 3);
	assert_string_equal(rnv_package_label(&pkg, 0), "one");
	assert_string_equal(rnv_package_label(&pkg, 1), "two");
	assert_string_equal(rnv_package_label(&pkg, 2), "three");
	assert_null(rnv_package_label(&pkg, 3));
	image_hide(&image, 7); /* the labels */
	image_hide(&image, 8); /* the self-test */
	image_seal(&image);
	assert_int_equal(rnv_package_open(&pkg, &image, sizeof(image), 0, NULL), RNV_OK);
	assert_int_equal(rnv_package_label_count(&pkg), 0);
	assert_null(rnv_package_label(&pkg, 0));
}

static void test_op_set(void **state)
{
	uint8_t opset[RNV_OPSET_BYTES];

	(void)state;
	memset(opset, 0xA5, sizeof(opset));
	rnv_opset_get(opset);
	for (uint32_t code = 0; code < 8u * RNV_OPSET_BYTES; code++) {
		int has = (opset[code / 8u] >> (code % 8u)) & 1;

		assert_int_equal(has, rnv_op_name((uint16_t)code) != NULL);
	}
	assert_string_equal(rnv_op_name(1), "CONV_2D_S8");
	assert_null(rnv_op_name(0));
	assert_null(rnv_op_name(UINT16_MAX));
}

static void test_arguments(void **state)
{
	struct rnv_package pkg;
	struct rnv_diag diag = {1, 1, 1};

	(void)state;
	image_init(&image);
	assert_int_equal(rnv_package_open(NULL, &image, sizeof(image), 0, &diag), RNV_EINVAL);
	assert_int_equal(diag.what, RNV_WHAT_NONE);
	assert_int_equal(rnv_package_open(&pkg, NULL, sizeof(image), 0, &diag), RNV_EINVAL);
	assert_int_equal(rnv_package_open(&pkg, &image, sizeof(image), 2, &diag), RNV_EINVAL);
	assert_int_equal(rnv_package_open(&pkg, &image, sizeof(image), 0, NULL), RNV_OK);
	assert_int_equal(rnv_package_open(&pkg, &image, sizeof(image), RNV_OPEN_SKIP_CRC, NULL),
			 RNV_OK);
	image.header.abi = 2;
	image_seal(&image);
	assert_int_equal(rnv_package_open(&pkg, &image, sizeof(image), 0, NULL), RNV_ENOTSUP);
}

/* A refused package leaves an empty view. */
static void test_refused_view_is_empty(void **state)
{
	struct rnv_package pkg;
	static const struct rnv_package empty;

	(void)state;
	image_open(&image, &pkg);
	image.steps[1].op = 0;
	image_seal(&image);
	assert_int_equal(rnv_package_open(&pkg, &image, sizeof(image), 0, NULL), RNV_EFORMAT);
	assert_memory_equal(&pkg, &empty, sizeof(pkg));
}

static void test_crc_can_be_skipped(void **state)
{
	struct rnv_diag diag;

	(void)state;
	image_init(&image);
	image.weights[5] ^= 1;
	assert_int_equal(open_image(0, &diag), RNV_EBADMSG);
	assert_int_equal(diag.what, RNV_WHAT_CRC);
	assert_int_equal(diag.value, rnv_crc32(0, &image, sizeof(image) - 4u));
	assert_int_equal(open_image(RNV_OPEN_SKIP_CRC, &diag), RNV_OK);
}

/* Case 5: odd addresses, and a slot whose base is 4 off. */
static void test_address(void **state)
{
	static _Alignas(16) uint8_t memory[sizeof(struct image) + 16];

	(void)state;
	image_init(&image);
	for (uint32_t shift = 1; shift < 16; shift++) {
		struct rnv_package pkg;
		struct rnv_diag diag;

		memcpy(memory + shift, &image, sizeof(image));
		assert_int_equal(rnv_package_open(&pkg, memory + shift, sizeof(image), 0, &diag),
				 RNV_EALIGN);
		assert_int_equal(diag.what, RNV_WHAT_ADDRESS);
		assert_int_equal(diag.value, shift);
	}
}

/* Cases 1 and 2: a package cut at any byte; AddressSanitizer sees every read past the length. */
static void test_truncation(void **state)
{
	(void)state;
	image_init(&image);
	for (uint32_t bytes = 1; bytes < sizeof(image); bytes++) {
		uint8_t *cut = malloc(bytes);
		struct rnv_package pkg;
		struct rnv_diag diag;

		assert_non_null(cut);
		assert_int_equal((uintptr_t)cut % 16, 0);
		memcpy(cut, &image, bytes);
		assert_int_equal(rnv_package_open(&pkg, cut, bytes, 0, &diag), RNV_EFORMAT);
		assert_int_equal(diag.what, RNV_WHAT_SIZE);
		free(cut);
	}
	assert_int_equal(open_image(0, NULL), RNV_OK);
}

/* A cut package that declares the length it was cut to, with a right CRC. */
static void test_shortened(void **state)
{
	const uint32_t trailer = RNV_TRAILER_BYTES;

	(void)state;
	image_init(&image);
	for (uint32_t bytes = RNV_HEADER_BYTES + trailer; bytes < sizeof(image); bytes += 16) {
		uint8_t *cut = malloc(bytes);
		struct rnv_package pkg;
		struct rnv_diag diag;
		uint32_t crc;

		assert_non_null(cut);
		memcpy(cut, &image, bytes - trailer);
		memset(cut + bytes - trailer, 0, trailer);
		((struct rnv_header *)cut)->total_bytes = bytes;
		crc = rnv_crc32(0, cut, bytes - 4u);
		memcpy(cut + bytes - 4u, &crc, 4);
		assert_int_equal(rnv_package_open(&pkg, cut, bytes, 0, &diag), RNV_EFORMAT);
		assert_int_equal(diag.what, RNV_WHAT_SECTION);
		free(cut);
	}
}

/* Runs what was accepted, in memory of exactly the declared sizes. */
static void run_accepted(const struct rnv_package *pkg)
{
	const struct rnv_header *header = rnv_package_header(pkg);
	void *slots[2] = {NULL, NULL};
	void *data[2] = {NULL, NULL};
	void *arena;
	struct rnv_exec exec;

	if (header->arena_bytes > 1u << 16) {
		return;
	}
	arena = malloc(header->arena_bytes); /* the sanitizer guards what is around it */
	assert_int_equal(rnv_exec_init(&exec, pkg, arena, header->arena_bytes, slots, 2), RNV_OK);
	for (uint16_t i = 0; i < 2; i++) {
		uint16_t tensor =
			i == 0 ? rnv_package_input(pkg, 0, 0) : rnv_package_output(pkg, 0, 0);
		uint32_t bytes = rnv_package_tensor(pkg, tensor)->bytes;

		if (rnv_package_tensor(pkg, tensor)->storage != RNV_STORAGE_EXTERNAL) {
			continue;
		}
		data[i] = calloc(1, bytes);
		assert_int_equal(rnv_exec_bind(&exec, tensor, data[i], bytes), RNV_OK);
	}
	assert_int_equal(rnv_exec_run(&exec, 0), RNV_OK);
	(void)rnv_exec_selftest(&exec);
	free(data[0]);
	free(data[1]);
	free(arena);
}

/* Every byte of the package, spoilt in several ways: refused with a diagnosis, or executed. */
static void test_every_byte(void **state)
{
	static const uint8_t masks[] = {0x01, 0x02, 0x10, 0x7F, 0x80, 0xFF};
	uint32_t accepted = 0;
	uint32_t refused = 0;

	(void)state;
	image_init(&image);
	for (uint32_t at = 0; at < sizeof(image); at++) {
		for (uint32_t i = 0; i < sizeof(masks); i++) {
			uint8_t *byte = (uint8_t *)&image + at;
			struct rnv_package pkg;
			struct rnv_diag diag;
			int status;

			*byte ^= masks[i];
			status = rnv_package_open(&pkg, &image, sizeof(image), RNV_OPEN_SKIP_CRC,
						  &diag);
			assert_int_equal(status == RNV_OK, diag.what == RNV_WHAT_NONE);
			if (status == RNV_OK) {
				accepted++;
				run_accepted(&pkg);
			} else {
				refused++;
				assert_string_not_equal(rnv_what_name(diag.what), "unknown");
			}
			*byte ^= masks[i];
		}
	}
	assert_true(accepted > 1000); /* weights, labels, self-test, CRC */
	assert_true(refused > 4000);
	assert_int_equal(open_image(0, NULL), RNV_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_crc),
		cmocka_unit_test(test_view),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_op_set),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_refused_view_is_empty),
		cmocka_unit_test(test_crc_can_be_skipped),
		cmocka_unit_test(test_address),
		cmocka_unit_test(test_truncation),
		cmocka_unit_test(test_shortened),
		cmocka_unit_test(test_every_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
