# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Mutants of Arm assembly: registers, immediates, related instructions, instructions left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mutant import Mutant

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_LABEL = re.compile(r"\s*(?:[\w.$\\]+:\s*)*")
_INSTRUCTION = re.compile(r"(?P<name>[A-Za-z][\w.\\]*)(?P<rest>[^\n]*)")
_NUMBER = re.compile(r"(?<![\w.\\])(0[xX][0-9a-fA-F]+|[0-9]+)(?![\w.])")
_REGISTER = re.compile(r"\\?[A-Za-z]\w*")

#: Instructions that an author may have confused, both ways.
_PAIRS = (
    "smlabb smlatb",
    "smlabt smlatt",
    "smlad smladx",
    "smmla smmlar",
    "smmul smmulr",
    "smlal umlal",
    "smull umull",
    "mla mls",
    "pkhbt pkhtb",
    "sxtb16 uxtb16",
    "sxtb uxtb",
    "sxth uxth",
    "ssat usat",
    "ubfx sbfx",
    "ldrb ldrsb",
    "ldrh ldrsh",
    "strb strh",
    "add sub",
    "adds subs",
    "and orr",
    "bic and",
    "eor orr",
    "lsl lsr",
    "lsls lsrs",
    "asr lsr",
    "beq bne",
    "bhi bhs",
    "blo bls",
    "blt ble",
    "bgt bge",
    "bcs bcc",
    "cbz cbnz",
    "cmp cmn",
    "vadd.i32 vsub.i32",
    "vmax.s32 vmin.s32",
    "vmax.s8 vmin.s8",
    "vqrdmulh.s32 vqdmulh.s32",
    "vrshl.s32 vshl.s32",
    "vshr.s32 vshr.u32",
    "vmladav.s8 vmladava.s8",
    "vmladava.s8 vmladava.u8",
    "vand vorr",
    "vldrb.s32 vldrb.u32",
    "vldrb.s16 vldrb.u16",
    "vldrbt.u8 vldrb.u8",
    "vstrbt.8 vstrb.8",
    "sadd16 ssub16",
    "sadd8 ssub8",
    "qadd16 sadd16",
    "uhadd8 uadd8",
    "rev rev16",
)
_SIBLINGS: dict[str, list[str]] = {}
for _pair in _PAIRS:
    _a, _b = _pair.split()
    _SIBLINGS.setdefault(_a, []).append(_b)
    _SIBLINGS.setdefault(_b, []).append(_a)

#: Instructions whose operands at these two places may change places without effect.
_COMMUTE = {
    (1, 2): re.compile(
        r"adds?|ands?|orrs?|eors?|muls?|mla|mls|smmlar?|smmulr?|smlad|smuad|smlabb|smlatt|smulbb"
        r"|sadd16|sadd8|qadd16|vadd\.\w+|vmax\.\w+|vmin\.\w+|vand|vorr|veor|vmul\.\w+"
        r"|vmladava?\.\w+|vqr?dmulh\.\w+"
    ),
    (2, 3): re.compile(r"smlal|umlal|smull|umull"),
}
_WORDS = re.compile(r"(ldrd?|strd?|vldrw\S*|vstrw\S*)(\.w)?")
#: What runs where a return is left out is chance: often a function that does no harm.
_RETURN = re.compile(r"bx\s+lr")
_NO_CODE = ("#", ".")


@dataclass(frozen=True)
class Instruction:
    """An instruction, or the use of a macro: its name and its operands, and where they are."""

    name: str
    start: int
    end: int
    operands: tuple[tuple[int, str], ...]


def blanked(text: str) -> str:
    """The text with comments as spaces, of the same length."""
    return _COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def instructions_of(text: str) -> Iterator[Instruction]:
    """The instructions of a file."""
    at = 0
    for line in blanked(text).splitlines(keepends=True):
        label = _LABEL.match(line)
        assert label is not None
        match = _INSTRUCTION.match(line, label.end())
        if match is not None and line[label.end()] not in _NO_CODE:
            rest = match.group("rest").rstrip()
            begin = at + match.start("rest")
            yield Instruction(
                match.group("name"), at + match.start(), begin + len(rest), _split(rest, begin)
            )
        at += len(line)


