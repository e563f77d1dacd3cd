# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The device ops with packed weights: the compiler chooses them once layouts are known."""

from __future__ import annotations

from ranvier.compiler.packed import (
    add_tables,
    conv_pixels,
    conv_planes,
    depthwise,
    depthwise_planes,
    fully_connected,
    pointwise,
    winograd,
)

DEVICE_OPS = (
    *pointwise.DEVICE_OPS,
    *conv_planes.DEVICE_OPS,
    *conv_pixels.DEVICE_OPS,
    *depthwise.DEVICE_OPS,
    *depthwise_planes.DEVICE_OPS,
    *fully_connected.DEVICE_OPS,
    *winograd.DEVICE_OPS,
    *add_tables.DEVICE_OPS,
)
