/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stddef.h>

#include "ranvier/package.h"
#include "ranvier/status.h"

#include "verify.h"

/* Walk over the inputs and outputs of an entry point. */
struct entry_walk {
	const struct rnv_package *pkg;
	uint32_t slot;     /* next external slot */
	uint32_t io_bytes; /* bytes of the external tensors so far */
};

/* Entry operands are distinct tensors that carry `flag`; external ones have ascending slots. */
static int verify_list(struct entry_walk *walk, uint32_t first, uint32_t count, uint8_t flag,
		       struct rnv_diag *diag)
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
			ok = ok && t->first_step == 0u;
		} else {
			ok = ok && t->last_step == pkg->step_count - 1u;
		}
		if (!ok) {
			return rnv_malformed(diag, RNV_WHAT_TENSOR, list[i], t->flags);
		}
	}
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

static bool entry_ok(const struct rnv_package *pkg, const struct rnv_entry_rec *entry)
{
	return entry->flags == 0u && entry->step_first == 0u &&
	       entry->step_count == pkg->step_count && name_ok(entry->name) &&
	       entry->output_count != 0u &&
	       (uint32_t)entry->input_count + entry->output_count <= RNV_MAX_LIVE &&
	       rnv_range_ok(entry->input_first, entry->input_count, pkg->operand_count) &&
	       rnv_range_ok(entry->output_first, entry->output_count, pkg->operand_count);
}

int rnv_verify_entry(const struct rnv_package *pkg, struct rnv_diag *diag)
{
	const struct rnv_entry_rec *entry = &pkg->entries[0];
	struct entry_walk walk = {.pkg = pkg};
	int status;

	if (pkg->entry_count != 1u) {
		return rnv_unsupported(diag, RNV_WHAT_ENTRIES, 0, pkg->entry_count);
	}
	if (!entry_ok(pkg, entry)) {
		return rnv_malformed(diag, RNV_WHAT_ENTRY, 0, entry->step_count);
	}
	status = verify_list(&walk, entry->input_first, entry->input_count, RNV_TENSOR_INPUT, diag);
	if (status == RNV_OK) {
		status = verify_list(&walk, entry->output_first, entry->output_count,
				     RNV_TENSOR_OUTPUT, diag);
	}
	if (status == RNV_OK &&
	    (walk.slot != pkg->header->external_count || walk.io_bytes != pkg->header->io_bytes)) {
		status = rnv_malformed(diag, RNV_WHAT_HEADER, 32, walk.io_bytes);
	}
	if (status == RNV_OK) {
		status =
			verify_flags(pkg, (uint32_t)entry->input_count + entry->output_count, diag);
	}
	return status;
}
