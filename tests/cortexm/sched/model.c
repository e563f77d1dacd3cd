/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <baremetal/semihosting.h>

#include <string.h>

#include "kernels/kernel.h"
#include "model.h"

#define CODE 3U

static int check(const struct rnv_op *op)
{
	(void)op;
	return 0;
}

static void run(const struct rnv_op *op)
{
	(void)op;
	on_step();
}

static const struct rnv_kernel kernel = {.check = check, .run = run};

const uint16_t rnv_kernel_count = 4;

const struct rnv_kernel_row rnv_kernel_rows[] = {
	{&kernel, "ONE", 1},
	{&kernel, "TWO", 2},
	{&kernel, "THREE", CODE},
	{&kernel, "FOUR", 4},
};

const uint8_t rnv_kernel_index[] = {0, 1, 2, 3, 4};

void must(int status, const char *what)
{
	if (status < 0) {
		rnv_semihost_puts(what);
		rnv_semihost_puts(": ");
		rnv_semihost_put_i32(status);
		rnv_semihost_puts("\n");
		rnv_semihost_exit(1);
	}
}

void rnv_panic(const char *what)
{
	must(-1, what);
}

static void section(struct model *model, uint32_t row, enum rnv_section kind, const void *data,
		    size_t bytes, uint32_t count)
{
	model->sections[row].kind = (uint16_t)kind;
	model->sections[row].offset = (uint32_t)((const char *)data - (const char *)model);
	model->sections[row].bytes = (uint32_t)bytes;
	model->sections[row].count = count;
}

/* The input, what each step writes (in two places by turns), the output. */
static void tensor(struct model *model, uint32_t number)
{
	struct rnv_tensor_rec *rec = &model->tensors[number];
	bool io = number == 0U || number == STEPS;

	rec->type = RNV_TYPE_INT8;
	rec->rank = 1;
	rec->dims[0] = IO_BYTES;
	rec->bytes = IO_BYTES;
	rec->alias_tensor = RNV_NO_TENSOR;
	rec->storage = io ? RNV_STORAGE_EXTERNAL : RNV_STORAGE_ARENA;
	rec->offset = io ? number / STEPS : IO_BYTES * (number % 2U);
	rec->first_step = (uint16_t)(number == 0U ? 0U : number - 1U);
	rec->last_step = (uint16_t)(number == STEPS ? number - 1U : number);
	rec->flags = (number == 0U) ? RNV_TENSOR_INPUT : io ? RNV_TENSOR_OUTPUT : 0U;
}

static void op(struct model *model, uint32_t number)
{
	model->ops[number].code = CODE;
	model->ops[number].version = 1;
	model->ops[number].input_count = 1;
	model->ops[number].output_count = 1;
	model->ops[number].operand_first = (uint16_t)(2U * number);
	model->steps[number].op = (uint16_t)number;
	model->operands[2U * number] = (uint16_t)number;
	model->operands[2U * number + 1U] = (uint16_t)(number + 1U);
}

void model_make(struct model *model, const char *name)
{
	struct rnv_header *h = &model->header;

	memset(model, 0, sizeof(*model));
	h->magic = RNV_PACKAGE_MAGIC;
	h->format = RNV_PACKAGE_FORMAT;
	h->header_bytes = RNV_HEADER_BYTES;
	h->total_bytes = sizeof(*model);
	h->abi = RNV_PACKAGE_ABI;
	h->arena_bytes = ARENA_BYTES;
	h->io_bytes = 2U * IO_BYTES;
	h->section_count = 7;
	h->external_count = 2;
	h->max_live = 2;
	h->opset[CODE / 8U] = 1U << (CODE % 8U);
	memcpy(h->name, name, strlen(name));
	for (uint32_t i = 0; i <= STEPS; i++) {
		tensor(model, i);
	}
	for (uint32_t i = 0; i < STEPS; i++) {
		op(model, i);
	}
	model->operands[2U * STEPS + 1U] = STEPS;
	model->entry.input_first = 2U * STEPS;
	model->entry.input_count = 1;
	model->entry.output_first = 2U * STEPS + 1U;
	model->entry.output_count = 1;
	model->entry.step_count = STEPS;
	memcpy(model->entry.name, "infer", 5);
	section(model, 0, RNV_SECTION_TENSORS, model->tensors, sizeof(model->tensors), STEPS + 1U);
	section(model, 1, RNV_SECTION_OPERANDS, model->operands, sizeof(model->operands),
		2U * STEPS + 2U);
	section(model, 2, RNV_SECTION_OPS, model->ops, sizeof(model->ops), STEPS);
	section(model, 3, RNV_SECTION_STEPS, model->steps, sizeof(model->steps), STEPS);
	section(model, 4, RNV_SECTION_ENTRIES, &model->entry, sizeof(model->entry), 1);
	section(model, 5, RNV_SECTION_PARAMS, model->params, sizeof(model->params), 4);
	section(model, 6, RNV_SECTION_WEIGHTS, model->weights, sizeof(model->weights), 0);
	model->trailer.crc32 = rnv_crc32(0, model, sizeof(*model) - 4U);
}
