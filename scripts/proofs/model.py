# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""A .tflite model: its layers, and which values every channel can take."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import tflite

from proofs.reference import quantised, requantised

_KINDS = {v: k for k, v in vars(tflite.BuiltinOperator).items() if isinstance(v, int)}
_OPTIONS = {
    "CONV_2D": tflite.Conv2DOptions,
    "DEPTHWISE_CONV_2D": tflite.DepthwiseConv2DOptions,
    "FULLY_CONNECTED": tflite.FullyConnectedOptions,
    "ADD": tflite.AddOptions,
    "AVERAGE_POOL_2D": tflite.Pool2DOptions,
    "MAX_POOL_2D": tflite.Pool2DOptions,
}
_RELU, _RELU6 = 1, 3
_SAME = 0
_POOLS = ("AVERAGE_POOL_2D", "MAX_POOL_2D")
_RESHAPES = ("RESHAPE", "SQUEEZE", "EXPAND_DIMS")


@dataclass
class Layer:
    """An op of the model; ``weights`` are [out][filter_h][filter_w][in] of ops that have some."""

    number: int
    kind: str
    inputs: list[int]
    output: int
    in_zero: int = 0
    out_zero: int = 0
    act_min: int = -128
    act_max: int = 127
    padded: bool = False
    weights: np.ndarray | None = None
    bias: np.ndarray | None = None
    real: list[float] = field(default_factory=list)

    @property
    def where(self) -> str:
        """How messages name it."""
        return f"layer {self.number} {self.kind}"

    def outputs(self, sums: np.ndarray, channel: int) -> np.ndarray:
        """The reference's outputs for sums with the bias."""
        values = requantised(sums, *quantised(self.real[channel])) + self.out_zero
        result: np.ndarray = np.clip(values, self.act_min, self.act_max)
        return result


@dataclass
class Proven:
    """Bounds of the sums of a layer, and which channels have one value."""

    low: np.ndarray
    high: np.ndarray
    constant: np.ndarray


