# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Seeded random models of one op each, or (IMAGE_CHAIN) of several, to compare with a reference.

Those whose names end in _F32 are in float32, the others quantised. Each module of this package
holds one family of ops and enters its generators in the registry.
"""

from ranvier.testing.cases import (
    activation,
    arg_max,
    concatenation,
    convolution,
    elementwise,
    f32,
    fully_connected,
    image_chain,
    mean,
    pad,
    pool,
    quantize,
    reshape,
    resize,
    softmax,
)
from ranvier.testing.cases.registry import Case, Tolerance, generate, ops

__all__ = [
    "Case",
    "Tolerance",
    "activation",
    "arg_max",
    "concatenation",
    "convolution",
    "elementwise",
    "f32",
    "fully_connected",
    "generate",
    "image_chain",
    "mean",
    "ops",
    "pad",
    "pool",
    "quantize",
    "reshape",
    "resize",
    "softmax",
]
