# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What the training scripts share: the block that their networks are made of, and quantisation."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
import tensorflow as tf
from keras import layers
from numpy.typing import NDArray


def separable_block(x: Any, number: int, channels: int, stride: int) -> Any:
    """Append a 3x3 depthwise and a 1x1 convolution, each with batch normalisation and ReLU."""
    x = layers.DepthwiseConv2D(3, stride, "same", use_bias=False, name=f"depthwise{number}")(x)
    x = layers.BatchNormalization(name=f"depthwise{number}_norm")(x)
    x = layers.ReLU(name=f"depthwise{number}_relu")(x)
    x = layers.Conv2D(channels, 1, use_bias=False, name=f"pointwise{number}")(x)
    x = layers.BatchNormalization(name=f"pointwise{number}_norm")(x)
    return layers.ReLU(name=f"pointwise{number}_relu")(x)


def int8_model(network: Any, calibration: NDArray[np.float32]) -> bytes:
    """Convert to a full-integer .tflite with batch 1, its ranges measured on ``calibration``."""
    given = network.inputs[0]
    shape = (1, *given.shape[1:])
    one = layers.Input(batch_shape=shape, name=given.name)
    converter = tf.lite.TFLiteConverter.from_keras_model(keras.Model(one, network(one)))
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = lambda: ([each.reshape(shape)] for each in calibration)
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    converter.inference_input_type = tf.int8
    converter.inference_output_type = tf.int8
    return bytes(converter.convert())
