/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "ranvier/package.h"

static const char *const what_names[] = {
	[RNV_WHAT_NONE] = "nothing",
	[RNV_WHAT_ADDRESS] = "address of the package (16-byte alignment)",
	[RNV_WHAT_SIZE] = "size of the package",
	[RNV_WHAT_MAGIC] = "magic number (not a Ranvier package)",
	[RNV_WHAT_FORMAT] = "format version",
	[RNV_WHAT_ABI] = "ABI version",
	[RNV_WHAT_ISA] = "instruction-set packing",
	[RNV_WHAT_HEADER] = "header field",
	[RNV_WHAT_CRC] = "CRC-32",
	[RNV_WHAT_SIGNATURE] = "signature",
	[RNV_WHAT_SECTION] = "section",
	[RNV_WHAT_TENSOR] = "tensor record",
	[RNV_WHAT_OPERAND] = "operand",
	[RNV_WHAT_OP] = "op record",
	[RNV_WHAT_OP_CODE] = "op that this build does not contain",
	[RNV_WHAT_OP_PARAMS] = "parameters of an op",
	[RNV_WHAT_STEP] = "step",
	[RNV_WHAT_ENTRY] = "entry point",
	[RNV_WHAT_OVERLAP] = "overlap of live tensors",
	[RNV_WHAT_SCRATCH] = "overlap of scratch with a live tensor",
	[RNV_WHAT_LIFETIME] = "use of a tensor outside its lifetime",
	[RNV_WHAT_MAX_LIVE] = "number of live tensors",
	[RNV_WHAT_SLICE] = "sliced step",
	[RNV_WHAT_RING] = "ring storage",
	[RNV_WHAT_LAYOUT] = "tensor layout other than dense",
	[RNV_WHAT_ALIAS_LEAD] = "leading alias",
	[RNV_WHAT_STATE] = "persistent state",
	[RNV_WHAT_ENTRIES] = "number of entry points",
	[RNV_WHAT_CHANNEL_QUANT] = "per-channel quantisation of a tensor",
	[RNV_WHAT_TYPE] = "element type",
	[RNV_WHAT_RESERVED] = "reserved field",
};

const char *rnv_what_name(uint32_t what)
{
	return (what < sizeof(what_names) / sizeof(what_names[0])) ? what_names[what] : "unknown";
}
