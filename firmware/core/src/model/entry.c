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
	uint32_t step;     /* first step of the present entry point */
	uint32_t last;     /* its last step */
	uint32_t slot;     /* next external slot */
	uint32_t io_bytes; /* bytes of the external tensors so far */
	uint32_t listed;   /* inputs and outputs so far */
};

/* Entry operands are distinct tensors that carry `flag`; external ones have ascending slots. */
static int verify_list(struct entry_walk *walk, uint32_t first, uint32_t count, uint8_t flag)
{
	const struct rnv_package *pkg = walk->pkg;
	const uint16_t *list = pkg->operands + first;
	bool resident = pkg->header->flags == RNV_IO_RESIDENT;

	for (uint32_t i = 0; i < count; i++) {
		const struct rnv_tensor_rec *t = &pkg->tensors[list[i]];
		bool ok = t->flags == flag &&
			  t->storage == (resident ? RNV_STORAGE_ARENA : RNV_STORAGE_EXTERNAL);

		for (uint32_t j = 0; j < i; j++) {
			ok = ok && list[j] != list[i];
		}
		if (!resident) {
			ok = ok && t->offset == walk->slot && t->alias == RNV_ALIAS_NONE;
			walk->slot++;
			walk->io_bytes += t->bytes;
		}
		if (flag == RNV_TENSOR_INPUT) {
			ok = ok && t->first_step == walk->step;
		} else {
			ok = ok && t->last_step == walk->last;
		}
		if (!ok) {
			return rnv_malformed(walk->diag, RNV_WHAT_TENSOR, list[i], t->flags);
		}
	}
	walk->listed += count;
	return RNV_OK;
}

/* Every flagged tensor is listed, and other external tensors live in a donated input. */
static int verify_flags(const struct rnv_package *pkg, uint32_t listed, struct rnv_diag *diag)
{
	uint32_t flagged = 0;

	for (uint32_t i = 0; i < pkg->tensor_count; i++) {
		const struct rnv_tensor_rec *t = &pkg->tensors[i];

		if (t->flags != 0u) {
			flagged++;
		} else if (t->storage == RNV_STORAGE_EXTERNAL &&
			   (pkg->header->flags != RNV_IO_DONATED || t->alias != RNV_ALIAS_SAME ||
			    t->bytes > pkg->tensors[t->alias_tensor].bytes)) {
			return rnv_malformed(diag, RNV_WHAT_TENSOR, i, t->storage);
		}
	}
	return (flagged == listed) ? RNV_OK : rnv_malformed(diag, RNV_WHAT_ENTRY, 0, flagged);
}

/* One or more bytes, then zeros, at least one. */
static bool name_ok(const uint8_t *name)
{
	uint32_t i = 0;

	while (i < RNV_ENTRY_NAME_BYTES - 1u && name[i] != 0u) {
		i++;
	}
	return i > 0u && rnv_all_zero(name + i, RNV_ENTRY_NAME_BYTES - i);
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
	       name_ok(entry->name) && name_is_new(pkg, index) &&
	       (entry->output_count != 0u || pkg->header->state_bytes != 0u) &&
	       (uint32_t)entry->input_count + entry->output_count <= RNV_MAX_LIVE &&
	       rnv_range_ok(entry->input_first, entry->input_count, pkg->operand_count) &&
	       rnv_range_ok(entry->output_first, entry->output_count, pkg->operand_count);
}

/* Their records, and that they follow each other and cover all steps. */
static int verify_ranges(const struct rnv_package *pkg, struct rnv_diag *diag)
{
	uint32_t step = 0;

	for (uint32_t i = 0; i < pkg->entry_count; i++) {
		if (!entry_ok(pkg, i, step)) {
			return rnv_malformed(diag, RNV_WHAT_ENTRY, i, pkg->entries[i].step_count);
		}
		step += pkg->entries[i].step_count;
	}
	return (step == pkg->step_count)
		       ? RNV_OK
		       : rnv_malformed(diag, RNV_WHAT_ENTRY, pkg->entry_count - 1u, step);
}

static int verify_lists(struct entry_walk *walk, const struct rnv_entry_rec *entry)
{
	int status;

	walk->step = entry->step_first;
	walk->last = (uint32_t)entry->step_first + entry->step_count - 1u;
	status = verify_list(walk, entry->input_first, entry->input_count, RNV_TENSOR_INPUT);
	if (status == RNV_OK) {
		status = verify_list(walk, entry->output_first, entry->output_count,
				     RNV_TENSOR_OUTPUT);
	}
	return status;
}

/* What is neither constant nor state lives within one entry point: a run leaves nothing else. */
static int verify_spans(const struct rnv_package *pkg, struct rnv_diag *diag)
{
	const struct rnv_entry_rec *entry = &pkg->entries[0];

	for (uint32_t i = 0; i < pkg->tensor_count; i++) {
		const struct rnv_tensor_rec *t = &pkg->tensors[i];

		/* Records are sorted by first step, and entry points cover all steps. */
		while (t->first_step >= (uint32_t)entry->step_first + entry->step_count) {
			entry++;
		}
		if (t->storage != RNV_STORAGE_CONST && t->storage != RNV_STORAGE_STATE &&
		    t->last_step >= (uint32_t)entry->step_first + entry->step_count) {
			return rnv_malformed(diag, RNV_WHAT_LIFETIME, i, t->last_step);
		}
	}
	return RNV_OK;
}

int rnv_verify_entries(const struct rnv_package *pkg, struct rnv_diag *diag)
{
	const struct rnv_header *header = pkg->header;
	struct entry_walk walk = {.pkg = pkg, .diag = diag};
	int status;

	if (pkg->entry_count > RNV_MAX_ENTRIES) {
		return rnv_malformed(diag, RNV_WHAT_ENTRIES, 0, pkg->entry_count);
	}
	status = verify_ranges(pkg, diag);
	for (uint32_t i = 0; i < pkg->entry_count && status == RNV_OK; i++) {
		status = verify_lists(&walk, &pkg->entries[i]);
	}
	if (status == RNV_OK &&
	    (walk.slot != header->external_count || walk.io_bytes != header->io_bytes)) {
		status = rnv_malformed(diag, RNV_WHAT_HEADER, 32, walk.io_bytes);
	}
	if (status == RNV_OK) {
		status = verify_flags(pkg, walk.listed, diag);
	}
	return (status == RNV_OK) ? verify_spans(pkg, diag) : status;
}
