# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The reader of ``.tflite`` files, judged by the PyPI packages ``flatbuffers`` and ``tflite``.

The numbers in comments are those of the reported failures that a test covers.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import flatbuffers
import numpy as np
import pytest
import tflite

from ranvier.compiler import tflite_schema
from ranvier.compiler.graph import DType, Quant, Tensor
from ranvier.compiler.tflite import read_tflite
from ranvier.compiler.tflite_options import OPTIONS, Options
from ranvier.errors import ModelError, RanvierError, UnsupportedError
from tflite_models import KIND, TYPE, ModelDef, OpDef, TensorDef, chain, ints, refused, weights

REPOSITORY = Path(__file__).resolve().parents[2]
SHARED = sorted((REPOSITORY.parent / "shared" / "models").glob("mlperf_*.tflite"))


def test_reads_a_model_with_constant_optional_input_and_quantisation() -> None:
    model = weights(scale=(0.5, 0.25), zero_point=(0, 0))
    graph = model.read()
    op = graph.ops[0]
    assert (op.kind, op.version, op.index) == ("FULLY_CONNECTED", 1, 0)
    x, w, bias = op.inputs
    assert bias is None
    assert x is graph.inputs[0]
    assert op.outputs == graph.outputs
    assert w is not None
    assert w.data is not None
    assert w.quant == Quant((0.5, 0.25), (0, 0), 0)
    np.testing.assert_array_equal(w.data, np.arange(8, dtype=np.int8).reshape(2, 4))
    assert w.data.dtype == np.int8
    assert not w.data.flags.writeable


@pytest.mark.parametrize("path", SHARED, ids=lambda p: p.stem)
def test_reads_public_models_as_the_package_tflite_does(path: Path) -> None:
    data = path.read_bytes()
    graph = read_tflite(data, path.name)
    model = tflite.Model.GetRootAs(data, 0)
    theirs = model.Subgraphs(0)
    tensors: dict[int, Tensor] = {}
    assert len(graph.ops) == theirs.OperatorsLength()
    names = {
        value: name
        for name, value in vars(KIND).items()
        if isinstance(value, int) and name[0] != "_"
    }
    for i, op in enumerate(graph.ops):
        other = theirs.Operators(i)
        code = model.OperatorCodes(other.OpcodeIndex())
        assert (op.kind, op.version, op.index) == (names[code.BuiltinCode()], code.Version(), i)
        ours = [*op.inputs, *op.outputs]
        indices = [*other.InputsAsNumpy(), *other.OutputsAsNumpy()]
        for index, tensor in zip(indices, ours, strict=True):
            assert tensor is not None
            assert tensors.setdefault(index, tensor) is tensor
    assert [tensors[i] for i in theirs.InputsAsNumpy()] == graph.inputs
    assert [tensors[i] for i in theirs.OutputsAsNumpy()] == graph.outputs
    for index, tensor in tensors.items():
        _compare_tensor(model, theirs.Tensors(index), tensor)


def _compare_tensor(model: Any, theirs: Any, ours: Tensor) -> None:
    types = {
        value: name
        for name, value in vars(TYPE).items()
        if isinstance(value, int) and name[0] != "_"
    }
    assert ours.name == theirs.Name().decode()
    assert ours.dtype.name == types[theirs.Type()]
    assert ours.shape == tuple(theirs.ShapeAsNumpy())
    quantization = theirs.Quantization()
    count = quantization.ScaleLength()
    if count:
        assert ours.quant is not None
        np.testing.assert_array_equal(ours.quant.scales, quantization.ScaleAsNumpy())
        np.testing.assert_array_equal(ours.quant.zero_points, quantization.ZeroPointAsNumpy())
        assert ours.quant.axis == (quantization.QuantizedDimension() if count > 1 else 0)
    else:
        assert ours.quant is None
    buffer = model.Buffers(theirs.Buffer())
    assert ours.is_const == (buffer.DataLength() > 0)
    if ours.data is not None:
        assert ours.data.tobytes() == buffer.DataAsNumpy().tobytes()


def test_names_of_operators_and_types_are_the_schema_s() -> None:
    for name, number in vars(KIND).items():
        if isinstance(number, int) and name[0] != "_":
            assert tflite_schema.operator_name(number) == name
    for name, number in vars(TYPE).items():
        if isinstance(number, int) and name[0] != "_":
            assert tflite_schema.tensor_type_name(number) == name


