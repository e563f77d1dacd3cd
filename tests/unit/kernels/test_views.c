/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Limits of views and windows, and when a convolution may overwrite its input. */

#include "kernel_fixture.h"

#include "kernels/planes/conv_window.h"
#include "kernels/planes/view.h"

#define MOST 32767

/* An image in planes, and a view that fits it. */
static struct rnv_view given(struct rnv_tensor_rec *rec, int32_t channels, int32_t height,
			     int32_t width)
{
	struct rnv_view view = {.channel = height * width, .row = width, .ring = height};

	*rec = (struct rnv_tensor_rec){
		.type = RNV_TYPE_INT8,
		.rank = 4,
		.layout = RNV_LAYOUT_PLANES,
		.bytes = (uint32_t)channels * (uint32_t)height * (uint32_t)width,
		.dims = {1, (uint32_t)height, (uint32_t)width, (uint32_t)channels},
	};
	return view;
}

static void test_sizes_of_images(void **state)
{
	static const int32_t sizes[] = {0, 1, 2, MOST, MOST + 1};

	(void)state;
	for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		bool ok = sizes[i] >= 1 && sizes[i] <= MOST;
		struct rnv_tensor_rec rec;
		struct rnv_view view;

		view = given(&rec, sizes[i], 2, 3);
		assert_int_equal(rnv_view_ok(&view, &rec, sizes[i], 2, 3, 0), ok);
		view = given(&rec, 2, sizes[i], 3);
		assert_int_equal(rnv_view_ok(&view, &rec, 2, sizes[i], 3, 0), ok);
		view = given(&rec, 2, 3, sizes[i]);
		assert_int_equal(rnv_view_ok(&view, &rec, 2, 3, sizes[i], 0), ok);
	}
}

static void test_bytes_of_images(void **state)
{
	struct rnv_tensor_rec rec;
	struct rnv_view view = given(&rec, 4, 5, 3);

	(void)state;
	assert_false(rnv_view_ok(&view, &rec, 4, 5, 3, 1));
	rec.bytes++;
	assert_true(rnv_view_ok(&view, &rec, 4, 5, 3, 1));
	rec.bytes -= 2;
	assert_false(rnv_view_ok(&view, &rec, 4, 5, 3, 0));
	rec.bytes++;
	rec.type = RNV_TYPE_UINT8;
	assert_false(rnv_view_ok(&view, &rec, 4, 5, 3, 0));
}

/* A scalar's record has no layout: there nothing but the bytes holds a view back. */
static void test_views_without_a_layout(void **state)
{
	struct rnv_tensor_rec rec = {.type = RNV_TYPE_INT8, .bytes = 1000};
	struct rnv_view view = {.channel = 6, .row = 3, .ring = 2};

	(void)state;
	assert_true(rnv_view_ok(&view, &rec, 4, 2, 3, 0));
	view.row = 2; /* rows overlap */
	assert_false(rnv_view_ok(&view, &rec, 4, 2, 3, 0));
	view = (struct rnv_view){.channel = 5, .row = 3, .ring = 2}; /* channels overlap */
	assert_false(rnv_view_ok(&view, &rec, 4, 2, 3, 0));
	view = (struct rnv_view){.channel = 3, .row = 12, .ring = 2}; /* rows of all channels */
	assert_true(rnv_view_ok(&view, &rec, 4, 2, 3, 0));
	view.row = 11;
	assert_false(rnv_view_ok(&view, &rec, 4, 2, 3, 0));
	view = (struct rnv_view){.channel = 6, .row = 3, .ring = 3}; /* more rows than there are */
	assert_false(rnv_view_ok(&view, &rec, 4, 2, 3, 0));
	view = (struct rnv_view){.channel = 6, .row = 3, .ring = 0};
	assert_false(rnv_view_ok(&view, &rec, 4, 2, 3, 0));
}

static const struct rnv_conv_window one = {
	.in_h = 1,
	.in_w = 1,
	.in_c = 1,
	.out_h = 1,
	.out_w = 1,
	.out_c = 1,
	.filter_h = 1,
	.filter_w = 1,
	.stride_h = 1,
	.stride_w = 1,
};

