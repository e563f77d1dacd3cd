/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * TOP_K_S8, DETECT_S8, NMS and SMOOTH_S8: what they refuse when a package is opened, and hostile
 * data on memory of exactly the operands' sizes.
 */

#include <stdlib.h>

#include "kernel_fixture.h"
#include "ranvier/result.h"

extern const struct rnv_kernel rnv_top_k_s8;
extern const struct rnv_kernel rnv_detect_s8;
extern const struct rnv_kernel rnv_nms;
extern const struct rnv_kernel rnv_smooth_s8;

#define ENTRY_BYTES sizeof(struct rnv_detection)

/* Memory of every tensor of the fixture, exactly as large. */
struct memory {
	void *at[FIXTURE_TENSORS];
	struct rnv_exec exec;
};

static void memory_init(struct memory *m, struct fixture *f)
{
	memset(m, 0, sizeof(*m));
	for (uint16_t i = 0; i < f->pkg.tensor_count; i++) {
		f->tensors[i].storage = RNV_STORAGE_EXTERNAL;
		f->tensors[i].offset = i;
		m->at[i] = malloc(f->tensors[i].bytes);
		assert_non_null(m->at[i]);
		memset(m->at[i], 0x5A, f->tensors[i].bytes);
	}
	m->exec.pkg = &f->pkg;
	m->exec.externals = m->at;
}

static void run_in(const struct rnv_kernel *kernel, struct fixture *f, struct memory *m)
{
	f->op.exec = &m->exec;
	kernel->run(&f->op);
	f->op.exec = NULL;
}

static void memory_free(struct memory *m)
{
	for (uint32_t i = 0; i < FIXTURE_TENSORS; i++) {
		free(m->at[i]);
	}
}

/* A list's two operands; both kinds, inputs first. */
static void list_operand(struct fixture *f, uint32_t capacity, int is_output)
{
	fixture_operand(f, RNV_TYPE_INT32, 1, is_output);
	fixture_operand(f, RNV_TYPE_INT16, capacity * RNV_DETECTION_WORDS, is_output);
}

static void refuse_all(const struct rnv_kernel *kernel, struct fixture *f, int mask,
		       const struct spoil *spoils, uint32_t count)
{
	must_refuse_words(kernel, f, mask, spoils, count);
	for (uint16_t i = 0; i < f->pkg.tensor_count; i++) {
		uint8_t type = f->tensors[i].type;

		f->tensors[i].bytes += rnv_type_bytes(type);
		if (i != 0 || kernel != &rnv_detect_s8) { /* whose input may be larger */
			must_refuse(kernel, f, "an element too many");
		}
		f->tensors[i].bytes -= rnv_type_bytes(type);
		f->tensors[i].type = (type == RNV_TYPE_INT8) ? RNV_TYPE_UINT8 : RNV_TYPE_INT8;
		must_refuse(kernel, f, "an operand of another type");
		f->tensors[i].type = type;
	}
	f->rec.params_bytes += 4;
	must_refuse(kernel, f, "a parameter too many");
	f->rec.params_bytes -= 4;
	f->rec.weights_bytes++;
	must_refuse(kernel, f, "a weight byte too many");
	f->rec.weights_bytes--;
	f->rec.scratch_bytes = 16;
	must_refuse(kernel, f, "scratch");
	f->rec.scratch_bytes = 0;
	f->rec.output_count--;
	must_refuse(kernel, f, "an output too few");
	f->rec.output_count++;
	assert_int_equal(kernel->check(&f->op), mask);
}

#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

static void identity_scores(struct fixture *f, uint32_t offset)
{
	for (uint32_t i = 0; i < 256; i++) {
		int16_t score = (int16_t)(128 * i);

		memcpy(f->weights + offset + 2 * i, &score, sizeof(score));
	}
}