_ENUMS = {
    "padding": tflite.Padding,
    "fused_activation_function": tflite.ActivationFunctionType,
    "weights_format": tflite.FullyConnectedOptionsWeightsFormat,
    "mode": tflite.MirrorPadMode,
}


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _enum_name(field: str, number: int) -> str:
    enum = _ENUMS.get(field, TYPE)
    return str(next(name for name, value in vars(enum).items() if value == number))


def _option_values(options: Options) -> dict[str, tuple[Any, Any]]:
    """Give each field a value other than its default: as it is written, and as it is read."""
    values: dict[str, tuple[Any, Any]] = {}
    for i, field in enumerate(options.fields):
        if isinstance(field.kind, tuple):
            values[field.name] = (1, _enum_name(field.name, 1))
        elif field.kind == "vector of int":
            values[field.name] = ((3, -1), (3, -1))
        elif field.kind == "bool":
            values[field.name] = (not field.default, not field.default)
        elif field.kind == "float":
            values[field.name] = (0.125, 0.125)
        else:
            values[field.name] = (20 + i, 20 + i)
    return values


@pytest.mark.parametrize("kind", OPTIONS)
def test_options_written_by_the_package_tflite(kind: str) -> None:
    options = OPTIONS[kind]
    assert options.number == getattr(tflite.BuiltinOptions, options.name)
    values = _option_values(options)

    def write(b: flatbuffers.Builder) -> int:
        raw = {n: ints(b, v) if isinstance(v, tuple) else v for n, (v, _) in values.items()}
        getattr(tflite, f"{options.name}Start")(b)
        for name, value in raw.items():
            getattr(tflite, f"{options.name}Add{_camel(name)}")(b, value)
        return int(getattr(tflite, f"{options.name}End")(b))

    op = OpDef(getattr(KIND, kind), options=(options.number, write))
    graph = ModelDef([TensorDef(), TensorDef()], [op]).read()
    assert graph.ops[0].attrs == {name: value for name, (_, value) in values.items()}


@pytest.mark.parametrize("kind", OPTIONS)
@pytest.mark.parametrize("present", [True, False])
def test_absent_options_have_the_schema_s_defaults(kind: str, present: bool) -> None:
    options = OPTIONS[kind]

    def write(b: flatbuffers.Builder) -> int:
        b.StartObject(0)
        return int(b.EndObject())

    written = (options.number, write) if present else (0, None)
    attrs = (
        ModelDef([TensorDef(), TensorDef()], [OpDef(getattr(KIND, kind), options=written)])
        .read()
        .ops[0]
        .attrs
    )
    empty = flatbuffers.Builder(16)
    empty.Finish(write(empty))
    theirs = getattr(tflite, options.name).GetRootAs(empty.Output(), 0)
    assert list(attrs) == [field.name for field in options.fields]
    for field in options.fields:
        if field.kind == "vector of int":
            assert attrs[field.name] == ()
        elif isinstance(field.kind, tuple):
            number = getattr(theirs, _camel(field.name))()
            assert attrs[field.name] == _enum_name(field.name, number)
        else:
            default = getattr(theirs, _camel(field.name))()
            assert (attrs[field.name], type(attrs[field.name])) == (default, type(default))


def test_custom_operators_keep_their_name_and_options() -> None:
    op = OpDef(KIND.CUSTOM, custom="Detect", custom_options=b"\1\2\3")
    read = ModelDef([TensorDef(), TensorDef()], [op]).read().ops[0]
    assert read.kind == "CUSTOM:Detect"
    assert read.attrs == {"custom_options": b"\1\2\3"}


def test_custom_options_outside_of_the_flatbuffer() -> None:
    op = OpDef(KIND.CUSTOM, custom="Detect", large_options=(16, 3))
    size = len(ModelDef([TensorDef(), TensorDef()], [op]).write())
    op = replace(op, large_options=(size, 3))
    data = ModelDef([TensorDef(), TensorDef()], [op]).write()
    assert read_tflite(data + b"xyz", "m").ops[0].attrs == {"custom_options": b"xyz"}
    refused(data, ModelError, "operators[0].large_custom_options_offset", "outside of the file")


def test_the_kind_is_the_greater_of_both_codes_and_unknown_ones_are_numbered() -> None:  # 9
    assert chain(KIND.GELU).read().ops[0].kind == "GELU"  # does not fit the older field
    newer = ModelDef([TensorDef(), TensorDef()], [OpDef(9999, version=77)]).read().ops[0]
    assert (newer.kind, newer.version) == ("BUILTIN_9999", 77)


