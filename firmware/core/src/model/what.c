/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "ranvier/package.h"

#include "verify.h"

/* The words of every `enum rnv_what` from 0 on, each with its final zero, and of any other. */
static const char words[] = "nothing\0"
			    "address of the package (16-byte alignment)\0"
			    "size of the package\0"
			    "magic number (not a Ranvier package)\0"
			    "format version\0"
			    "ABI version\0"
			    "instruction-set packing\0"
			    "header field\0"
			    "CRC-32\0"
			    "signature\0"
			    "section\0"
			    "tensor record\0"
			    "operand\0"
			    "op record\0"
			    "op that this build lacks\0"
			    "parameters of an op\0"
			    "step\0"
			    "entry point\0"
			    "overlap of live tensors\0"
			    "overlap of scratch with a live tensor\0"
			    "use of a tensor outside its lifetime\0"
			    "number of live tensors\0"
			    "sliced step\0"
			    "ring storage\0"
			    "tensor layout\0"
			    "leading alias\0"
			    "persistent state\0"
			    "number of entry points\0"
			    "per-channel quantisation of a tensor\0"
			    "element type\0"
			    "reserved field\0"
			    "unknown";

#define UNKNOWN (RNV_WHAT_RESERVED + 1u)

const char *rnv_string_at(const char *strings, uint32_t index)
{
	for (; index != 0u; index--) {
		while (*strings++ != '\0') {
		}
	}
	return strings;
}

const char *rnv_what_name(uint32_t what)
{
	return rnv_string_at(words, (what < UNKNOWN) ? what : UNKNOWN);
}
