# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The self-test that a package carries: inputs that make its outputs vary, and what follows."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ranvier.compiler.graph import DType
from ranvier.compiler.report import analyze_package
from ranvier.native import NativePackage, Session
from ranvier.package.format import golden_bytes
from ranvier.package.records import Golden, PackageContent, TensorRecord
from ranvier.package.writer import write_package

_TRIES = 16
_WORK_PER_BYTE = 1024
"""What making a byte of input or comparing one of output costs, in multiply-accumulates."""
_WORK_FOR_TRIES = 2**31
"""Multiply-accumulates to spend on more than one try: some seconds."""
_MOST_STORED_BYTES = 2**16
"""Expected outputs, and inputs of float32, to store at most: they take flash."""
_WORK_LIMIT = 2**34
"""Multiply-accumulates beyond which a package gets no self-test."""


def add_golden(content: PackageContent) -> PackageContent:
    """The same content with the self-test, of some seeds, whose outputs hold most byte values.

    The expected outputs are those of the native core on this machine. A model too large for any
    microcontroller, or with outputs or float32 inputs too large to store, gets no self-test.
    """
    runner = NativePackage(write_package(content))
    inputs = [content.tensors[t] for entry in content.entries for t in entry.inputs]
    stored = any(tensor.dtype == DType.FLOAT32 for tensor in inputs)
    expected = sum(content.tensors[t].bytes for entry in content.entries for t in entry.outputs)
    given = sum(tensor.bytes for tensor in inputs)
    moved = expected + given
    work = analyze_package(content, 0).macs + _WORK_PER_BYTE * moved
    if work > _WORK_LIMIT or expected + given * stored > _MOST_STORED_BYTES:
        return content
    best: Golden | None = None
    for seed in range(1, 1 + max(1, min(_TRIES, _WORK_FOR_TRIES // max(work, 1)))):
        data = list(_inputs(inputs, seed))
        outputs, trace_crc = _run(runner, content, data)
        if best is None or len(set(outputs)) > len(set(best.outputs)):
            if stored:
                best = Golden(0, outputs, trace_crc, b"".join(data))
            else:
                best = Golden(seed, outputs, trace_crc)
    return replace(content, golden=best)


def _run(runner: NativePackage, content: PackageContent, data: list[bytes]) -> tuple[bytes, int]:
    """All outputs, and the CRC-32 of what every op has written when it is complete."""
    session = Session(runner)
    last = {step.op: number for number, step in enumerate(content.steps)}
    crc = 0
    outputs = b""
    for index, entry in enumerate(content.entries):
        session.start(data[: len(entry.inputs)], index)
        data = data[len(entry.inputs) :]
        for number in range(entry.step_first, entry.step_first + entry.step_count):
            session.step()
            op = content.steps[number].op
            for tensor in content.ops[op].outputs if last[op] == number else ():
                held = content.tensors[tensor].held_bytes
                crc = zlib.crc32(session.tensor(tensor)[:held], crc)
        outputs += b"".join(session.outputs())
    return outputs, crc


def _inputs(tensors: list[TensorRecord], seed: int) -> Iterator[bytes]:
    """Bytes of every input: the generator's, made real numbers in -2 .. 2 where it is float."""
    sizes = [
        tensor.bytes // 4 if tensor.dtype == DType.FLOAT32 else tensor.bytes for tensor in tensors
    ]
    data = golden_bytes(seed, sum(sizes))
    for tensor, size in zip(tensors, sizes, strict=True):
        part, data = data[:size], data[size:]
        if tensor.dtype == DType.FLOAT32:
            part = (np.frombuffer(part, np.int8).astype("<f4") / 64).tobytes()
        yield part
