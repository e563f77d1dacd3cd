/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef TESTS_UNIT_MODEL_PACKAGE_FIXTURE_H_
#define TESTS_UNIT_MODEL_PACKAGE_FIXTURE_H_

/*
 * A small valid package as a C struct, so that a test can spoil any field by its name:
 *
 *   x 3x3x1 (external 0) -> CONV_2D 2x2 -> a 2x2x2 (arena 0, scratch behind it)
 *     -> LUT_8 -> b (replaces a) -> FULLY_CONNECTED -> y 3 (external 1)
 *
 * All multipliers are 1, so that the expected output is integer arithmetic that a test can do.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ranvier/exec.h"
#include "ranvier/package.h"
#include "ranvier/status.h"

#define X_BYTES       9
#define Y_BYTES       3
#define ARENA_BYTES   20 /* a and b: 8 bytes at 0, scratch: 4 bytes at 16 */
#define CONV_STREAM   28
#define LUT_STREAM    256
#define LUT_OFFSET    32
#define FC_OFFSET     (LUT_OFFSET + LUT_STREAM)
#define FC_STREAM     44
#define SECTION_COUNT 9

enum {
	T_X,
	T_A,
	T_B,
	T_Y,
	TENSOR_COUNT
};
enum {
	OP_CONV,
	OP_LUT,
	OP_FC,
	OP_COUNT
};

struct image_golden {
	uint32_t kind;
	uint32_t seed;
	uint32_t input_bytes;
	uint32_t output_bytes;
	uint32_t trace_crc;
	uint32_t reserved[3];
	int8_t input[X_BYTES];
	int8_t output[Y_BYTES];
};

struct image {
	_Alignas(16) struct rnv_header header;
	struct rnv_section_rec sections[SECTION_COUNT];
	_Alignas(16) struct rnv_tensor_rec tensors[TENSOR_COUNT];
	_Alignas(16) uint16_t operands[8];
	_Alignas(16) struct rnv_op_rec ops[OP_COUNT];
	_Alignas(16) struct rnv_step_rec steps[OP_COUNT];
	_Alignas(16) struct rnv_entry_rec entry;
	_Alignas(16) int32_t params[29];
	_Alignas(16) uint8_t weights[FC_OFFSET + FC_STREAM];
	_Alignas(16) char labels[16];
	_Alignas(16) struct image_golden golden;
	_Alignas(16) struct rnv_trailer trailer;
};

static const int8_t conv_weights[2][4] = {{1, -2, 3, -4}, {5, 6, -7, -8}};
static const int32_t conv_bias[2] = {10, -20};
static const int8_t fc_weights[3][8] = {
	{1, 0, -1, 2, 0, 1, -1, 0}, {0, 1, 1, 0, -2, 0, 0, 1}, {1, 1, 1, 1, 1, 1, 1, 1}};
static const int32_t fc_bias[3] = {1, 2, -3};
static const int8_t golden_input[X_BYTES] = {1, -1, 2, -2, 3, -3, 4, -4, 5};

static inline int8_t lut(int8_t value)
{
	return (int8_t)(value ^ 0x15);
}

static inline int8_t clamped(int32_t value)
{
	return (int8_t)((value < -128) ? -128 : (value > 127) ? 127 : value);
}

/* The network by hand; returns the CRC-32 of what its three steps write. */
static inline uint32_t expected_output(const int8_t *x, int8_t *y)
{
	int8_t a[8];
	int8_t b[8];

	for (int i = 0; i < 4; i++) {
		const int8_t *window = x + (i / 2) * 3 + i % 2;

		for (int channel = 0; channel < 2; channel++) {
			const int8_t *w = conv_weights[channel];

			a[2 * i + channel] =
				clamped(conv_bias[channel] + w[0] * window[0] + w[1] * window[1] +
					w[2] * window[3] + w[3] * window[4]);
			b[2 * i + channel] = lut(a[2 * i + channel]);
		}
	}
	for (int channel = 0; channel < 3; channel++) {
		int32_t sum = fc_bias[channel];

		for (int i = 0; i < 8; i++) {
			sum += fc_weights[channel][i] * b[i];
		}
		y[channel] = clamped(sum);
	}
	return rnv_crc32(rnv_crc32(rnv_crc32(0, a, 8), b, 8), y, 3);
}

