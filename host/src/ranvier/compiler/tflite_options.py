# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The built-in options of TensorFlow Lite's operators, as one table.

To read the options of one more operator, add a row to ``OPTIONS``. A field that the file leaves
out, and every field where the file has no options at all, has the schema's default.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any

from ranvier.compiler.flatbuffer import FlatBuffer, Table
from ranvier.compiler.tflite_schema import TENSOR_TYPES

INT = "int"
INTS = "vector of int"
BOOL = "bool"
FLOAT = "float"

_PADDING = ("SAME", "VALID")
_ACTIVATION = ("NONE", "RELU", "RELU_N1_TO_1", "RELU6", "TANH", "SIGN_BIT")
_WEIGHTS_FORMAT = ("DEFAULT", "SHUFFLED4x16INT8")
_MIRROR_PAD_MODE = ("REFLECT", "SYMMETRIC")


@dataclass(frozen=True)
class Field:
    """One field; ``kind`` is INT, INTS, BOOL, FLOAT or the names of an enum of bytes."""

    name: str
    slot: int
    kind: str | tuple[str, ...]
    default: int | float | bool = 0


@dataclass(frozen=True)
class Options:
    """One table of options; ``number`` is its place in the union BuiltinOptions."""

    name: str
    number: int
    fields: tuple[Field, ...] = ()


def _activation(slot: int) -> Field:
    return Field("fused_activation_function", slot, _ACTIVATION)


_STRIDES = (
    Field("padding", 0, _PADDING),
    Field("stride_w", 1, INT),
    Field("stride_h", 2, INT),
)
_ALIGNMENT = (
    Field("align_corners", 2, BOOL),
    Field("half_pixel_centers", 3, BOOL),
)

_CONV = Options(
    "Conv2DOptions",
    1,
    (
        *_STRIDES,
        _activation(3),
        Field("dilation_w_factor", 4, INT, 1),
        Field("dilation_h_factor", 5, INT, 1),
        Field("quantized_bias_type", 6, TENSOR_TYPES),
    ),
)
_DEPTHWISE = Options(
    "DepthwiseConv2DOptions",
    2,
    (
        *_STRIDES,
        Field("depth_multiplier", 3, INT),
        _activation(4),
        Field("dilation_w_factor", 5, INT, 1),
        Field("dilation_h_factor", 6, INT, 1),
    ),
)
_POOL = Options(
    "Pool2DOptions",
    5,
    (
        *_STRIDES,
        Field("filter_width", 3, INT),
        Field("filter_height", 4, INT),
        _activation(5),
    ),
)
_FULLY_CONNECTED = Options(
    "FullyConnectedOptions",
    8,
    (
        _activation(0),
        Field("weights_format", 1, _WEIGHTS_FORMAT),
        Field("keep_num_dims", 2, BOOL),
        Field("asymmetric_quantize_inputs", 3, BOOL),
        Field("quantized_bias_type", 4, TENSOR_TYPES),
    ),
)
_TRANSPOSE_CONV = Options(
    "TransposeConvOptions",
    49,
    (*_STRIDES, _activation(3), Field("quantized_bias_type", 4, TENSOR_TYPES)),
)
_POT_SCALE = Field("pot_scale_int16", 1, BOOL, True)
_REDUCER = Options("ReducerOptions", 27, (Field("keep_dims", 0, BOOL),))
_STRIDED_SLICE = Options(
    "StridedSliceOptions",
    32,
    (
        Field("begin_mask", 0, INT),
        Field("end_mask", 1, INT),
        Field("ellipsis_mask", 2, INT),
        Field("new_axis_mask", 3, INT),
        Field("shrink_axis_mask", 4, INT),
        Field("offset", 5, BOOL),
    ),
)
_CAST = Options(
    "CastOptions",
    37,
    (Field("in_data_type", 0, TENSOR_TYPES), Field("out_data_type", 1, TENSOR_TYPES)),
)
_NUM_SPLITS = (Field("num_splits", 0, INT),)
_BLOCK_SIZE = (Field("block_size", 0, INT),)
_OUTPUT_TYPE = (Field("output_type", 0, TENSOR_TYPES),)
_MAXIMUM_MINIMUM = Options("MaximumMinimumOptions", 39)

