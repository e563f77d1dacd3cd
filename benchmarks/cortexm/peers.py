# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What other runtimes need for the same models. The figures are quoted, not measured again.

TensorFlow Lite Micro was built from source with gcc 12.2 and its instructions counted under QEMU on
the same machines with the same kind of counter; RAM was measured on Cortex-M33 with the input in
its arena; code is text and read-only data without the model. Source of all of its figures:
README.md of the project's folder of models. It was not measured on Cortex-M7. BakeNN 1.0.0 is an
ahead-of-time compiler: its code is for one model alone, and its arena leaves out the caller's input
and output.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Peer:
    """Figures of other runtimes for one model.

    ``ram``, ``code`` and ``start`` are TensorFlow Lite Micro's on Cortex-M33 with CMSIS-NN,
    ``reference_code`` and ``reference_m33`` with its portable reference kernels. ``m33_nodsp`` is
    CMSIS-NN for a Cortex-M33 without the DSP extension. All of them compute every channel.
    """

    ram: int
    code: int
    reference_code: int
    start: int
    reference_m33: int
    m33_nodsp: int
    m4: int
    m33: int
    m55: int
    bakenn_arena: int
    bakenn_code: int

    def instructions(self, cpu: str) -> int | None:
        """Instructions of one inference with CMSIS-NN; None for a CPU that was not measured."""
        known = {"m4": self.m4, "m33": self.m33, "m33-nodsp": self.m33_nodsp, "m55": self.m55}
        return known.get(cpu)


PEERS: Mapping[str, Peer] = {
    "kws": Peer(
        ram=22_820,
        code=83_672,
        reference_code=39_912,
        start=790_000,
        reference_m33=42_830_724,
        m33_nodsp=10_531_557,
        m4=7_697_388,
        m33=7_679_679,
        m55=1_813_152,
        bakenn_arena=16_000,
        bakenn_code=3_700,
    ),
    "vww": Peer(
        ram=100_708,
        code=83_672,
        reference_code=39_912,
        start=3_500_000,
        reference_m33=99_654_334,
        m33_nodsp=31_957_569,
        m4=24_101_945,
        m33=24_046_753,
        m55=6_558_321,
        bakenn_arena=73_728,
        bakenn_code=4_900,
    ),
    "ic": Peer(
        ram=54_996,
        code=78_376,
        reference_code=44_256,
        start=540_000,
        reference_m33=107_427_358,
        m33_nodsp=41_848_807,
        m4=29_865_185,
        m33=29_964_409,
        m55=4_913_243,
        bakenn_arena=49_152,
        bakenn_code=3_900,
    ),
    "ad": Peer(
        ram=2_580,
        code=31_464,
        reference_code=19_256,
        start=80_000,
        reference_m33=1_951_952,
        m33_nodsp=955_893,
        m4=582_907,
        m33=583_354,
        m55=149_998,
        bakenn_arena=272,
        bakenn_code=1_400,
    ),
}