def test_a_batch_of_unknown_size_in_the_signature_only_is_accepted() -> None:  # 10
    assert chain(shape=(1, 4), signature=(-1, 4)).read().inputs[0].shape == (1, 4)
    assert chain(shape=(1, 4), signature=(1, -1)).read().inputs[0].shape == (1, 4)


def test_scalars_have_no_dimensions() -> None:
    w = weights(shape=(), data=b"\7").read().ops[0].inputs[1]
    assert w is not None
    assert w.shape == ()
    assert w.data is not None
    assert w.data.shape == ()
    assert w.data == 7


def test_names_are_made_unique() -> None:
    names = ["", "a", "a", "tensor_0", "a_2"]
    tensors = [TensorDef(name=name) for name in names]
    graph = ModelDef(tensors, [], inputs=range(5), outputs=(0,)).read()
    found = [t.name for t in graph.inputs]
    assert found == ["tensor_0", "a", "a_2", "tensor_0_3", "a_2_4"]


def test_long_names_are_cut_or_refused() -> None:
    graph = chain(name="x" * 5000).read()
    assert graph.inputs[0].name == "x" * 1024
    model = ModelDef([TensorDef(), TensorDef()], [OpDef(KIND.CUSTOM, custom="x" * 129)])
    refused(model, ModelError, "operator_codes[0].custom_code", "129 characters")


def test_names_cannot_carry_control_characters_into_messages() -> None:
    assert chain(name="a\x1b[31m\nb").read().inputs[0].name == "a?[31m?b"


@pytest.mark.parametrize(
    ("dtype", "number", "values"),
    [
        (DType.INT8, TYPE.INT8, [-128, 127]),
        (DType.UINT8, TYPE.UINT8, [0, 255]),
        (DType.INT16, TYPE.INT16, [-32768, 32767]),
        (DType.INT32, TYPE.INT32, [-(2**31), 2**31 - 1]),
        (DType.INT64, TYPE.INT64, [-(2**63), 2**63 - 1]),
        (DType.FLOAT32, TYPE.FLOAT32, [-0.5, 3.25]),
        (DType.BOOL, TYPE.BOOL, [False, True]),
        (DType.UINT32, TYPE.UINT32, [0, 2**32 - 1]),
        (DType.UINT64, TYPE.UINT64, [0, 2**64 - 1]),
    ],
)
def test_constants_of_every_type(dtype: DType, number: int, values: list[Any]) -> None:
    data = np.array(values, dtype.numpy).tobytes()
    w = weights(shape=(2,), type=number, data=data).read().ops[0].inputs[1]
    assert w is not None
    assert w.dtype is dtype
    assert w.data is not None
    assert w.data.dtype == dtype.numpy
    assert w.data.tolist() == values


def test_a_buffer_outside_of_the_flatbuffer() -> None:
    model = ModelDef([TensorDef((8,)), TensorDef((8,))], inputs=(), outside=(16, 8))
    size = len(model.write())
    model = replace(model, outside=(size, 8))
    assert len(model.write()) == size
    x = read_tflite(model.write() + bytes(range(8)), "m").ops[0].inputs[0]
    assert x is not None
    assert x.data is not None
    assert x.data.tolist() == list(range(8))
    refused(model, ModelError, "buffers[1]", "outside of the file")
    huge = replace(model, outside=(2**64 - 4, 2**63))
    refused(huge, ModelError, "buffers[1]", "outside of the file")


def test_tensors_that_share_a_buffer_share_its_copy() -> None:
    tensors = [TensorDef((8,), data=bytes(8)), TensorDef((2, 4), buffer=1), TensorDef((8,))]
    op = OpDef(KIND.ADD, (0, 1), (2,))
    a, b = ModelDef(tensors, [op], inputs=(), outputs=(2,)).read().ops[0].inputs
    assert a is not None
    assert b is not None
    assert a.data is not None
    assert b.data is not None
    assert np.shares_memory(a.data, b.data)


def test_an_output_may_be_an_input_or_a_constant() -> None:
    tensors = [TensorDef(name="x"), TensorDef(name="c", data=b"1234")]
    graph = ModelDef(tensors, [], outputs=(0, 1, 0)).read()
    assert graph.outputs[0] is graph.outputs[2] is graph.inputs[0]
    assert graph.outputs[1].is_const