OPTIONS: dict[str, Options] = {
    "ADD": Options("AddOptions", 11, (_activation(0), _POT_SCALE)),
    "ARG_MAX": Options("ArgMaxOptions", 40, _OUTPUT_TYPE),
    "ARG_MIN": Options("ArgMinOptions", 57, _OUTPUT_TYPE),
    "AVERAGE_POOL_2D": _POOL,
    "CAST": _CAST,
    "CONCATENATION": Options("ConcatenationOptions", 10, (Field("axis", 0, INT), _activation(1))),
    "CONV_2D": _CONV,
    "DEPTHWISE_CONV_2D": _DEPTHWISE,
    "DEPTH_TO_SPACE": Options("DepthToSpaceOptions", 94, _BLOCK_SIZE),
    "DEQUANTIZE": Options("DequantizeOptions", 38),
    "DIV": Options("DivOptions", 29, (_activation(0),)),
    "EXPAND_DIMS": Options("ExpandDimsOptions", 52),
    "FULLY_CONNECTED": _FULLY_CONNECTED,
    "GATHER": Options("GatherOptions", 23, (Field("axis", 0, INT), Field("batch_dims", 1, INT))),
    "HARD_SWISH": Options("HardSwishOptions", 91),
    "L2_POOL_2D": _POOL,
    "LEAKY_RELU": Options("LeakyReluOptions", 75, (Field("alpha", 0, FLOAT),)),
    "MAXIMUM": _MAXIMUM_MINIMUM,
    "MAX_POOL_2D": _POOL,
    "MEAN": _REDUCER,
    "MINIMUM": _MAXIMUM_MINIMUM,
    "MIRROR_PAD": Options("MirrorPadOptions", 77, (Field("mode", 0, _MIRROR_PAD_MODE),)),
    "MUL": Options("MulOptions", 21, (_activation(0),)),
    "PACK": Options("PackOptions", 59, (Field("values_count", 0, INT), Field("axis", 1, INT))),
    "PAD": Options("PadOptions", 22),
    "PADV2": Options("PadV2Options", 43),
    "QUANTIZE": Options("QuantizeOptions", 89),
    "REDUCE_MAX": _REDUCER,
    "REDUCE_MIN": _REDUCER,
    "REDUCE_PROD": _REDUCER,
    "RESHAPE": Options("ReshapeOptions", 17, (Field("new_shape", 0, INTS),)),
    "RESIZE_BILINEAR": Options("ResizeBilinearOptions", 15, _ALIGNMENT),
    "RESIZE_NEAREST_NEIGHBOR": Options(
        "ResizeNearestNeighborOptions",
        74,
        (Field("align_corners", 0, BOOL), Field("half_pixel_centers", 1, BOOL)),
    ),
    "SHAPE": Options("ShapeOptions", 55, (Field("out_type", 0, TENSOR_TYPES),)),
    "SOFTMAX": Options("SoftmaxOptions", 9, (Field("beta", 0, FLOAT),)),
    "SPACE_TO_DEPTH": Options("SpaceToDepthOptions", 19, _BLOCK_SIZE),
    "SPLIT": Options("SplitOptions", 35, _NUM_SPLITS),
    "SPLIT_V": Options("SplitVOptions", 79, _NUM_SPLITS),
    "SQUEEZE": Options("SqueezeOptions", 30, (Field("squeeze_dims", 0, INTS),)),
    "STRIDED_SLICE": _STRIDED_SLICE,
    "SUB": Options("SubOptions", 28, (_activation(0), _POT_SCALE)),
    "SUM": _REDUCER,
    "TRANSPOSE": Options("TransposeOptions", 26),
    "TRANSPOSE_CONV": _TRANSPOSE_CONV,
    "UNPACK": Options("UnpackOptions", 64, (Field("num", 0, INT), Field("axis", 1, INT))),
}


def read_options(file: FlatBuffer, operator: Table, kind: str) -> dict[str, Any]:
    """Read the attributes of an operator: its built-in options, none for a kind without a row."""
    options = OPTIONS.get(kind)
    if options is None:
        return {}
    number = operator.integer("builtin_options_type", "B")
    if number not in (0, options.number):
        raise file.error(
            operator.path_of("builtin_options_type"),
            f"{kind} needs {options.name} (number {options.number}), not number {number}",
        )
    slots = {field.name: field.slot for field in options.fields}
    table = operator.table("builtin_options", slots) if number else None
    return {field.name: _read_field(file, table, field) for field in options.fields}


def _default(field: Field) -> Any:
    if isinstance(field.kind, tuple):
        return field.kind[0]
    if field.kind == INTS:
        return ()
    return {INT: int, BOOL: bool, FLOAT: float}[field.kind](field.default)


def _read_field(file: FlatBuffer, table: Table | None, field: Field) -> Any:
    if table is None:
        return _default(field)
    if isinstance(field.kind, tuple):
        number = table.integer(field.name, "b")
        if not 0 <= number < len(field.kind):
            raise file.error(table.path_of(field.name), f"the value {number} has no meaning")
        return field.kind[number]
    if field.kind == INTS:
        return table.integers(field.name)
    if field.kind == BOOL:
        return table.boolean(field.name, bool(field.default))
    if field.kind == FLOAT:
        value = table.real(field.name, float(field.default))
        if not isfinite(value):
            raise file.error(table.path_of(field.name), f"{value} is not a finite number")
        return value
    return table.integer(field.name, "i", int(field.default))
