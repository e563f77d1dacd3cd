# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""How models are compiled for measuring, and on which CPUs each of the packages is run."""

from __future__ import annotations

from dataclasses import dataclass

from ranvier.compiler.driver import CompileOptions
from ranvier.package.records import IoMode

#: Names of the CPUs in tables; ``RNV_CPU`` of the firmware's toolchain file.
CPU_NAMES = {
    "m4": "Cortex-M4",
    "m7": "Cortex-M7",
    "m33": "Cortex-M33",
    "m33-nodsp": "Cortex-M33 without DSP",
    "m55": "Cortex-M55",
}


@dataclass(frozen=True)
class Variant:
    """Options of the compiler, and the CPUs that run what comes of them.

    ``cpu`` is the one of everything that is measured on one CPU only.
    """

    isa: str
    optimize: str
    cpus: tuple[str, ...]
    cpu: str

    @property
    def key(self) -> str:
        """Short name, as in the budget."""
        return f"{self.isa}-{self.optimize}"

    def options(self, mode: IoMode, all_channels: bool) -> CompileOptions:
        """The compiler's options; ``all_channels`` keeps those that never change."""
        return CompileOptions(
            isa=self.isa,
            optimize=self.optimize,
            input_mode=mode,
            drop_constant_channels=not all_channels,
        )


_DSP_CPUS = ("m4", "m7", "m33")

#: Everything that is measured. On Cortex-M55 the kernels of the firmware are those for its vectors.
VARIANTS = (
    *(Variant("dsp", goal, _DSP_CPUS, "m33") for goal in ("speed", "balanced", "memory")),
    Variant("base", "balanced", ("m33-nodsp",), "m33-nodsp"),
    Variant("generic", "balanced", ("m55",), "m55"),
)
#: What is shown where one variant stands for all.
MAIN = VARIANTS[1]