def test_what_nothing_uses_is_ignored() -> None:
    odd = TensorDef((0, -1), type=TYPE.STRING, variable=True, buffer=10**6)
    graph = ModelDef([TensorDef(name="x"), TensorDef(name="y"), odd]).read()
    assert [t.name for t in (*graph.inputs, *graph.outputs)] == ["x", "y"]


# --- quantisation ---


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, None),
        ({"zero_point": (3,)}, None),
        ({"scale": (0.5,)}, Quant((0.5,), (0,))),
        ({"scale": (0.5,), "zero_point": (-128,), "axis": 3}, Quant((0.5,), (-128,))),
        ({"scale": (0.5, 0.25)}, Quant((0.5, 0.25), (0, 0))),
        ({"scale": (0.5, 0.25), "zero_point": (7,)}, Quant((0.5, 0.25), (7, 7))),
        ({"scale": (1, 2, 3, 4), "axis": 1}, Quant((1, 2, 3, 4), (0,) * 4, 1)),
        ({"scale": (0.5, 0.0)}, Quant((0.5, 0.0), (0, 0))),  # a channel of zeros
        # a bias with the axis of its filter, as older converters wrote it
        ({"shape": (8,), "scale": (1,) * 8, "axis": 3}, Quant((1,) * 8, (0,) * 8, 0)),
        ({"type": TYPE.FLOAT32, "shape": (2,), "scale": (0.0,)}, None),
    ],
)
def test_quantisation(changes: dict[str, Any], expected: Quant | None) -> None:
    w = weights(**changes).read().ops[0].inputs[1]
    assert w is not None
    assert w.quant == expected


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"scale": (0.0,)}, "scale 0.0"),
        ({"scale": (-1.0,)}, "scale -1.0"),
        ({"scale": (float("nan"),)}, "scale nan"),
        ({"scale": (0.5, float("inf"))}, "scale inf"),
        ({"scale": (1, 2, 3)}, "3 scales along its dimension 0"),
        ({"scale": (1, 2), "axis": 2}, "2 scales along its dimension 2"),
        ({"scale": (1, 2, 3, 4), "axis": -1}, "4 scales along its dimension -1"),
        ({"scale": (1, 2), "zero_point": (0, 0, 0)}, "3 zero points for 2 scales"),
        ({"scale": (1,), "zero_point": (0, 0)}, "2 zero points for 1 scales"),
        ({"scale": (1,), "zero_point": (128,)}, "zero point 128"),
        ({"scale": (1,), "zero_point": (2**40,)}, f"zero point {2**40}"),
    ],
)
def test_impossible_quantisation_isrefused(changes: dict[str, Any], words: str) -> None:
    refused(weights(**changes), ModelError, 'tensor 1 "w"', words, "tensors[1].quantization")


# --- what is refused ---


@pytest.mark.parametrize(
    "data",
    [b"", b"TFL3", b"\0\0\0\0TFL", b"PK\3\4" + bytes(100), b"\x10\0\0\0TFL2" + bytes(60)],
)
def test_other_files_are_not_a_model(data: bytes) -> None:
    refused(data, ModelError, "not a TensorFlow Lite model")


@pytest.mark.parametrize("root", [0, 4, 7, 8, 100, 2**31 - 1, 2**31, 2**32 - 1])
def test_eight_bytes_whose_root_lies_anywhere(root: int) -> None:  # 1
    refused(struct.pack("<I4s", root, b"TFL3"), ModelError, "model: ")


@pytest.mark.parametrize("path", [None, *SHARED], ids=lambda p: p.stem if p else "own")
def test_a_model_cut_at_every_16_bytes(path: Path | None) -> None:  # 2
    data = path.read_bytes() if path else weights(scale=(0.5, 0.25)).write()
    for size in range(0, len(data), 16):
        with pytest.raises(ModelError, match=r"^m\.tflite: "):
            read_tflite(data[:size], "m.tflite")


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"shape": (65536, 65536)}, ModelError, "needs 4294967296 bytes"),  # 3
        ({"shape": (2**31 - 1,) * 5}, ModelError, "the limit is 2147483647"),  # 3
        ({"shape": (2**29,), "type": TYPE.INT32}, ModelError, "needs 2147483648 bytes"),
        ({"shape": (1, -4)}, UnsupportedError, "static shapes only"),  # 3, 10
        ({"shape": (-1, 4)}, UnsupportedError, "static shapes only"),  # 10
        ({"shape": (0, 4)}, UnsupportedError, "static shapes only"),  # 3
        ({"shape": (1,) * 9}, UnsupportedError, "9 dimensions, the limit is 5"),  # 4
        ({"shape": (1,) * 6}, UnsupportedError, "6 dimensions, the limit is 5"),
        ({"variable": True}, UnsupportedError, "variable"),
        ({"sparse": True}, UnsupportedError, "sparse"),
        ({"external": 1}, UnsupportedError, "another file"),
        ({"scale": (1,), "details": 2}, UnsupportedError, "not affine"),
        ({"type": TYPE.FLOAT16}, UnsupportedError, "FLOAT16"),
        ({"type": TYPE.INT4}, UnsupportedError, "INT4"),
        ({"type": 100}, UnsupportedError, "TYPE_100"),
        ({"type": -1}, UnsupportedError, "TYPE_-1"),
    ],
)
def test_impossible_tensors(changes: dict[str, Any], error: type[RanvierError], words: str) -> None:
    refused(chain(**changes), error, 'tensor 0 "x"', words)


