# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""A package as a C source file and its header, for builds that link the model into the image."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ranvier.package.records import PackageContent, Storage, TensorRecord
from ranvier.package.values import DType

_HEADER = """\
/* Made by `ranvier compile`: model {name} {version}, compiled for {mode} inputs. */

#ifndef RANVIER_MODEL_{macro}_H_
#define RANVIER_MODEL_{macro}_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

/* The package, for rnv_package_open(); 16-byte aligned. */
extern const uint8_t {symbol}[{package_bytes}];
extern const uint32_t {symbol}_bytes;
{costs}
/* For rnv_exec_init(): bytes of the arena, which is 16-byte aligned, and number of externals. */
#define RANVIER_{macro}_ARENA_BYTES {arena_bytes}
#define RANVIER_{macro}_EXTERNAL_COUNT {external_count}

/* Persistent state, 16-byte aligned, for rnv_exec_set_state() or rnv_model_config.state. */
#define RANVIER_{macro}_STATE_BYTES {state_bytes}

/* Inputs and outputs: real value = scale * (value - zero point). */
{tensors}
#ifdef __cplusplus
}}
#endif

#endif /* RANVIER_MODEL_{macro}_H_ */
"""


_COSTS = """
/* Measured costs of the steps in microseconds, for rnv_model_config.step_cost_us. */
extern const uint32_t {symbol}_step_cost_us[{count}];
"""


def c_array(package: bytes, name: str, header: str, costs: Sequence[int] = ()) -> str:
    """C source that defines ``ranvier_<name>`` (16-byte aligned) and ``ranvier_<name>_bytes``.

    Characters that C does not allow in an identifier become underscores. ``header`` is the file
    that has what :func:`c_header` makes; the source includes it. ``costs`` are microseconds for
    each step, defined as ``ranvier_<name>_step_cost_us`` for admission; empty: none.
    """
    symbol = f"ranvier_{identifier(name)}"
    rows = [
        "\t" + ", ".join(f"0x{byte:02x}" for byte in package[i : i + 12]) + ","
        for i in range(0, len(package), 12)
    ]
    return "\n".join(
        [
            "/* Made by `ranvier compile --c-array`. */",
            "",
            f'#include "{header}"',
            "",
            f"_Alignas(16) const uint8_t {symbol}[{len(package)}] = {{",
            *rows,
            "};",
            "",
            f"const uint32_t {symbol}_bytes = {len(package)};",
            "",
            *_costs(symbol, costs),
        ]
    )


def _costs(symbol: str, costs: Sequence[int]) -> list[str]:
    if not costs:
        return []
    rows = ["\t" + ", ".join(map(str, costs[i : i + 12])) + "," for i in range(0, len(costs), 12)]
    return [f"const uint32_t {symbol}_step_cost_us[{len(costs)}] = {{", *rows, "};", ""]


def c_header(package: bytes, content: PackageContent, costs: Sequence[int] = ()) -> str:
    """C declarations of a package and the sizes of the memory that it needs, as literals.

    Static memory of an application is then as large as its model needs. C and C++ can include it.
    ``costs`` as for :func:`c_array`.
    """
    name = identifier(content.name)
    entries = [
        _entry(f"RANVIER_{name.upper()}", number, content) for number in range(len(content.entries))
    ]
    return _HEADER.format(
        name=content.name,
        version=".".join(map(str, content.version)),
        mode=content.io_mode.name.lower(),
        macro=name.upper(),
        symbol=f"ranvier_{name}",
        package_bytes=len(package),
        costs=_COSTS.format(symbol=f"ranvier_{name}", count=len(costs)) if costs else "",
        arena_bytes=content.arena_bytes,
        external_count=sum(
            content.tensors[number].storage is Storage.EXTERNAL
            for entry in content.entries
            for number in (*entry.inputs, *entry.outputs)
        ),
        state_bytes=content.state_bytes,
        tensors="".join(entries),
    )


def _entry(prefix: str, number: int, content: PackageContent) -> str:
    """Macros of an entry point; the name of one that is alone is left out."""
    entry = content.entries[number]
    head = ""
    if len(content.entries) > 1:
        name = identifier(entry.name).upper()
        head = f"/* Entry point {number}. */\n#define {prefix}_ENTRY_{name} {number}\n"
        prefix = f"{prefix}_{name}"
    return head + "".join(
        _tensor(f"{prefix}_{kind}_{i}", content.tensors[tensor])
        for kind, numbers in (("INPUT", entry.inputs), ("OUTPUT", entry.outputs))
        for i, tensor in enumerate(numbers)
    )


def identifier(name: str) -> str:
    """``name`` with underscores for what C does not allow in an identifier."""
    return re.sub(r"\W", "_", name, flags=re.ASCII)


def _tensor(prefix: str, tensor: TensorRecord) -> str:
    """Macros of an input or output. Its name is the model's: nothing in it may end the comment."""
    name = re.sub(r"[^A-Za-z0-9_.:; -]", "_", tensor.name)[:60]
    shape = ", ".join(map(str, tensor.shape))
    lines = [f"/* {name}: {DType(tensor.dtype).name.lower()}[{shape}] */"]
    lines.append(f"#define {prefix}_BYTES {tensor.bytes}")
    if tensor.scale:
        scale = f"{tensor.scale:.9g}"
        scale += "f" if re.search(r"[.e]", scale) else ".0f"
        lines.append(f"#define {prefix}_SCALE {scale}")
        lines.append(f"#define {prefix}_ZERO_POINT ({tensor.zero_point})")
    return "\n".join(lines) + "\n"
