/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stddef.h>

#include "ranvier/package.h"
#include "ranvier/status.h"

#include "verify.h"

/* The records are read in place: their C layout is the format. */
_Static_assert(sizeof(struct rnv_header) == RNV_HEADER_BYTES, "header");
_Static_assert(offsetof(struct rnv_header, opset) == 48, "header.opset");
_Static_assert(offsetof(struct rnv_header, external_count) == 112, "header.external_count");
_Static_assert(sizeof(struct rnv_section_rec) == 16, "section");
_Static_assert(sizeof(struct rnv_tensor_rec) == 64, "tensor");
_Static_assert(sizeof(struct rnv_op_rec) == 32, "op");
_Static_assert(sizeof(struct rnv_step_rec) == 16, "step");
_Static_assert(sizeof(struct rnv_entry_rec) == 32, "entry");
_Static_assert(sizeof(struct rnv_trailer) == RNV_TRAILER_BYTES, "trailer");

/* Fields that a reader must know before it may trust the length. */
static int verify_identity(const struct rnv_header *header, uint32_t bytes, struct rnv_diag *diag)
{
	if (bytes < RNV_HEADER_BYTES) {
		return rnv_malformed(diag, RNV_WHAT_SIZE, 0, bytes);
	}
	if (header->magic != RNV_PACKAGE_MAGIC) {
		return rnv_malformed(diag, RNV_WHAT_MAGIC, 0, header->magic);
	}
	if (header->format != RNV_PACKAGE_FORMAT) {
		return rnv_unsupported(diag, RNV_WHAT_FORMAT, 0, header->format);
	}
	if (header->header_bytes != RNV_HEADER_BYTES) {
		return rnv_malformed(diag, RNV_WHAT_HEADER, 6, header->header_bytes);
	}
	if (header->total_bytes < RNV_HEADER_BYTES + RNV_TRAILER_BYTES ||
	    header->total_bytes % 16u != 0u || header->total_bytes > bytes) {
		return rnv_malformed(diag, RNV_WHAT_SIZE, 0, header->total_bytes);
	}
	return RNV_OK;
}

static int verify_trailer(const struct rnv_header *header, uint32_t flags, struct rnv_diag *diag)
{
	const uint8_t *base = (const uint8_t *)header;
	uint32_t start = header->total_bytes - RNV_TRAILER_BYTES;
	const struct rnv_trailer *trailer =
		(const struct rnv_trailer *)(const void *)(base + start);
	uint32_t kind;
	bool is_unsigned;

	if ((flags & RNV_OPEN_SKIP_CRC) == 0u) {
		uint32_t crc = rnv_crc32(0, base, header->total_bytes - 4u);

		if (crc != trailer->crc32) {
			rnv_diagnose(diag, RNV_WHAT_CRC, 0, crc);
			return RNV_EBADMSG;
		}
	}
	is_unsigned = rnv_all_zero(trailer->signature, sizeof(trailer->signature));
	kind = trailer->signature_kind;
	if (kind > RNV_SIGNATURE_ECDSA_P256) {
		return rnv_unsupported(diag, RNV_WHAT_SIGNATURE, 0, kind);
	}
	if ((trailer->key_id == 0u) != is_unsigned || kind == is_unsigned) {
		return rnv_malformed(diag, RNV_WHAT_SIGNATURE, 0, kind);
	}
	if (trailer->reserved != 0u) {
		return rnv_malformed(diag, RNV_WHAT_RESERVED, start + 104u, trailer->reserved);
	}
	return RNV_OK;
}

static bool name_char(uint8_t c)
{
	return (uint8_t)((c | 0x20u) - 'a') < 26u || (uint8_t)(c - '0') < 10u || c == '_' ||
	       c == '.' || c == '-';
}

/* One or more allowed characters. */
static bool name_ok(const uint8_t *name)
{
	uint32_t left = rnv_name_length(name, RNV_NAME_BYTES);

	if (left == 0u) {
		return false;
	}
	while (left != 0u && name_char(name[left - 1u])) {
		left--;
	}
	return left == 0u;
}

static int verify_header(const struct rnv_header *header, struct rnv_diag *diag)
{
	if (header->abi != RNV_PACKAGE_ABI) {
		return rnv_unsupported(diag, RNV_WHAT_ABI, 0, header->abi);
	}
	if (header->isa != RNV_ISA_GENERIC && header->isa != RNV_ISA_DSP &&
	    header->isa != RNV_ISA_BASE) {
		return rnv_unsupported(diag, RNV_WHAT_ISA, 0, header->isa);
	}
	if (header->flags > RNV_IO_RESIDENT) {
		return rnv_unsupported(diag, RNV_WHAT_HEADER, 16, header->flags);
	}
	if (!name_ok(header->name)) {
		return rnv_malformed(diag, RNV_WHAT_HEADER, 80, header->name[0]);
	}
	if (header->max_live > RNV_MAX_LIVE) {
		return rnv_malformed(diag, RNV_WHAT_MAX_LIVE, 0, header->max_live);
	}
	for (uint32_t i = 0; i < 3u; i++) {
		if (header->reserved[i] != 0u) {
			return rnv_malformed(diag, RNV_WHAT_RESERVED, 116u + 4u * i,
					     header->reserved[i]);
		}
	}
	return RNV_OK;
}

/* What is proven once the sections are known; each relies on those before it. */
static int (*const passes[])(const struct rnv_package *pkg, struct rnv_diag *diag) = {
	rnv_verify_tensors, rnv_verify_state, rnv_verify_ops,      rnv_verify_entries,
	rnv_verify_kernels, rnv_verify_rows,  rnv_verify_liveness, rnv_verify_golden,
};

int rnv_package_open(struct rnv_package *pkg, const void *data, uint32_t bytes, uint32_t flags,
		     struct rnv_diag *diag)
{
	const struct rnv_header *header = data;
	int status;

	rnv_diagnose(diag, RNV_WHAT_NONE, 0, 0);
	if (pkg == NULL || data == NULL || (flags & ~(uint32_t)RNV_OPEN_SKIP_CRC) != 0u) {
		return RNV_EINVAL;
	}
	if ((uintptr_t)data % RNV_PACKAGE_ALIGN != 0u) {
		rnv_diagnose(diag, RNV_WHAT_ADDRESS, 0,
			     (uint32_t)((uintptr_t)data % RNV_PACKAGE_ALIGN));
		return RNV_EALIGN;
	}
	*pkg = (struct rnv_package){.header = header};
	status = verify_identity(header, bytes, diag);
	if (status == RNV_OK) {
		status = verify_trailer(header, flags, diag);
	}
	if (status == RNV_OK) {
		status = verify_header(header, diag);
	}
	if (status == RNV_OK) {
		status = rnv_verify_sections(pkg, diag);
	}
	for (uint32_t i = 0; i < sizeof(passes) / sizeof(passes[0]) && status == RNV_OK; i++) {
		status = passes[i](pkg, diag);
	}
	if (status != RNV_OK) {
		*pkg = (struct rnv_package){.header = NULL};
	}
	return status;
}