static void test_top_k(void **state)
{
	static const struct spoil spoils[] = {
		{"no classes", 0, 0},
		{"more classes", 0, 6},
		{"classes beyond 16 bits", 0, 0x8000},
		{"no entries", 1, 0},
		{"more entries", 1, 4},
		{"more entries than classes", 1, 6},
		{"a threshold below 0", 2, -1},
		{"a threshold beyond 1", 2, 0x8000},
	};
	static const uint8_t in[] = {7, 200, 9, 200, 255};
	static const uint8_t zeros[3 * ENTRY_BYTES];
	static const struct rnv_detection best[] = {
		{4, 32640, 0, 0, 0, 0}, {1, 25600, 0, 0, 0, 0}, {3, 25600, 0, 0, 0, 0}};
	struct fixture f;
	struct memory m;

	(void)state;
	fixture_init(&f);
	fixture_operand(&f, RNV_TYPE_INT8, 5, 0);
	list_operand(&f, 3, 1);
	fixture_params(&f, (const int32_t[]){5, 3, 1000}, 3);
	f.rec.weights_bytes = 512;
	identity_scores(&f, 0);
	refuse_all(&rnv_top_k_s8, &f, 0, spoils, COUNT_OF(spoils));
	memory_init(&m, &f);
	memcpy(m.at[0], in, sizeof(in));
	run_in(&rnv_top_k_s8, &f, &m);
	assert_int_equal(*(int32_t *)m.at[1], 3);
	assert_memory_equal(m.at[2], best, sizeof(best));
	memset(m.at[0], 0, sizeof(in));
	run_in(&rnv_top_k_s8, &f, &m);
	assert_int_equal(*(int32_t *)m.at[1], 0);
	assert_memory_equal(m.at[2], zeros, sizeof(zeros));
	memory_free(&m);
}

static void test_nms(void **state)
{
	static const struct spoil spoils[] = {
		{"no candidates", 0, 0},
		{"more candidates", 0, 5},
		{"too many candidates", 0, 257},
		{"no capacity", 1, 0},
		{"more capacity", 1, 3},
		{"an overlap below 0", 2, -1},
		{"an overlap beyond 1", 2, 0x8000},
		{"neither 0 nor 1", 3, 2},
	};
	static const int32_t counts[] = {INT32_MIN, -1, 0, 1, 2, 4, 5, INT32_MAX};
	static const int32_t kept[] = {0, 0, 0, 1, 1, 2, 2, 2};
	const struct rnv_detection in[] = {{1, 9, 0, 0, 10, 10},
					   {1, 8, 1, 0, 10, 10},
					   {2, 7, 0, 0, 10, 10},
					   {1, 6, 20, 20, 9, 9}};
	struct fixture f;
	struct memory m;

	(void)state;
	fixture_init(&f);
	list_operand(&f, 4, 0);
	list_operand(&f, 2, 1);
	fixture_params(&f, (const int32_t[]){4, 2, 16384, 1}, 4);
	refuse_all(&rnv_nms, &f, 0, spoils, COUNT_OF(spoils));
	memory_init(&m, &f);
	memcpy(m.at[1], in, sizeof(in));
	for (uint32_t i = 0; i < COUNT_OF(counts); i++) {
		*(int32_t *)m.at[0] = counts[i];
		run_in(&rnv_nms, &f, &m);
		assert_int_equal(*(int32_t *)m.at[2], kept[i]);
	}
	assert_memory_equal(m.at[3], &in[0], ENTRY_BYTES);
	assert_memory_equal((struct rnv_detection *)m.at[3] + 1, &in[2], ENTRY_BYTES);
	memory_free(&m);
}

static void test_nms_takes_any_boxes(void **state)
{
	struct fixture f;
	struct memory m;
	uint32_t random = 1;

	(void)state;
	fixture_init(&f);
	list_operand(&f, 4, 0);
	list_operand(&f, 4, 1);
	fixture_params(&f, (const int32_t[]){4, 4, 16384, 0}, 4);
	memory_init(&m, &f);
	*(int32_t *)m.at[0] = 4;
	for (uint32_t i = 0; i < 1000; i++) {
		for (uint32_t b = 0; b < 4 * ENTRY_BYTES; b++) {
			random = random * 1664525u + 1013904223u;
			((uint8_t *)m.at[1])[b] =
				(random >> 30 == 0) ? 0x80u : (uint8_t)(random >> 24);
		}
		run_in(&rnv_nms, &f, &m);
		assert_in_range(*(int32_t *)m.at[2], 1, 4);
	}
	memory_free(&m);
}

