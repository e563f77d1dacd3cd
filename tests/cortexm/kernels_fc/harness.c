/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "harness.h"

#include <string.h>

#if defined(BAREMETAL)
#include <baremetal/semihosting.h>
#else
#include <stdio.h>
#endif

#define POOL_BYTES  (768u * 1024u)
#define GUARD_BYTES 32u
#define GUARD       0xA5
#define MAX_BLOCKS  32u
#define MAX_TALK    5u

static uint8_t pool[POOL_BYTES] __attribute__((aligned(16)));
static struct {
	uint8_t *start; /* guard, contents, guard */
	uint32_t bytes; /* of the contents */
} blocks[MAX_BLOCKS];
static uint32_t block_count;
static uint32_t pool_used;

static uint32_t state = 2463534242u;
static const char *case_name;
static uint32_t case_number;
static bool case_failed;
static uint32_t cases;
static uint32_t failures;

void print(const char *text)
{
#if defined(BAREMETAL)
	rnv_semihost_puts(text);
#else
	fputs(text, stdout);
#endif
}

void print_number(const char *name, int32_t value)
{
	print(name);
	print(" ");
#if defined(BAREMETAL)
	rnv_semihost_put_i32(value);
#else
	printf("%d", value);
#endif
	print("\n");
}

uint32_t random_word(void)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

int32_t random_in(int32_t low, int32_t high)
{
	uint32_t range = (uint32_t)high - (uint32_t)low + 1u;

	return (int32_t)((uint32_t)low + ((range == 0u) ? random_word() : random_word() % range));
}

void random_values(int8_t *values, uint32_t count, int32_t low, int32_t high)
{
	uint32_t kind = random_word() % 8u;

	for (uint32_t i = 0; i < count; i++) {
		if (kind == 0u) {
			values[i] = (int8_t)low;
		} else if (kind == 1u) {
			values[i] = (int8_t)high;
		} else if (kind == 2u) {
			values[i] = (int8_t)((random_word() & 1u) ? low : high);
		} else {
			values[i] = (int8_t)random_in(low, high);
		}
	}
}

void *guarded(uint32_t bytes, uint32_t misalign)
{
	uint8_t *start = pool + pool_used + misalign;
	uint32_t total = (misalign + bytes + 2u * GUARD_BYTES + 15u) & ~15u;

	if (block_count == MAX_BLOCKS || total > POOL_BYTES - pool_used) {
		expect(false, "the test needs more memory");
		return pool;
	}
	memset(start, GUARD, bytes + 2u * GUARD_BYTES);
	blocks[block_count].start = start;
	blocks[block_count++].bytes = bytes;
	pool_used += total;
	return start + GUARD_BYTES;
}

void begin_case(const char *name, uint32_t number)
{
	case_name = name;
	case_number = number;
	case_failed = false;
	block_count = 0;
	pool_used = 0;
}

void expect(bool ok, const char *what)
{
	if (ok) {
		return;
	}
	if (!case_failed && failures < MAX_TALK) {
		print("FAILED ");
		print_number(case_name, (int32_t)case_number);
		print("  ");
		print(what);
		print("\n");
	}
	case_failed = true;
}

void expect_bytes(const int8_t *got, const int8_t *wanted, uint32_t count, const char *what)
{
	for (uint32_t i = 0; i < count; i++) {
		if (got[i] != wanted[i]) {
			expect(false, what);
			if (failures < MAX_TALK) {
				print_number("  at", (int32_t)i);
				print_number("  got", got[i]);
				print_number("  wanted", wanted[i]);
			}
			return;
		}
	}
}

void end_case(void)
{
	for (uint32_t i = 0; i < block_count; i++) {
		const uint8_t *before = blocks[i].start;
		const uint8_t *behind = before + GUARD_BYTES + blocks[i].bytes;

		for (uint32_t k = 0; k < GUARD_BYTES; k++) {
			expect(before[k] == GUARD, "a byte before a buffer was written");
			expect(behind[k] == GUARD, "a byte behind a buffer was written");
		}
	}
	cases++;
	failures += case_failed ? 1u : 0u;
}

