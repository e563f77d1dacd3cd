# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the tensors of a TensorFlow Lite model: type, shape, quantisation and constant data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler import tflite_schema as schema
from ranvier.compiler.flatbuffer import FlatBuffer, Table, Tables
from ranvier.compiler.graph import DType, Quant, Tensor
from ranvier.package.format import MAX_RANK

MAX_BYTES = 2**31 - 1
"""Size of a tensor that a package can hold."""

_NAME = 1024  # characters of a tensor's name that are kept,
_SHOWN_NAME = 80  # characters of it that messages show, and
_SHOWN_DIMS = 8  # dimensions of a shape that messages show


@dataclass(frozen=True)
class Refusal:
    """Why a well-formed tensor cannot be represented, and what to do."""

    label: str
    reason: str
    remedy: str


def label(index: int, name: str) -> str:
    """Return how messages name a tensor."""
    short = name if len(name) <= _SHOWN_NAME else name[:_SHOWN_NAME] + "..."
    return f'tensor {index} "{short}"'


class TensorReader:
    """Reads tensors by index, each at most once, in ascending order.

    A constant's array is a read-only copy, made once for all tensors of a type that share a buffer.
    """

    def __init__(self, file: FlatBuffer, tensors: Tables, buffers: Tables) -> None:
        self._file = file
        self._tensors = tensors
        self._buffers = buffers
        self._names: set[str] = set()
        self._blobs: dict[int, memoryview] = {}
        self._arrays: dict[tuple[int, DType], NDArray[Any]] = {}

    def __len__(self) -> int:
        return len(self._tensors)

    def read(self, index: int) -> Tensor | Refusal:
        """Read a tensor, or say why the IR cannot represent it."""
        table = self._tensors[index]
        name = self._unique_name(index, table.text("name"))
        shape = table.integers("shape")
        number = table.integer("type", "b")
        dtype = schema.DTYPES.get(number)
        described = f"{label(index, name)} {_shape_text(shape)} {schema.tensor_type_name(number)}"
        refusal = _refuse(described, table, shape)
        if refusal or dtype is None:
            return refusal or _refuse_type(described)
        tensor = Tensor(name, dtype, shape, index=index)
        if tensor.bytes > MAX_BYTES:
            self._fail(
                table, "shape", f"{described} needs {tensor.bytes} bytes, the limit is {MAX_BYTES}"
            )
        quantization = table.table("quantization", schema.QUANTIZATION)
        if quantization and dtype.numpy.kind in "iu":
            if quantization.integer("details_type", "B"):
                return Refusal(
                    described,
                    "its quantisation is not affine per tensor or per channel",
                    "quantise to int8 with one scale per tensor or per channel",
                )
            tensor.quant = self._read_quant(described, quantization, shape, dtype)
        tensor.data = self._read_data(described, table, tensor)
        return tensor

    def _fail(self, table: Table, field: str, what: str) -> NoReturn:
        raise self._file.error(table.path_of(field), what)

    def _unique_name(self, index: int, name: str) -> str:
        name = name[:_NAME] or f"tensor_{index}"
        while name in self._names:
            name = f"{name}_{index}"
        self._names.add(name)
        return name

    def _read_quant(
        self, described: str, table: Table, shape: Sequence[int], dtype: DType
    ) -> Quant | None:
        scales = table.reals("scale")
        if not scales:
            return None
        axis = self._axis(described, table, shape, len(scales))
        for scale in scales:
            # a channel whose weights are all zero has the scale 0 in files of older converters
            if not isfinite(scale) or scale < 0 or (scale == 0 and len(scales) == 1):
                self._fail(table, "scale", f"{described} has the scale {scale}")
        zero_points = table.integers("zero_point", "q") or (0,)
        if len(zero_points) == 1:
            zero_points *= len(scales)
        if len(zero_points) != len(scales):
            self._fail(
                table,
                "zero_point",
                f"{described} has {len(zero_points)} zero points for {len(scales)} scales",
            )
        limits = np.iinfo(dtype.numpy)
        for zero_point in zero_points:
            if not max(limits.min, -(2**31)) <= zero_point <= min(limits.max, 2**31 - 1):
                self._fail(
                    table,
                    "zero_point",
                    f"{described} has the zero point {zero_point}, which its type cannot hold",
                )
        return Quant(scales, zero_points, axis)

    def _axis(self, described: str, table: Table, shape: Sequence[int], count: int) -> int:
        """Return the dimension along which ``count`` scales lie; 0 for one scale."""
        if count == 1:
            return 0
        axis = table.integer("quantized_dimension")
        if len(shape) == 1 and axis > 0:
            axis = 0  # older converters gave a bias the dimension of its filter
        if not 0 <= axis < len(shape) or shape[axis] != count:
            self._fail(table, "scale", f"{described} has {count} scales along its dimension {axis}")
        return axis

    def _read_data(self, described: str, table: Table, tensor: Tensor) -> NDArray[Any] | None:
        index = table.integer("buffer", "I")
        if index >= len(self._buffers):
            self._fail(
                table, "buffer", f"buffer index {index}, but there are {len(self._buffers)} buffers"
            )
        blob = self._blob(index)
        if not len(blob):
            return None
        if len(blob) != tensor.bytes:
            self._fail(
                table,
                "buffer",
                f"{described} needs {tensor.bytes} bytes, its buffer {index} has {len(blob)}",
            )
        key = (index, tensor.dtype)
        if key not in self._arrays:
            array = np.frombuffer(blob, np.uint8).copy()
            if tensor.dtype == DType.BOOL and array.max() > 1:
                self._fail(table, "buffer", f"{described} has a byte that is neither 0 nor 1")
            array.flags.writeable = False
            self._arrays[key] = array.view(tensor.dtype.numpy)
        return self._arrays[key].reshape(tensor.shape)

    def _blob(self, index: int) -> memoryview:
        """Return a buffer's bytes, which in large files lie outside of the FlatBuffer."""
        if index not in self._blobs:
            table = self._buffers[index]
            blob = table.blob("data")
            offset = table.integer("offset", "Q")
            if not len(blob) and offset > 1:
                size = table.integer("size", "Q")
                blob = self._file.span(table.path_of("offset"), offset, size)
            self._blobs[index] = blob
        return self._blobs[index]


