# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Seeded random models of one op each, or (IMAGE_CHAIN) of several, to compare with a reference.

Each module of this package holds one family of ops and enters its generators in the registry.
"""

from ranvier.testing.cases import (
    activation,
    concatenation,
    convolution,
    elementwise,
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
from ranvier.testing.cases.registry import Case, generate, ops

__all__ = [
    "Case",
    "activation",
    "concatenation",
    "convolution",
    "elementwise",
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