/* Hide a section from the reader: of an optional kind that it does not know. */
static inline void image_hide(struct image *image, int row)
{
	image->sections[row].kind = (uint16_t)(100 + row);
	image->sections[row].flags = RNV_SECTION_OPTIONAL;
}

static inline void image_seal(struct image *image)
{
	image->trailer.crc32 = rnv_crc32(0, image, sizeof(*image) - 4u);
}

static inline void image_section(struct image *image, int row, enum rnv_section kind,
				 const void *data, size_t bytes, uint32_t count)
{
	image->sections[row].kind = (uint16_t)kind;
	image->sections[row].offset = (uint32_t)((const char *)data - (const char *)image);
	image->sections[row].bytes = (uint32_t)bytes;
	image->sections[row].count = count;
}

static inline void image_tensor(struct image *image, int tensor, enum rnv_storage storage,
				uint32_t offset, uint32_t bytes, int first, int last)
{
	struct rnv_tensor_rec *rec = &image->tensors[tensor];

	rec->type = RNV_TYPE_INT8;
	rec->rank = 1;
	rec->dims[0] = bytes;
	rec->storage = (uint8_t)storage;
	rec->alias_tensor = RNV_NO_TENSOR;
	rec->offset = offset;
	rec->bytes = bytes;
	rec->first_step = (uint16_t)first;
	rec->last_step = (uint16_t)last;
}

static inline void image_op(struct image *image, int op, int code, const int32_t *params, int count,
			    uint32_t weights_offset, uint32_t weights_bytes)
{
	struct rnv_op_rec *rec = &image->ops[op];
	uint32_t first = (op == 0) ? 0
				   : image->ops[op - 1].params_offset / 4u +
					     image->ops[op - 1].params_bytes / 4u;

	rec->code = (uint16_t)code;
	rec->version = 1;
	rec->input_count = 1;
	rec->output_count = 1;
	rec->operand_first = (uint16_t)(2 * op);
	rec->params_offset = 4u * first;
	rec->params_bytes = (uint16_t)(4 * count);
	rec->weights_offset = weights_offset;
	rec->weights_bytes = weights_bytes;
	memcpy(&image->params[first], params, 4u * (size_t)count);
	image->steps[op].op = (uint16_t)op;
	image->operands[2 * op] = (uint16_t)op;
	image->operands[2 * op + 1] = (uint16_t)(op + 1);
	image->header.opset[code / 8] |= (uint8_t)(1u << (code % 8));
}

/* Bias, multipliers of 2^30 with shifts of 1, i.e. exactly 1, and weights. */
static inline void image_stream(uint8_t *stream, const int32_t *bias, int out_c, int multipliers,
				const int8_t *weights, size_t bytes)
{
	const int32_t one = 1 << 30;

	memcpy(stream, bias, 4u * (size_t)out_c);
	stream += 4 * out_c;
	for (int i = 0; i < multipliers; i++) {
		memcpy(stream + 4 * i, &one, 4);
		stream[4 * multipliers + i] = 1;
	}
	stream += 4 * multipliers + (multipliers + 3) / 4 * 4;
	memcpy(stream, weights, bytes);
}

static inline void image_fill_ops(struct image *image)
{
	static const int32_t conv[21] = {1, 3, 3, 1, 2, 2, 2, 2, 1,    1,  0,
					 0, 1, 1, 1, 0, 2, 2, 0, -128, 127};
	static const int32_t table[1] = {8};
	static const int32_t fc[7] = {1, 8, 3, 1, 0, -128, 127};

	image_op(image, OP_CONV, 1, conv, 21, 0, CONV_STREAM);
	image->ops[OP_CONV].scratch_offset = 16;
	image->ops[OP_CONV].scratch_bytes = 4;
	image_op(image, OP_LUT, 10, table, 1, LUT_OFFSET, LUT_STREAM);
	image_op(image, OP_FC, 3, fc, 7, FC_OFFSET, FC_STREAM);
	image_stream(image->weights, conv_bias, 2, 2, &conv_weights[0][0], 8);
	for (int i = 0; i < LUT_STREAM; i++) {
		image->weights[LUT_OFFSET + i] = (uint8_t)lut((int8_t)i);
	}
	image_stream(image->weights + FC_OFFSET, fc_bias, 3, 1, &fc_weights[0][0], 24);
}