def _split(rest: str, begin: int) -> tuple[tuple[int, str], ...]:
    """Operands by the commas outside brackets."""
    operands: list[tuple[int, str]] = []
    depth, start = 0, 0
    for at, char in enumerate(rest + ","):
        depth += {"[": 1, "{": 1, "(": 1, "]": -1, "}": -1, ")": -1}.get(char, 0)
        if char == "," and depth == 0:
            word = rest[start:at]
            stripped = word.strip()
            if stripped:
                operands.append((begin + start + word.index(stripped), stripped))
            start = at + 1
    return tuple(operands)


def mutants(text: str) -> Iterator[Mutant]:
    """Every mutant of an assembly file."""
    instructions = list(instructions_of(text))
    for at, instruction in enumerate(instructions):
        following = instructions[at + 1].name if at + 1 < len(instructions) else ""
        if _RETURN.fullmatch(text[instruction.start : instruction.end]) is None:
            yield Mutant("drop", instruction.start, instruction.end, "")
        yield from _siblings(text, instruction)
        yield from _swaps(instruction, following)
        yield from _immediates(instruction)
    yield from _definitions(text)


def _siblings(text: str, instruction: Instruction) -> Iterator[Mutant]:
    base = instruction.name.removesuffix(".w")
    end = instruction.start + len(base)
    for new in _SIBLINGS.get(base, ()):
        yield Mutant("sibling", instruction.start, end, new)
    for at, operand in instruction.operands:
        match = re.match(r"(asr|lsr|lsl)\b", operand)
        if match is not None:
            new = {"asr": "lsr", "lsr": "asr", "lsl": "lsr"}[match.group()]
            yield Mutant("sibling", at, at + 3, new)


def _swaps(instruction: Instruction, following: str) -> Iterator[Mutant]:
    """Two registers of one instruction exchanged; a comparison for equality has no order."""
    if instruction.name == "cmp" and following in ("beq", "bne"):
        return
    operands = instruction.operands
    for first in range(len(operands)):
        for second in range(first + 1, len(operands)):
            commute = _COMMUTE.get((first, second))
            if commute is not None and commute.fullmatch(instruction.name):
                continue
            (a_at, a), (b_at, b) = operands[first], operands[second]
            if a == b or not (_REGISTER.fullmatch(a) and _REGISTER.fullmatch(b)):
                continue
            whole = [*operands]
            whole[first], whole[second] = (a_at, b), (b_at, a)
            new = ", ".join(operand for _, operand in whole)
            yield Mutant("swap", operands[0][0], instruction.end, new)


def _immediates(instruction: Instruction) -> Iterator[Mutant]:
    """Constants one larger, in offsets of words one word, and limits of saturation one smaller."""
    for at, operand in instruction.operands:
        if re.fullmatch(r"[0-9]+[fb]", operand):
            continue
        for match in _NUMBER.finditer(operand):
            value = int(match.group(), 0)
            offset = operand.startswith("[") or _WORDS.fullmatch(instruction.name)
            step = 4 if offset and _WORDS.fullmatch(instruction.name) else 1
            steps = (-1,) if instruction.name == "ssat" and value == 8 else (step,)
            for by in steps:
                new = hex(value + by) if "x" in match.group().lower() else str(value + by)
                yield Mutant("immediate", at + match.start(), at + match.end(), new)


def _definitions(text: str) -> Iterator[Mutant]:
    """Numbers that have a name: those that are whole words, one word larger, others by one."""
    clean = blanked(text)
    for match in re.finditer(r"^#define[ \t]+\w+[ \t]+(0[xX]\w+|[0-9]+)[ \t]*$", clean, re.M):
        value = int(match.group(1), 0)
        new = value + (4 if value % 4 == 0 else 1)
        yield Mutant("immediate", match.start(1), match.end(1), str(new))
