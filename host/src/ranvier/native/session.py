# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Packages opened and run by the C core."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from ranvier.errors import InputError, PackageError
from ranvier.native.binding import ffi, library

#: Bytes of RAM on a 32-bit target for an opened package and its execution context
#: (``sizeof(struct rnv_package) + sizeof(struct rnv_exec)``, compared in a test under QEMU); each
#: external tensor adds a pointer of 4 bytes.
VIEW_BYTES_32 = 84

_POINTER_BYTES_32 = 4
_REMEDIES = {
    "ENOTSUP": "use a version of Ranvier that implements it, or compile the model again",
    "EBADMSG": "the file was damaged after it was written; copy or compile it again",
}


def view_bytes_32(externals: int) -> int:
    """RAM on a 32-bit target for an opened package with so many external tensors."""
    return VIEW_BYTES_32 + _POINTER_BYTES_32 * externals


def ram_bytes_32(arena: int, state: int, io: int, externals: int) -> int:
    """All RAM of a package on a 32-bit target; ``io`` are the bytes of its external tensors."""
    return arena + state + io + view_bytes_32(externals)


@cache
def op_codes() -> dict[str, int]:
    """Codes of all device ops by name: the host's library contains every row of ops.txt."""
    lib = library()
    names = ((code, lib.rnv_op_name(code)) for code in range(256))
    return {text(name): code for code, name in names if name != ffi.NULL}


def text(pointer: Any) -> str:
    """The Python string of a C string."""
    raw = ffi.string(pointer)
    return raw.decode() if isinstance(raw, bytes) else raw


def aligned(size: int) -> tuple[Any, Any]:
    """``(owner, pointer)``: ``size`` bytes at a package's alignment."""
    alignment = library().RNV_PACKAGE_ALIGN
    owner = ffi.new("char[]", size + alignment)
    address = int(ffi.cast("uintptr_t", owner))
    return owner, owner + (-address) % alignment


class NativePackage:
    """A package verified by the C core.

    Holds an aligned copy of ``data``. Raises :class:`PackageError` with the core's diagnosis where
    the package is refused; ``name`` is the file's name for messages. ``check_crc=False`` opens a
    package whose CRC is known not to match (tests).
    """

    def __init__(self, data: bytes, name: str = "package", *, check_crc: bool = True) -> None:
        lib = library()
        self._owner, self.data = aligned(len(data))
        ffi.memmove(self.data, data, len(data))
        self.handle: Any = ffi.new("struct rnv_package *")
        diag = ffi.new("struct rnv_diag *")
        flags = 0 if check_crc else lib.RNV_OPEN_SKIP_CRC
        status = lib.rnv_package_open(self.handle, self.data, len(data), flags, diag)
        if status != 0:
            raise refusal(name, status, diag)
        self.header = lib.rnv_package_header(self.handle)

    @property
    def resident(self) -> bool:
        """True where inputs and outputs lie in the arena."""
        lib = library()
        return int(self.header.flags) & int(lib.RNV_FLAG_IO_MASK) == int(lib.RNV_IO_RESIDENT)

    @property
    def entries(self) -> int:
        """Number of entry points."""
        return int(self.handle.entry_count)

    def inputs(self, entry: int = 0) -> tuple[int, ...]:
        """Tensor numbers of an entry point's inputs."""
        return self._list(library().rnv_package_input, entry)

    def outputs(self, entry: int = 0) -> tuple[int, ...]:
        """Tensor numbers of an entry point's outputs."""
        return self._list(library().rnv_package_output, entry)

    def tensor_bytes(self, tensor: int) -> int:
        """Size of a tensor's storage."""
        return int(library().rnv_package_tensor(self.handle, tensor).bytes)

    def run(self, inputs: Sequence[bytes]) -> list[bytes]:
        """One run in fresh memory: bytes of the inputs to bytes of the outputs."""
        return Session(self).run(inputs)

    def _list(self, getter: Any, entry: int) -> tuple[int, ...]:
        numbers: list[int] = []
        none = library().RNV_NO_TENSOR
        while (tensor := getter(self.handle, entry, len(numbers))) != none:
            numbers.append(int(tensor))
        return tuple(numbers)