static inline void image_fill_tensors(struct image *image)
{
	image_tensor(image, T_X, RNV_STORAGE_EXTERNAL, 0, X_BYTES, 0, 0);
	image_tensor(image, T_A, RNV_STORAGE_ARENA, 0, 8, 0, 1);
	image_tensor(image, T_B, RNV_STORAGE_ARENA, 0, 8, 1, 2);
	image_tensor(image, T_Y, RNV_STORAGE_EXTERNAL, 1, Y_BYTES, 2, 2);
	image->tensors[T_X].flags = RNV_TENSOR_INPUT;
	image->tensors[T_Y].flags = RNV_TENSOR_OUTPUT;
	image->tensors[T_B].alias = RNV_ALIAS_SAME;
	image->tensors[T_B].alias_tensor = T_A;
	image->operands[6] = T_X;
	image->operands[7] = T_Y;
	image->entry.input_first = 6;
	image->entry.input_count = 1;
	image->entry.output_first = 7;
	image->entry.output_count = 1;
	image->entry.step_count = OP_COUNT;
	memcpy(image->entry.name, "infer", 5);
}

/* The valid package. */
static inline void image_init(struct image *image)
{
	struct rnv_header *h = &image->header;

	memset(image, 0, sizeof(*image));
	h->magic = RNV_PACKAGE_MAGIC;
	h->format = RNV_PACKAGE_FORMAT;
	h->header_bytes = RNV_HEADER_BYTES;
	h->total_bytes = sizeof(*image);
	h->abi = RNV_PACKAGE_ABI;
	h->arena_bytes = ARENA_BYTES;
	h->io_bytes = X_BYTES + Y_BYTES;
	h->section_count = SECTION_COUNT;
	h->external_count = 2;
	h->max_live = 2;
	memcpy(h->name, "unit", 4);
	image_fill_ops(image);
	image_fill_tensors(image);
	memcpy(image->labels, "one\0two\0three", 14);
	image->golden = (struct image_golden){1, 0, X_BYTES, Y_BYTES, 0, {0}, {0}, {0}};
	memcpy(image->golden.input, golden_input, X_BYTES);
	image->golden.trace_crc = expected_output(golden_input, image->golden.output);
	image_section(image, 0, RNV_SECTION_TENSORS, image->tensors, sizeof(image->tensors),
		      TENSOR_COUNT);
	image_section(image, 1, RNV_SECTION_OPERANDS, image->operands, sizeof(image->operands), 8);
	image_section(image, 2, RNV_SECTION_OPS, image->ops, sizeof(image->ops), OP_COUNT);
	image_section(image, 3, RNV_SECTION_STEPS, image->steps, sizeof(image->steps), OP_COUNT);
	image_section(image, 4, RNV_SECTION_ENTRIES, &image->entry, sizeof(image->entry), 1);
	image_section(image, 5, RNV_SECTION_PARAMS, image->params, sizeof(image->params), 29);
	image_section(image, 6, RNV_SECTION_WEIGHTS, image->weights, sizeof(image->weights), 0);
	image_section(image, 7, RNV_SECTION_LABELS, image->labels, 14, 3);
	image_section(image, 8, RNV_SECTION_GOLDEN, &image->golden, sizeof(image->golden), 0);
	image_seal(image);
}

/* Opens the valid package. */
static inline void image_open(struct image *image, struct rnv_package *pkg)
{
	struct rnv_diag diag;

	image_init(image);
	assert_int_equal(rnv_package_open(pkg, image, sizeof(*image), 0, &diag), RNV_OK);
	assert_int_equal(diag.what, RNV_WHAT_NONE);
}

#endif /* TESTS_UNIT_MODEL_PACKAGE_FIXTURE_H_ */
