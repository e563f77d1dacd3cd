# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The byte layout of a package's records (SPEC.md), shared by the writer and the reader."""

from __future__ import annotations

import enum
import re
import struct

MAGIC = 0x4D564E52
FORMAT = 1
ABI = 1
ALIGN = 16
MAX_RANK = 5
MAX_LIVE = 32
MAX_RECORDS = 0xFFFE
NO_TENSOR = 0xFFFF
ENTRY_NAME_BYTES = 16
MODEL_NAME = re.compile(r"[A-Za-z0-9_.-]{1,31}")
TRAILER_BYTES = 112

#: magic, format, header_bytes, total_bytes, abi, isa, flags, security_version, arena_bytes,
#: state_bytes, io_bytes, state_layout, version[3], section_count, opset, name, external_count,
#: max_live, reserved[3]
HEADER = struct.Struct("<IHHIHHIIIIIIHHHH32s32sHHIII")
#: kind, flags, offset, bytes, count
SECTION = struct.Struct("<HHIII")
#: type, rank, storage, layout, alias, flags, alias_tensor, offset, bytes, alias_lead, ring_rows,
#: quant_axis, scale, zero_point, quant_table, first_step, last_step, dims[5], reserved
TENSOR = struct.Struct("<BBBBBBHIIIHHfiIHH5II")
#: code, version, packing, input_count, output_count, operand_first, params_offset, params_bytes,
#: flags, weights_offset, weights_bytes, scratch_offset, scratch_bytes
OP = struct.Struct("<HBBBBHIHHIIII")
#: op, flags, row0, rows, predicted
STEP = struct.Struct("<HHIII")
#: name, step_first, step_count, input_first, input_count, output_first, output_count, flags
ENTRY = struct.Struct("<16sHHHHHHI")
#: kind, seed, input_bytes, output_bytes, trace_crc, reserved[3]
GOLDEN = struct.Struct("<IIIIIIII")
#: sha256, key_id, signature_kind, signature, reserved, crc32
TRAILER = struct.Struct("<32sII64sII")

TENSOR_INPUT = 1
TENSOR_OUTPUT = 2
STEP_SLICE = 1
STEP_NPU = 2
SECTION_OPTIONAL = 1
GOLDEN_SEEDED = 0
GOLDEN_STORED = 1
SIGNATURE_NONE = 0
SIGNATURE_ECDSA_P256 = 1


class Section(enum.IntEnum):
    """Section kinds, in the order in which they lie in the file."""

    TENSORS = 1
    OPERANDS = 2
    OPS = 3
    STEPS = 4
    ENTRIES = 5
    PARAMS = 6
    WEIGHTS = 7
    QUANT = 8
    LABELS = 9
    GOLDEN = 10
    META = 11
    NAMES = 12


#: Sections that a device may skip.
HOST_SECTIONS = frozenset({Section.META, Section.NAMES})


def align(offset: int, alignment: int = ALIGN) -> int:
    """``offset`` rounded up to a multiple of ``alignment``."""
    return -(-offset // alignment) * alignment


def golden_bytes(seed: int, count: int) -> bytes:
    """The first ``count`` bytes of the self-test's generator (xorshift32, high byte of each)."""
    state = seed
    out = bytearray(count)
    for i in range(count):
        state ^= (state << 13) & 0xFFFFFFFF
        state ^= state >> 17
        state ^= (state << 5) & 0xFFFFFFFF
        out[i] = state >> 24
    return bytes(out)