def test_the_remedy_for_a_dynamic_shape_is_a_fixed_batch() -> None:  # 10
    with pytest.raises(UnsupportedError) as raised:
        chain(shape=(-1, 4)).read()
    assert "batch_size=1" in str(raised.value)


def test_all_tensors_that_cannot_be_represented_are_listed_with_their_users() -> None:
    tensors = [
        TensorDef(name="x", type=TYPE.FLOAT16),
        TensorDef(name="m"),
        TensorDef(name="y", variable=True),
        TensorDef(name="z"),
    ]
    ops = [OpDef(KIND.CAST), OpDef(KIND.SVDF, (1, 2), (3,)), OpDef(KIND.ASSIGN_VARIABLE, (1,), ())]
    words = ["op 0 CAST", 'tensor 2 "y"', "op 1 SVDF", "op 2 ASSIGN_VARIABLE", "FLOAT16"]
    refused(ModelDef(tensors, ops, outputs=(3,)), UnsupportedError, 'tensor 0 "x"', *words)


def test_an_operator_that_changes_outside_state_is_refused() -> None:
    ops = [OpDef(), OpDef(KIND.ASSIGN_VARIABLE, (1,), ())]
    refused(ModelDef([TensorDef()] * 2, ops), UnsupportedError, "op 1 ASSIGN_VARIABLE", "state")


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (chain(buffer=3), ("tensors[0].buffer", "buffer index 3", "3 buffers")),
        (chain(buffer=2**32 - 1), ("tensors[0].buffer",)),
        (ModelDef([TensorDef()] * 2, outputs=(1_000_000,)), ("subgraphs[0].outputs", "1000000")),
        (ModelDef([TensorDef()] * 2, outputs=(-1,)), ("subgraphs[0].outputs", "-1")),
        (ModelDef([TensorDef()] * 2, inputs=(2,)), ("subgraphs[0].inputs", "2 tensors")),
        (ModelDef([TensorDef()] * 2, [OpDef(inputs=(2,))]), ("operators[0].inputs", "index 2")),
        (ModelDef([TensorDef()] * 2, [OpDef(inputs=(-2,))]), ("operators[0].inputs", "index -2")),
        (ModelDef([TensorDef()] * 2, [OpDef(outputs=(-1,))]), ("operators[0].outputs", "-1")),
        (ModelDef([TensorDef()] * 2, [OpDef(outputs=(9**9,))]), ("operators[0].outputs",)),
        (ModelDef([TensorDef()] * 2, [OpDef(code=1)]), ("operators[0].opcode_index", "code 1")),
        (ModelDef([TensorDef()] * 2, [OpDef(-3)]), ("operator_codes[0].builtin_code", "-3")),
        (ModelDef([TensorDef()] * 2, subgraphs=0), ("model.subgraphs", "no subgraph")),
        (ModelDef([TensorDef()] * 2, outputs=()), ("subgraphs[0].outputs", "no output")),
    ],
)
def test_indices_out_of_range(model: ModelDef, words: tuple[str, ...]) -> None:  # 54
    refused(model, ModelError, *words)


@pytest.mark.parametrize("size", [1, 7, 9, 16])
def test_constant_data_must_have_exactly_the_size_of_its_tensor(size: int) -> None:  # 54
    words = ("tensors[1].buffer", 'tensor 1 "w" [2, 4] INT8 needs 8 bytes', f"has {size}")
    refused(weights(data=bytes(size)), ModelError, *words)


