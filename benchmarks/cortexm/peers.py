# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Goals, and what other runtimes need for the same models. Figures of others are quoted, not rerun.

TensorFlow Lite Micro was built from source with gcc 12.2 and its instructions counted under QEMU on
the same machines with the same kind of counter; RAM was measured on Cortex-M33 with the input in
its arena; code is text and read-only data without the model. BakeNN 1.0.0 is an ahead-of-time
compiler: its code is for one model alone, and its arena leaves out the caller's input and output.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

#: Bytes of text on Cortex-M33 at -Os for reader, verifier and executor.
CORE_BYTES_GOAL = 8 * 1024
#: Bytes of text on Cortex-M33 at -Os with every kernel that the MLPerf Tiny four need.
FOUR_BYTES_GOAL = 32 * 1024
#: Instructions to open any of the packages on Cortex-M33, CRC apart.
OPEN_INSTRUCTIONS_GOAL = 100_000
#: Bytes of stack to open a package.
OPEN_STACK_GOAL = 256
#: Bytes of RAM for an opened package beside arena, state, inputs and outputs.
VIEW_BYTES_GOAL = 256


@dataclass(frozen=True)
class Peer:
    """Figures of other runtimes for one model, and the goal for its RAM.

    ``ram``, ``code`` and ``start`` are TensorFlow Lite Micro's on Cortex-M33 with CMSIS-NN,
    ``reference_code`` and ``reference_m33`` with its portable reference kernels. ``m33_plain`` is
    CMSIS-NN for a Cortex-M33 without the DSP extension, which uses no instruction that portable C
    cannot.
    """

    ram_goal: int
    ram: int
    code: int
    reference_code: int
    start: int
    reference_m33: int
    m33_plain: int
    m4: int
    m33: int
    m55: int
    bakenn_arena: int
    bakenn_code: int


PEERS: Mapping[str, Peer] = {
    "kws": Peer(
        ram_goal=16_700,
        ram=22_820,
        code=83_672,
        reference_code=39_912,
        start=790_000,
        reference_m33=42_830_724,
        m33_plain=10_531_557,
        m4=7_697_388,
        m33=7_679_679,
        m55=1_813_152,
        bakenn_arena=16_000,
        bakenn_code=3_700,
    ),
    "vww": Peer(
        ram_goal=56_300,
        ram=100_708,
        code=83_672,
        reference_code=39_912,
        start=3_500_000,
        reference_m33=99_654_334,
        m33_plain=31_957_569,
        m4=24_101_945,
        m33=24_046_753,
        m55=6_558_321,
        bakenn_arena=73_728,
        bakenn_code=4_900,
    ),
    "ic": Peer(
        ram_goal=50_000,
        ram=54_996,
        code=78_376,
        reference_code=44_256,
        start=540_000,
        reference_m33=107_427_358,
        m33_plain=41_848_807,
        m4=29_865_185,
        m33=29_964_409,
        m55=4_913_243,
        bakenn_arena=49_152,
        bakenn_code=3_900,
    ),
    "ad": Peer(
        ram_goal=1_400,
        ram=2_580,
        code=31_464,
        reference_code=19_256,
        start=80_000,
        reference_m33=1_951_952,
        m33_plain=955_893,
        m4=582_907,
        m33=583_354,
        m55=149_998,
        bakenn_arena=272,
        bakenn_code=1_400,
    ),
}