enum detect_word {
	CELLS_H,
	CELLS_W,
	ANCHORS,
	CLASSES,
	SCORE_INPUT,
	SCORE_FIRST,
	SCORE_CELL,
	SCORE_ANCHOR,
	OBJECT_INPUT,
	OBJECT_FIRST,
	OBJECT_CELL,
	OBJECT_ANCHOR,
	BOX_INPUT,
	BOX_FIRST,
	BOX_CELL,
	BOX_ANCHOR,
	BOX_ORDER,
	TOP,
	LEFT,
	BOTTOM,
	RIGHT,
	THRESHOLD,
	CANDIDATES,
	DETECT_WORDS
};

/* 2 x 3 cells of 2 anchors: box, objectness, 2 classes, all in one tensor of exactly the size. */
static void describe_detect(struct fixture *f)
{
	const int32_t words[DETECT_WORDS] = {2, 3, 2,  2, 0, 5, 14, 7,   0,   4, 14, 7,
					     0, 0, 14, 7, 0, 0, 0,  100, 200, 1, 4};

	fixture_init(f);
	fixture_operand(f, RNV_TYPE_INT8, 6 * 14, 0);
	list_operand(f, 4, 1);
	fixture_params(f, words, DETECT_WORDS);
	f->rec.weights_bytes = 512 * 2 + 2048 + 4 * (2 + 3) + 16 * 2;
}

static void test_detect_refuses(void **state)
{
	static const struct spoil spoils[] = {
		{"no rows", CELLS_H, 0},
		{"too many rows", CELLS_H, 4097},
		{"more rows", CELLS_H, 3},
		{"no columns", CELLS_W, 0},
		{"more columns", CELLS_W, 4},
		{"no anchors", ANCHORS, 0},
		{"too many anchors", ANCHORS, 257},
		{"another anchor", ANCHORS, 1},
		{"no classes", CLASSES, 0},
		{"a class beyond the end", CLASSES, 3},
		{"too many classes", CLASSES, 0x8000},
		{"scores nowhere", SCORE_INPUT, -1},
		{"scores in an output", SCORE_INPUT, 1},
		{"scores one further", SCORE_FIRST, 6},
		{"scores before the start", SCORE_FIRST, -1},
		{"scores of cells that wrap", SCORE_CELL, INT32_MAX},
		{"scores of cells backwards", SCORE_CELL, -14},
		{"scores of anchors further apart", SCORE_ANCHOR, 8},
		{"objectness in an output", OBJECT_INPUT, 1},
		{"objectness before nowhere", OBJECT_INPUT, -2},
		{"no objectness, with its table", OBJECT_INPUT, -1},
		{"objectness beyond the end", OBJECT_FIRST, 7},
		{"objectness far beyond", OBJECT_FIRST, INT32_MAX},
		{"objectness of cells backwards", OBJECT_CELL, -1},
		{"objectness of anchors beyond", OBJECT_ANCHOR, 10},
		{"boxes nowhere", BOX_INPUT, -1},
		{"boxes in an output", BOX_INPUT, 2},
		{"boxes beyond the end", BOX_FIRST, 4},
		{"boxes of cells further apart", BOX_CELL, 15},
		{"boxes of anchors backwards", BOX_ANCHOR, INT32_MIN},
		{"an order of no name", BOX_ORDER, 2},
		{"a picture that starts before 0", TOP, -1},
		{"a picture without rows", TOP, 100},
		{"a picture without columns", LEFT, 200},
		{"a picture beyond 16 bits", BOTTOM, 0x8000},
		{"a picture beyond 16 bits", RIGHT, INT32_MAX},
		{"a threshold below 0", THRESHOLD, -1},
		{"a threshold beyond 1", THRESHOLD, 0x8000},
		{"no candidates", CANDIDATES, 0},
		{"more candidates", CANDIDATES, 5},
		{"too many candidates", CANDIDATES, 257},
	};
	struct fixture f;

	(void)state;
	describe_detect(&f);
	refuse_all(&rnv_detect_s8, &f, 0, spoils, COUNT_OF(spoils));
	f.tensors[0].bytes--;
	must_refuse(&rnv_detect_s8, &f, "an element missing");
}