def test_a_weight_of_16_bytes_declared_as_a_million() -> None:  # 54
    model = weights(shape=(1, 1048576), data=bytes(16))
    refused(model, ModelError, 'tensor 1 "w" [1, 1048576] INT8 needs 1048576 bytes', "has 16")


def test_a_bool_that_is_neither_true_nor_false() -> None:
    model = weights(type=TYPE.BOOL, data=b"\0\1\2" + bytes(5))
    refused(model, ModelError, 'tensor 1 "w"', "neither 0 nor 1")


def _ops(*ops: OpDef, constant: int | None = None, **changes: Any) -> ModelDef:
    """Make a model of four tensors a, b, c, d and the given operators; input a, output d."""
    tensors = [TensorDef(name=name) for name in "abcd"]
    if constant is not None:
        tensors[constant] = replace(tensors[constant], data=bytes(4))
    return replace(ModelDef(tensors, ops, outputs=(3,)), **changes)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (
            _ops(OpDef(KIND.ABS, (1,), (3,)), OpDef(KIND.NEG, (0,), (1,))),
            ('op 0 ABS reads tensor 1 "b"', "op 1 NEG writes it only later"),
        ),
        (
            _ops(OpDef(KIND.ADD, (0, 3), (3,))),
            ('op 0 ADD reads tensor 3 "d"', "op 0 ADD writes it only later"),
        ),
        (
            _ops(OpDef(KIND.ADD, (0, 2), (3,))),
            ('op 0 ADD reads tensor 2 "c"', "nothing gives its value"),
        ),
        (
            _ops(OpDef(KIND.ABS, (0,), (3,)), OpDef(KIND.NEG, (0,), (3,))),
            ('tensor 3 "d" has two sources: op 0 ABS and op 1 NEG',),
        ),
        (_ops(OpDef(outputs=(3, 3))), ('tensor 3 "d" has two sources',)),
        (_ops(OpDef(outputs=(0,))), ('tensor 0 "a" has two sources', "the model's inputs")),
        (_ops(OpDef(outputs=(3,)), constant=3), ('tensor 3 "d"', "the model's data and op 0")),
        (_ops(OpDef(outputs=(3,)), constant=0), ('tensor 0 "a"', "the model's data and the model")),
        (_ops(OpDef(outputs=(3,)), inputs=(0, 0)), ('tensor 0 "a" has two sources',)),
        (_ops(OpDef()), ('output tensor 3 "d" is never written',)),
        (_ops(OpDef(KIND.ABS, outputs=())), ("op 0 ABS has no outputs",)),
    ],
)
def test_every_tensor_has_one_source_that_comes_first(
    model: ModelDef, words: tuple[str, ...]
) -> None:
    refused(model, ModelError, *words)


def test_several_subgraphs_are_refused_by_their_cause() -> None:
    tensors = [TensorDef()] * 2
    loop = ModelDef(tensors, [OpDef(KIND.WHILE)], subgraphs=3)
    refused(loop, UnsupportedError, "3 subgraphs", "control flow (WHILE)")
    refused(ModelDef(tensors, subgraphs=2), UnsupportedError, "2 subgraphs", "signatures")


@pytest.mark.parametrize("version", [0, 2, 4])
def test_other_schema_versions_arerefused(version: int) -> None:
    refused(replace(chain(), version=version), UnsupportedError, f"version is {version}")


def _softmax(write: Callable[[flatbuffers.Builder], None], number: int = 9) -> ModelDef:
    def options(b: flatbuffers.Builder) -> int:
        b.StartObject(1)
        write(b)
        return int(b.EndObject())

    op = OpDef(KIND.SOFTMAX if number == 9 else KIND.ADD, options=(number, options))
    return ModelDef([TensorDef(), TensorDef()], [op])


def test_options_of_another_operator_or_without_meaning_arerefused() -> None:
    other = OpDef(KIND.CONV_2D, options=(5, None))
    model = ModelDef([TensorDef(), TensorDef()], [other])
    refused(model, ModelError, "operators[0].builtin_options_type", "Conv2DOptions", "number 5")
    nan = _softmax(lambda b: b.PrependFloat32Slot(0, float("nan"), 0.0))
    refused(nan, ModelError, "builtin_options.beta", "nan")
    activation = _softmax(lambda b: b.PrependInt8Slot(0, 99, 0), 11)
    refused(activation, ModelError, "builtin_options.fused_activation_function", "value 99")