def _shape_text(shape: Sequence[int]) -> str:
    more = ", ..." if len(shape) > _SHOWN_DIMS else ""
    return f"[{', '.join(map(str, shape[:_SHOWN_DIMS]))}{more}]"


def _refuse(described: str, table: Table, shape: Sequence[int]) -> Refusal | None:
    """Say what makes a tensor of any type impossible to represent."""
    if len(shape) > MAX_RANK:
        return Refusal(
            described,
            f"it has {len(shape)} dimensions, the limit is {MAX_RANK}",
            f"reshape the model's tensors to at most {MAX_RANK} dimensions",
        )
    dynamic = [i for i, size in enumerate(shape) if size <= 0]
    if dynamic:
        return Refusal(
            described,
            f"static shapes only: the size of its dimension {dynamic[0]} is {shape[dynamic[0]]}",
            "convert the model with fixed input shapes, the batch too: for example "
            "tf.keras.Input(shape, batch_size=1) or a concrete function of a full TensorSpec",
        )
    if table.boolean("is_variable"):
        return Refusal(
            described,
            "it is a variable",
            "give the state as an input and an output of the model",
        )
    if table.table("sparsity", {}) is not None:
        return Refusal(described, "it is sparse", "convert the model with dense weights")
    if table.integer("external_buffer", "I"):
        return Refusal(
            described, "its data lie in another file", "convert the model into a single file"
        )
    return None


def _refuse_type(described: str) -> Refusal:
    types = ", ".join(dtype.name for dtype in DType)
    return Refusal(
        described,
        f"its type is not one of {types}",
        "quantise the model to int8: a representative dataset and TFLITE_BUILTINS_INT8",
    )
