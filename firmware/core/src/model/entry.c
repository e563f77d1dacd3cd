/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stddef.h>

#include "ranvier/package.h"
#include "ranvier/status.h"

#include "verify.h"

/* Walk over the inputs and outputs of all entry points. */
struct entry_walk {
	const struct rnv_package *pkg;
	struct rnv_diag *diag;
	uint32_t storage;  /* of inputs and outputs */
	uint32_t step;     /* first step of the present entry point */
	uint32_t slot;     /* next external slot */
	uint32_t io_bytes; /* bytes of the external tensors so far */
	uint32_t listed;   /* inputs and outputs so far */
};

/*
 * Entry operands are distinct tensors that carry `flag`: inputs from `step` on, outputs up to it.
 * External ones have ascending slots.
 */
static int verify_list(struct entry_walk *walk, const uint16_t *list, uint32_t count, uint32_t flag,
		       uint32_t step)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct rnv_tensor_rec *t = &walk->pkg->tensors[list[i]];
		bool ok = t->flags == flag && t->storage == walk->storage &&
			  (flag == RNV_TENSOR_INPUT ? t->first_step : t->last_step) == step &&
			  rnv_listed(list, i, list[i]) == 0u;

		if (walk->storage == RNV_STORAGE_EXTERNAL) {
			ok = ok && t->offset == walk->slot && t->alias == RNV_ALIAS_NONE;
			walk->slot++;
			walk->io_bytes += t->bytes;
		}
		if (!ok) {
			return rnv_malformed(walk->diag, RNV_WHAT_TENSOR, list[i], t->flags);
		}
	}
	walk->listed += count;
	return RNV_OK;
}

/* No entry point before this one has its name. */
static bool name_is_new(const struct rnv_package *pkg, uint32_t index)
{
	const uint8_t *name = pkg->entries[index].name;

	for (uint32_t i = 0; i < index; i++) {
		uint32_t same = 0;

		while (same < RNV_ENTRY_NAME_BYTES && pkg->entries[i].name[same] == name[same]) {
			same++;
		}
		if (same == RNV_ENTRY_NAME_BYTES) {
			return false;
		}
	}
	return true;
}

/* An entry point without outputs has its effect in the state. */
static bool entry_ok(const struct rnv_package *pkg, uint32_t index, uint32_t step)
{
	const struct rnv_entry_rec *entry = &pkg->entries[index];

	return entry->flags == 0u && entry->step_first == step && entry->step_count != 0u &&
	       rnv_name_length(entry->name, RNV_ENTRY_NAME_BYTES) != 0u &&
	       name_is_new(pkg, index) &&
	       (entry->output_count != 0u || pkg->header->state_bytes != 0u) &&
	       (uint32_t)entry->input_count + entry->output_count <= RNV_MAX_LIVE &&
	       rnv_range_ok(entry->input_first, entry->input_count, pkg->operand_count) &&
	       rnv_range_ok(entry->output_first, entry->output_count, pkg->operand_count);
}

/* They follow each other and cover all steps. */
static int verify_entry(struct entry_walk *walk, uint32_t index)
{
	const struct rnv_package *pkg = walk->pkg;
	const struct rnv_entry_rec *entry = &pkg->entries[index];
	uint32_t end = (index + 1u < pkg->entry_count) ? entry[1].step_first : pkg->step_count;
	uint32_t step = walk->step;
	int status;

	walk->step += entry->step_count;
	if (walk->step != end || !entry_ok(pkg, index, step)) {
		return rnv_malformed(walk->diag, RNV_WHAT_ENTRY, index, entry->step_count);
	}
	status = verify_list(walk, pkg->operands + entry->input_first, entry->input_count,
			     RNV_TENSOR_INPUT, step);
	if (status == RNV_OK) {
		status = verify_list(walk, pkg->operands + entry->output_first, entry->output_count,
				     RNV_TENSOR_OUTPUT, walk->step - 1u);
	}
	return status;
}

/*
 * Every flagged tensor is listed, and other external tensors live in a donated input. What is
 * neither constant nor state lives within one entry point: a run leaves nothing else.
 */
static int verify_tensors(const struct entry_walk *walk)
{
	const struct rnv_package *pkg = walk->pkg;
	const struct rnv_entry_rec *entry = pkg->entries;
	uint32_t end = entry->step_count;
	uint32_t flagged = 0;

	for (uint32_t i = 0; i < pkg->tensor_count; i++) {
		const struct rnv_tensor_rec *t = &pkg->tensors[i];

		if (t->flags != 0u) {
			flagged++;
		} else if (t->storage == RNV_STORAGE_EXTERNAL &&
			   (pkg->header->flags != RNV_IO_DONATED || t->alias != RNV_ALIAS_SAME ||
			    t->bytes > pkg->tensors[t->alias_tensor].bytes)) {
			return rnv_malformed(walk->diag, RNV_WHAT_TENSOR, i, t->storage);
		}
		/* Records are sorted by first step, and entry points cover all steps. */
		while (t->first_step >= end) {
			entry++;
			end += entry->step_count;
		}
		if (t->storage < RNV_STORAGE_CONST && t->last_step >= end) {
			return rnv_malformed(walk->diag, RNV_WHAT_LIFETIME, i, t->last_step);
		}
	}
	return (flagged == walk->listed) ? RNV_OK
					 : rnv_malformed(walk->diag, RNV_WHAT_ENTRY, 0, flagged);
}

int rnv_verify_entries(const struct rnv_package *pkg, struct rnv_diag *diag)
{
	const struct rnv_header *header = pkg->header;
	struct entry_walk walk = {.pkg = pkg, .diag = diag};

	if (pkg->entry_count > RNV_MAX_ENTRIES) {
		return rnv_malformed(diag, RNV_WHAT_ENTRIES, 0, pkg->entry_count);
	}
	walk.storage =
		(header->flags == RNV_IO_RESIDENT) ? RNV_STORAGE_ARENA : RNV_STORAGE_EXTERNAL;
	for (uint32_t i = 0; i < pkg->entry_count; i++) {
		int status = verify_entry(&walk, i);

		if (status != RNV_OK) {
			return status;
		}
	}
	if (walk.slot != header->external_count || walk.io_bytes != header->io_bytes) {
		return rnv_malformed(diag, RNV_WHAT_HEADER, 32, walk.io_bytes);
	}
	return verify_tensors(&walk);
}