static bool ok_with(uint32_t word, int32_t value)
{
	struct rnv_conv_window w = one;

	memcpy((uint8_t *)&w + word * sizeof(value), &value, sizeof(value));
	return rnv_conv_window_ok(&w);
}

static void test_limits_of_windows(void **state)
{
	(void)state;
	for (uint32_t word = 0; word < sizeof(one) / sizeof(int32_t) - 1u; word++) {
		bool padding = word >= 10u;

		assert_int_equal(ok_with(word, 0), padding);
		assert_false(ok_with(word, -1));
		assert_true(ok_with(word, MOST));
		assert_false(ok_with(word, MOST + 1));
	}
	assert_true(ok_with(12, -128) && ok_with(12, 127));
	assert_false(ok_with(12, -129) || ok_with(12, 128));
}

/* Row by row what the function says of all rows at once. */
static bool overwrites_nothing(const struct rnv_conv_window *w, const struct rnv_view *out,
			       int32_t in_row, int32_t unread)
{
	int32_t span = (w->out_c - 1) * out->channel + w->out_w;

	for (int32_t y = 0; y < w->out_h; y++) {
		int32_t next = unread + y * w->stride_h;

		if (next < w->in_h && y * out->row + span > next * in_row) {
			return false;
		}
	}
	return true;
}

static void test_in_place(void **state)
{
	uint32_t seed = 1;
	uint32_t allowed = 0;

	(void)state;
	for (uint32_t round = 0; round < 200000u; round++) {
		struct rnv_conv_window w = one;
		int32_t draw[8];
		struct rnv_view out;

		for (uint32_t i = 0; i < 8u; i++) {
			seed = seed * 1664525u + 1013904223u;
			draw[i] = (int32_t)(seed >> 20);
		}
		w.in_h = 1 + draw[0] % 9;
		w.out_h = 1 + draw[1] % 9;
		w.out_w = 1 + draw[2] % 4;
		w.out_c = 1 + draw[3] % 3;
		w.stride_h = 1 + draw[4] % 3;
		out.row = w.out_w * ((draw[5] % 2 == 0) ? w.out_c : 1);
		out.channel = (draw[5] % 2 == 0) ? w.out_w : w.out_h * w.out_w;
		out.ring = w.out_h;

		int32_t in_row = 1 + draw[6] % 14;
		int32_t unread = draw[7] % 5;
		bool want = overwrites_nothing(&w, &out, in_row, unread);

		assert_int_equal(rnv_conv_window_in_place(&w, &out, in_row, unread), want);
		allowed += want;
		assert_false(rnv_conv_window_in_place(&w, &out, in_row, -1));
		out.ring--;
		assert_false(rnv_conv_window_in_place(&w, &out, in_row, unread));
	}
	assert_in_range(allowed, 40000, 160000);
}

/* The caller's memory is not cleared before. */
static void test_reach_is_complete(void **state)
{
	uint32_t by_rows = 0;

	(void)state;
	for (uint32_t i = 0; i < rnv_kernel_count; i++) {
		const struct rnv_kernel *kernel = rnv_kernel_rows[i].kernel;
		struct rnv_reach reach[2];
		struct fixture f;

		if (kernel->reach == NULL) {
			continue;
		}
		fixture_init(&f);
		for (uint32_t word = 0; word < FIXTURE_PARAMS; word++) {
			f.params[word] = 3;
		}
		memset(&reach[0], 0x00, sizeof(reach[0]));
		memset(&reach[1], 0xFF, sizeof(reach[1]));
		kernel->reach(&f.op, &reach[0]);
		kernel->reach(&f.op, &reach[1]);
		assert_int_equal(reach[0].in_rows, reach[1].in_rows);
		assert_int_equal(reach[0].out_rows, reach[1].out_rows);
		assert_int_equal(reach[0].stride, reach[1].stride);
		assert_int_equal(reach[0].before, reach[1].before);
		assert_int_equal(reach[0].extent, reach[1].extent);
		by_rows++;
	}
	assert_true(by_rows >= 8u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes_of_images),
		cmocka_unit_test(test_bytes_of_images),
		cmocka_unit_test(test_views_without_a_layout),
		cmocka_unit_test(test_limits_of_windows),
		cmocka_unit_test(test_in_place),
		cmocka_unit_test(test_reach_is_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