int report(void)
{
	print_number("cases", (int32_t)cases);
	print_number("failures", (int32_t)failures);
	return failures != 0u || cases == 0u;
}

const void *rnv_op_in(const struct rnv_op *op, uint32_t i)
{
	return op->exec->externals[i];
}

void *rnv_op_out(const struct rnv_op *op, uint32_t i)
{
	return op->exec->externals[op->rec->input_count + i];
}

void *rnv_op_scratch(const struct rnv_op *op)
{
	return op->exec->arena;
}

void op_init(struct test_op *t, const void *params, uint32_t count, const void *weights,
	     uint32_t weights_bytes, uint32_t scratch_bytes)
{
	memset(t, 0, sizeof(*t));
	t->pkg.tensors = t->tensors;
	t->pkg.operands = t->operands;
	t->pkg.params = params;
	t->pkg.weights = weights;
	t->rec.params_bytes = (uint16_t)(4u * count);
	t->rec.weights_bytes = weights_bytes;
	t->rec.scratch_bytes = scratch_bytes;
	t->exec.pkg = &t->pkg;
	t->exec.externals = t->data;
	t->exec.arena = (scratch_bytes != 0u) ? guarded(scratch_bytes, 0) : NULL;
	t->op.pkg = &t->pkg;
	t->op.rec = &t->rec;
	t->op.exec = &t->exec;
}

void op_operand(struct test_op *t, void *data, uint32_t bytes, bool output)
{
	uint16_t tensor = t->pkg.tensor_count++;

	t->operands[tensor] = tensor;
	t->tensors[tensor].type = RNV_TYPE_INT8;
	t->tensors[tensor].bytes = bytes;
	t->data[tensor] = data;
	if (output) {
		t->rec.output_count++;
	} else {
		t->rec.input_count++;
	}
}

void op_check(struct test_op *t, const struct rnv_kernel *kernel, int mask)
{
	expect(kernel->check(&t->op) == mask, "check() accepts the op with this mask");
	t->rec.weights_bytes += 4u;
	expect(kernel->check(&t->op) == RNV_EFORMAT, "check() refuses a longer stream");
	t->rec.weights_bytes -= 4u;
	t->rec.scratch_bytes++;
	expect(kernel->check(&t->op) == RNV_EFORMAT, "check() refuses more scratch");
	t->rec.scratch_bytes--;
	for (uint32_t i = 0; i < t->pkg.tensor_count; i++) {
		t->tensors[i].bytes--;
		t->tensors[i].dims[1]--;
		expect(kernel->check(&t->op) == RNV_EFORMAT, "check() refuses a short operand");
		t->tensors[i].bytes++;
		t->tensors[i].dims[1]++;
		t->tensors[i].type = RNV_TYPE_UINT8;
		expect(kernel->check(&t->op) == RNV_EFORMAT, "check() refuses another type");
		t->tensors[i].type = RNV_TYPE_INT8;
	}
}

int32_t reference_requantize(int32_t x, int32_t m, int32_t shift)
{
	int32_t left = (int32_t)((uint32_t)x << ((shift > 0) ? shift : 0));
	int64_t product = (int64_t)left * m;
	int64_t nudge = (product >= 0) ? (1 << 30) : 1 - (1 << 30);
	int32_t high = (int32_t)((product + nudge) / ((int64_t)1 << 31));
	uint32_t right = (uint32_t)((shift < 0) ? -shift : 0);
	int32_t mask = (int32_t)(((int64_t)1 << right) - 1);
	int32_t remainder = high & mask;
	int32_t threshold = (mask >> 1) + ((high < 0) ? 1 : 0);

	return (high >> right) + ((remainder > threshold) ? 1 : 0);
}

int64_t clamped(int64_t x, int64_t low, int64_t high)
{
	return (x < low) ? low : (x > high) ? high : x;
}

int64_t floor_shift(int64_t x, uint32_t bits)
{
	int64_t unit = (int64_t)1 << bits;
	int64_t rest = ((x % unit) + unit) % unit;

	return (x - rest) / unit;
}

int32_t high_word(int32_t a, int32_t b)
{
	return (int32_t)floor_shift((int64_t)a * b, 32);
}
