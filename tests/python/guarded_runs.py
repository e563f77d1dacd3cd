# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Runs of a package in memory with guard bytes on both sides, step by step."""

from __future__ import annotations

from typing import Any, Protocol

from packages import random_bytes
from ranvier.native import NativePackage
from ranvier.native.binding import ffi, library
from ranvier.package.records import PackageContent, Storage

GUARD = 64


class Guarded:
    """Memory of ``size`` bytes at a multiple of 16, filled, with guard bytes on both sides."""

    def __init__(self, size: int, fill: int) -> None:
        self._owner = ffi.new("uint8_t[]", size + 2 * GUARD + 16)
        self._start = GUARD + (-int(ffi.cast("uintptr_t", self._owner))) % 16
        self.size = size
        ffi.memmove(self._owner, bytes([fill]) * len(self._owner), len(self._owner))
        self._before = bytes(ffi.buffer(self._owner))

    @property
    def address(self) -> Any:
        return self._owner + self._start

    def read(self) -> bytes:
        return bytes(ffi.buffer(self._owner))[self._start : self._start + self.size]

    def guards_are_whole(self) -> bool:
        now, end = bytes(ffi.buffer(self._owner)), self._start + self.size
        return (now[: self._start], now[end:]) == (
            self._before[: self._start],
            self._before[end:],
        )


class Compiled(Protocol):
    """A package, and what is in it."""

    @property
    def package(self) -> bytes: ...

    @property
    def content(self) -> PackageContent: ...


class Run:
    """One run in guarded memory, whose arena and outputs are filled with ``fill`` before.

    ``arena`` is memory to run in instead of its own.
    """

    def __init__(
        self, result: Compiled, fill: int, seed: int = 1, arena: Guarded | None = None
    ) -> None:
        self.content = result.content
        self.package = NativePackage(result.package)
        self.lib = library()
        self.arena = arena or Guarded(self.content.arena_bytes, fill)
        self.exec = ffi.new("struct rnv_exec *")
        count = self.package.header.external_count
        self._slots = ffi.new("void *[]", count + 1)
        arguments = (self.arena.address, self.arena.size, self._slots, count)
        assert self.lib.rnv_exec_init(self.exec, self.package.handle, *arguments) == 0
        self.buffers: dict[int, Guarded] = {}
        entry = self.content.entries[0]
        for number in (*entry.inputs, *entry.outputs):
            tensor = self.content.tensors[number]
            if tensor.storage is Storage.EXTERNAL:
                buffer = self.buffers[number] = Guarded(tensor.bytes, fill)
                bound = self.lib.rnv_exec_bind(self.exec, number, buffer.address, buffer.size)
                assert bound == 0
        for i, number in enumerate(entry.inputs):
            data = random_bytes(seed + i, self.content.tensors[number].bytes)
            if self.content.tensors[number].dtype == 6:
                data = b"".join(bytes([byte, 0, byte, 64]) for byte in data[::4])
            ffi.memmove(self.lib.rnv_exec_tensor(self.exec, number), data, len(data))

    def start(self) -> None:
        assert self.lib.rnv_exec_start(self.exec, 0) == 0

    def step(self) -> bool:
        """Execute the next step; True while more follow."""
        status = self.lib.rnv_exec_step(self.exec)
        assert status >= 0
        return bool(status)

    def finish(self) -> list[bytes]:
        """A whole run; its outputs."""
        self.start()
        while self.step():
            pass
        return self.outputs()

    def outputs(self) -> list[bytes]:
        return [self.tensor(number) for number in self.content.entries[0].outputs]

    def tensor(self, number: int) -> bytes:
        data = self.lib.rnv_exec_tensor(self.exec, number)
        return bytes(ffi.buffer(data, self.content.tensors[number].bytes))