/* Any bytes as tables and values: boxes stay in the picture, scores fall, the rest is zero. */
static void test_detect_takes_any_tables(void **state)
{
	struct fixture f;
	struct memory m;
	uint32_t random = 7;
	uint32_t found = 0;

	(void)state;
	describe_detect(&f);
	memory_init(&m, &f);
	for (uint32_t round = 0; round < 300; round++) {
		const struct rnv_detection *entries = m.at[2];
		int32_t count;

		for (uint32_t i = 0; i < f.rec.weights_bytes + 84; i++) {
			uint8_t *at = (i < 84) ? (uint8_t *)m.at[0] + i : f.weights + i - 84;

			random = random * 1664525u + 1013904223u;
			*at = (random >> 30 == 0) ? 0x80u : (uint8_t)(random >> 24);
		}
		run_in(&rnv_detect_s8, &f, &m);
		count = *(int32_t *)m.at[1];
		assert_in_range(count, 0, 4);
		found += (uint32_t)count;
		for (int32_t i = 0; i < 4; i++) {
			assert_true(entries[i].y0 >= 0 && entries[i].y1 <= 100);
			assert_true(entries[i].x0 >= 0 && entries[i].x1 <= 200);
			assert_true(i >= count ? entries[i].score == 0 : entries[i].score >= 1);
			assert_true(i == 0 || entries[i].score <= entries[i - 1].score);
		}
	}
	assert_true(found > 300);
	memory_free(&m);
}

/* Two classes, a window of 3; the state is one operand in two places. */
static void describe_smooth(struct fixture *f)
{
	fixture_init(f);
	fixture_operand(f, RNV_TYPE_INT8, 2, 0);
	fixture_operand(f, RNV_TYPE_INT16, 4 + 3 * 2, 0);
	list_operand(f, 1, 1);
	f->operands[4] = f->operands[3];
	f->operands[3] = f->operands[2];
	f->operands[2] = f->operands[1];
	f->rec.output_count = 3;
	fixture_params(f, (const int32_t[]){2, 3, 16000, 2, 1, 1}, 6);
	f->rec.weights_bytes = 512 + 2;
	identity_scores(f, 0);
}

static void test_smooth_refuses(void **state)
{
	static const struct spoil spoils[] = {
		{"no classes", 0, 0},
		{"more classes", 0, 3},
		{"too many classes", 0, 0x8000},
		{"no window", 1, 0},
		{"a larger window", 1, 4},
		{"a window too large", 1, 1025},
		{"a threshold below 0", 2, -1},
		{"a threshold beyond 1", 2, 0x8000},
		{"quiet for less than 0", 3, -1},
		{"quiet for too long", 3, 0x8000},
		{"no runs before an event", 4, 0},
		{"too many runs", 4, 0x8000},
		{"neither 0 nor 1", 5, -1},
	};
	struct fixture f;

	(void)state;
	describe_smooth(&f);
	refuse_all(&rnv_smooth_s8, &f, 2, spoils, COUNT_OF(spoils));
	f.operands[2] = f.operands[1] + 1;
	must_refuse(&rnv_smooth_s8, &f, "a state that is written somewhere else");
}

static void test_smooth_takes_any_state(void **state)
{
	static const int16_t places[] = {INT16_MIN, -1, 0, 1, 2, 3, 4, INT16_MAX};
	struct fixture f;
	struct memory m;

	(void)state;
	describe_smooth(&f);
	memory_init(&m, &f);
	for (uint32_t i = 0; i < 8 * 8 * 8; i++) {
		int16_t *words = m.at[1];

		for (uint32_t w = 0; w < 10; w++) {
			words[w] = places[(i >> 3 * (w % 3)) % 8];
		}
		((uint8_t *)m.at[0])[0] = 255;
		((uint8_t *)m.at[0])[1] = 0;
		run_in(&rnv_smooth_s8, &f, &m);
		assert_in_range(words[0], 1, INT16_MAX);
		assert_in_range(words[1], 0, 2);
		assert_in_range(words[2], 0, INT16_MAX);
		assert_in_range(*(int32_t *)m.at[2], 0, 1);
		assert_in_range(((struct rnv_detection *)m.at[3])->score, 0, INT16_MAX);
	}
	memory_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_top_k),
		cmocka_unit_test(test_nms),
		cmocka_unit_test(test_nms_takes_any_boxes),
		cmocka_unit_test(test_detect_refuses),
		cmocka_unit_test(test_detect_takes_any_tables),
		cmocka_unit_test(test_smooth_refuses),
		cmocka_unit_test(test_smooth_takes_any_state),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