class Session:
    """Memory for one package and its execution, which may be repeated. Not thread-safe."""

    def __init__(self, package: NativePackage) -> None:
        lib = library()
        header = package.header
        self.package = package
        self._lib = lib
        self._arena_owner, self._arena = aligned(header.arena_bytes)
        self._slots = ffi.new("void *[]", max(1, header.external_count))
        self._buffers: list[Any] = []
        self._exec = ffi.new("struct rnv_exec *")
        self._expect(
            lib.rnv_exec_init(
                self._exec,
                package.handle,
                self._arena,
                header.arena_bytes,
                self._slots,
                header.external_count,
            ),
            "preparing the run",
        )
        self._state_owner, self._state = aligned(header.state_bytes)
        self.reset()
        status = lib.rnv_exec_set_state(self._exec, self._state, header.state_bytes)
        self._expect(status, "giving the state memory")
        self._entry = 0
        external = (
            tensor
            for entry in range(package.entries)
            for tensor in (*package.inputs(entry), *package.outputs(entry))
        )
        for tensor in external:
            if lib.rnv_exec_tensor(self._exec, tensor) == ffi.NULL:
                size = package.tensor_bytes(tensor)
                owner, data = aligned(size)
                self._buffers.append(owner)
                status = lib.rnv_exec_bind(self._exec, tensor, data, size)
                self._expect(status, f"binding tensor {tensor}")

    def start(self, inputs: Sequence[bytes], entry: int = 0) -> None:
        """Copy the inputs in and begin a run of an entry point."""
        numbers = self.package.inputs(entry)
        if len(inputs) != len(numbers):
            raise InputError(
                f"the model has {len(numbers)} inputs, {len(inputs)} were given",
                remedy="give the bytes of each input, in the model's order",
            )
        self._expect(self._lib.rnv_exec_start(self._exec, entry), "starting the run")
        self._entry = entry
        for i, (tensor, data) in enumerate(zip(numbers, inputs, strict=True)):
            size = self.package.tensor_bytes(tensor)
            if len(data) != size:
                raise InputError(
                    f"input {i} has {len(data)} bytes, the model takes {size}",
                    remedy="give every element of the input in the model's type",
                )
            ffi.memmove(self._lib.rnv_exec_tensor(self._exec, tensor), data, size)

    def reset(self) -> None:
        """Make all state zero."""
        ffi.buffer(self._state, self.package.header.state_bytes)[:] = bytes(
            self.package.header.state_bytes
        )

    def step(self) -> bool:
        """Execute the next step; True while more follow."""
        status = self._lib.rnv_exec_step(self._exec)
        if status < 0:
            self._expect(status, "executing a step")
        return bool(status)

    def tensor(self, tensor: int) -> bytes:
        """The bytes of a tensor that is live now (outputs: after the last step)."""
        data = self._lib.rnv_exec_tensor(self._exec, tensor)
        return bytes(ffi.buffer(data, self.package.tensor_bytes(tensor)))

    def run(self, inputs: Sequence[bytes], entry: int = 0) -> list[bytes]:
        """One whole run of an entry point."""
        self.start(inputs, entry)
        while self.step():
            pass
        return self.outputs()

    def outputs(self) -> list[bytes]:
        """The outputs of the entry point that has run."""
        return [self.tensor(tensor) for tensor in self.package.outputs(self._entry)]

    def selftest(self) -> bool:
        """Run the package's golden self-test; True where every output byte is as expected."""
        status = self._lib.rnv_exec_selftest(self._exec)
        if status == self._lib.RNV_EBADMSG:
            return False
        if status == self._lib.RNV_EINVAL:
            raise PackageError(
                "the package carries no self-test (EINVAL)",
                remedy="compile the model again; only models and outputs that are too large for a "
                "microcontroller get none",
            )
        self._expect(status, "the self-test")
        return True

    @staticmethod
    def _expect(status: int, what: str) -> None:
        if status != 0:
            name = status_name(status)
            raise PackageError(
                f"{what}: the core answered {name}",
                remedy=_REMEDIES.get(name, "open the package again and start from the beginning"),
            )


def status_name(status: int) -> str:
    """A status code without its prefix, as ``OK`` or ``EINVAL``; the number where it has none."""
    names: dict[int, str] = ffi.typeof("enum rnv_status").elements
    return names.get(status, str(status)).removeprefix("RNV_")


def refusal(name: str, status: int, diag: Any) -> PackageError:
    """The error for a package called ``name`` that the core refused with a diagnosis."""
    what = text(library().rnv_what_name(diag.what))
    code = status_name(status)
    detail = f"index {diag.index}, value {diag.value}"
    verb = "is not supported" if code == "ENOTSUP" else "is wrong"
    return PackageError(
        f"{name}: {what} {verb} ({detail}; {code})",
        remedy=_REMEDIES.get(code, "compile the model again with ranvier compile"),
    )