class Model:
    """Layers in order; ``ranges`` bounds the channels of every int8 tensor."""

    def __init__(self, data: bytes) -> None:
        self._model = tflite.Model.GetRootAsModel(data, 0)
        self._graph = self._model.Subgraphs(0)
        self.ranges: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self.proven: dict[int, Proven] = {}
        self.layers = [self._layer(i) for i in range(self._graph.OperatorsLength())]
        for layer in self.layers:
            self.ranges[layer.output] = self._range(layer)

    def channels(self, tensor: int) -> int:
        """Size of the last dimension."""
        shape = self._graph.Tensors(tensor).ShapeAsNumpy()
        return int(shape[-1]) if self._graph.Tensors(tensor).ShapeLength() else 1

    def dispensable(self, tensor: int, count: int = 0) -> np.ndarray:
        """Which of a tensor's channels, repeated through its readers, all of these know beforehand.

        Sums know a constant; where their windows are padded it must be what padding is.
        """
        count = count or self.channels(tensor)
        readers = [layer for layer in self.layers if tensor in layer.inputs]
        result = np.full(count, bool(readers))
        for layer in readers:
            same = layer.kind == "DEPTHWISE_CONV_2D" and self.channels(layer.output) == count
            if same or layer.kind in (*_POOLS, *_RESHAPES):
                result &= self.dispensable(layer.output, count)
            elif layer.kind in ("CONV_2D", "FULLY_CONNECTED") and layer.inputs[0] == tensor:
                low, high = self.ranges[tensor]
                known = (low == high) & ((low == layer.in_zero) | (not layer.padded))
                result &= known.reshape(-1, count).all(axis=0)
            else:
                result[:] = False
        return result

    def scale(self, tensor: int) -> float:
        """Scale of a tensor."""
        return float(self._graph.Tensors(tensor).Quantization().Scale(0))

    def zero(self, tensor: int) -> int:
        """Zero point of a tensor."""
        return int(self._graph.Tensors(tensor).Quantization().ZeroPoint(0))

    def _data(self, tensor: int, dtype: type) -> np.ndarray:
        found = self._graph.Tensors(tensor)
        raw = self._model.Buffers(found.Buffer()).DataAsNumpy()
        return np.frombuffer(raw.tobytes(), dtype).reshape(found.ShapeAsNumpy()).astype(np.int64)

    def _layer(self, number: int) -> Layer:
        op = self._graph.Operators(number)
        code = self._model.OperatorCodes(op.OpcodeIndex())
        kind = _KINDS[max(code.BuiltinCode(), code.DeprecatedBuiltinCode())]
        inputs = [op.Inputs(i) for i in range(op.InputsLength())]
        layer = Layer(number, kind, inputs, op.Outputs(0))
        if kind not in _OPTIONS:
            return layer
        options = _OPTIONS[kind]()
        options.Init(op.BuiltinOptions().Bytes, op.BuiltinOptions().Pos)
        layer.in_zero, layer.out_zero = self.zero(inputs[0]), self.zero(layer.output)
        activation = options.FusedActivationFunction()
        if activation in (_RELU, _RELU6):
            layer.act_min = max(-128, layer.out_zero)
        if activation == _RELU6:
            six = np.float32(6.0) / np.float32(self.scale(layer.output))
            layer.act_max = min(127, layer.out_zero + int(np.floor(six + np.float32(0.5))))
        if kind in ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"):
            self._add_weights(layer, options)
        return layer

    def _add_weights(self, layer: Layer, options: object) -> None:
        weights = self._data(layer.inputs[1], np.int8)
        if layer.kind == "FULLY_CONNECTED":
            weights = weights[:, None, None, :]
        elif layer.kind == "DEPTHWISE_CONV_2D":
            weights = weights.transpose(3, 1, 2, 0)
        layer.weights = weights
        has_bias = len(layer.inputs) > 2 and layer.inputs[2] >= 0
        layer.bias = np.zeros(len(weights), np.int64)
        if has_bias:
            layer.bias = self._data(layer.inputs[2], np.int32).reshape(-1)
        scales = self._graph.Tensors(layer.inputs[1]).Quantization().ScaleAsNumpy()
        factor, out = self.scale(layer.inputs[0]), self.scale(layer.output)
        every = np.broadcast_to(scales.astype(np.float64), (len(weights),))
        layer.real = [factor * float(scale) / out for scale in every]
        if layer.kind != "FULLY_CONNECTED":
            size = self._graph.Tensors(layer.inputs[0]).ShapeAsNumpy()[1:3]
            outs = self._graph.Tensors(layer.output).ShapeAsNumpy()[1:3]
            strides = options.StrideH(), options.StrideW()  # type: ignore[attr-defined]
            reach = [
                (o - 1) * s + f for o, s, f in zip(outs, strides, weights.shape[1:3], strict=True)
            ]
            same = options.Padding() == _SAME  # type: ignore[attr-defined]
            layer.padded = same and any(r > n for r, n in zip(reach, size, strict=True))

    def _inside(self, tensor: int) -> tuple[np.ndarray, np.ndarray]:
        count = self.channels(tensor)
        return self.ranges.get(tensor, (np.full(count, -128), np.full(count, 127)))

    def _range(self, layer: Layer) -> tuple[np.ndarray, np.ndarray]:
        """Bounds of the output's channels."""
        count = self.channels(layer.output)
        if layer.weights is not None:
            return self._sums(layer)
        low, high = self._inside(layer.inputs[0])
        if layer.kind in _POOLS:
            return low.clip(layer.act_min, layer.act_max), high.clip(layer.act_min, layer.act_max)
        if layer.kind in _RESHAPES and count % len(low) == 0:
            return np.tile(low, count // len(low)), np.tile(high, count // len(low))
        return np.full(count, -128), np.full(count, 127)

    def _sums(self, layer: Layer) -> tuple[np.ndarray, np.ndarray]:
        assert layer.weights is not None
        assert layer.bias is not None
        low, high = (ends - layer.in_zero for ends in self._inside(layer.inputs[0]))
        if layer.padded:
            low, high = np.minimum(low, 0), np.maximum(high, 0)
        weights = layer.weights
        if layer.kind == "DEPTHWISE_CONV_2D":
            each = len(weights) // len(low)
            low, high = (np.repeat(ends, each)[:, None, None, None] for ends in (low, high))
        ends = np.stack([weights * low, weights * high])
        least = layer.bias + ends.min(axis=0).sum(axis=(1, 2, 3))
        most = layer.bias + ends.max(axis=0).sum(axis=(1, 2, 3))
        out = np.array(
            [
                layer.outputs(np.array([a, b]), c)
                for c, (a, b) in enumerate(zip(least, most, strict=True))
            ]
        )
        self.proven[layer.output] = Proven(least, most, out[:, 0] == out[:, 1])
        return out[:, 0], out[:, 1]
