# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What a user says of a pipeline: stages by name with options, as text or as a TOML file.

Text is ``NAME`` or ``NAME:OPTION=VALUE,OPTION=VALUE``; a value is written as in TOML, but strings
need no quotes. A file has an array of tables for each place, in order::

    [[pre]]
    stage = "image"
    format = "rgb565"
    size = [240, 320]

    [[post]]
    stage = "top_k"
    k = 3
"""

from __future__ import annotations

import re
import sys
import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields
from typing import Any

from ranvier.compiler.pipeline import stages
from ranvier.compiler.pipeline.stage import Stage
from ranvier.errors import InputError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PLACES = ("pre", "post")

_INT64 = range(-(1 << 63), 1 << 63)
"""Whole numbers that TOML promises."""
_SHOWN = 200
"""Characters of a wrong value that a message has at most."""


@dataclass(frozen=True)
class Use:
    """A stage with its options, an instance of ``stage.options``.

    ``given`` are the names of those that the user gave.
    """

    stage: Stage
    options: Any
    given: frozenset[str] = field(default=frozenset(), compare=False)


@dataclass(frozen=True)
class Pipeline:
    """Stages before and after a network, each in the order in which data passes them."""

    pre: tuple[Use, ...] = ()
    post: tuple[Use, ...] = ()

    def to_dict(self) -> dict[str, list[dict[str, Any]]]:
        """As JSON values, for the package's meta section."""
        return {
            place: [{"stage": use.stage.name, **_json(asdict(use.options))} for use in uses]
            for place, uses in (("pre", self.pre), ("post", self.post))
        }


def pipeline_of(pre: Iterable[str], post: Iterable[str]) -> Pipeline:
    """A pipeline from texts; raises :class:`InputError` for what is no stage or no option."""
    return Pipeline(
        tuple(_use(*_parsed(text), "pre") for text in pre),
        tuple(_use(*_parsed(text), "post") for text in post),
    )


def read_pipeline(data: bytes, name: str) -> Pipeline:
    """A pipeline from the bytes of the TOML file ``name``; raises :class:`InputError`."""
    try:
        value = tomllib.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:  # ValueError: no UTF-8, no TOML, 4300 digits
        raise InputError(f"{name}: is no TOML file: {error}", "correct what it names") from None
    wrong = sorted(set(value) - set(PLACES))
    if wrong:
        raise InputError(f"{name}: {wrong[0]!r} is not known", "use [[pre]] and [[post]] tables")
    uses = {place: _from_tables(value.get(place, []), place, name) for place in PLACES}
    if not uses["pre"] and not uses["post"]:
        raise InputError(f"{name}: names no stage", "add a [[pre]] or [[post]] table")
    return Pipeline(uses["pre"], uses["post"])


def _from_tables(tables: Any, place: str, name: str) -> tuple[Use, ...]:
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise InputError(f"{name}: {place} is not an array of tables", f"write [[{place}]]")
    uses = []
    for number, table in enumerate(tables):
        stage = table.get("stage")
        if not isinstance(stage, str):
            raise InputError(
                f"{name}: {place} {number} names no stage", f'add stage = "{_names(place)[0]}"'
            )
        options = {key: value for key, value in table.items() if key != "stage"}
        try:
            uses.append(_use(stage, options, place))
        except InputError as error:
            raise InputError(f"{name}: {error.message}", error.remedy) from None
    return tuple(uses)


def _parsed(text: str) -> tuple[str, dict[str, Any]]:
    """Name and options of a stage given as text."""
    name, _, rest = text.partition(":")
    options: dict[str, Any] = {}
    for part in re.split(r",(?![^\[]*\])", rest) if rest else []:
        key, equals, value = part.partition("=")
        if not equals or not key.strip():
            raise InputError(
                f"{_shown(text)}: {_shown(part)} is no option",
                "write NAME:OPTION=VALUE,OPTION=VALUE",
            )
        if key.strip() in options:
            raise InputError(f"{text!r}: {key.strip()} is given twice", "give it once")
        options[key.strip()] = _value(value.strip())
    return name.strip(), options


def _value(text: str) -> Any:
    """A TOML value, or the text itself where it is none: strings need no quotes."""
    if text.startswith("[") and text.endswith("]"):
        return [_value(part.strip()) for part in text[1:-1].split(",") if part.strip()]
    try:
        table = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):  # ValueError: no TOML, or a number of over 4300 digits
        return text
    return table["value"] if len(table) == 1 else text


def _names(place: str) -> list[str]:
    return sorted(stage.name for stage in stages().values() if stage.place == place)


def _use(name: str, options: Mapping[str, Any], place: str) -> Use:
    stage = stages().get(name)
    if stage is None or stage.place != place:
        why = "is no stage" if stage is None else f"belongs to --{stage.place}"
        raise InputError(f"{_shown(name)} {why}", f"--{place} takes {', '.join(_names(place))}")
    known = {f.name: f for f in fields(stage.options)}
    hints = typing.get_type_hints(stage.options)
    wrong = sorted(set(options) - set(known))
    if wrong:
        raise InputError(
            f"stage {name}: {_shown(wrong[0])} is no option", f"one of {', '.join(known) or 'none'}"
        )
    values = {key: _typed(value, hints[key], f"{name}: {key}") for key, value in options.items()}
    needed = [
        key
        for key, f in known.items()
        if f.default is MISSING and f.default_factory is MISSING and key not in options
    ]
    if needed:
        raise InputError(f"stage {name}: {needed[0]} is missing", f"give {', '.join(needed)}")
    return Use(stage, stage.options(**values), frozenset(values))


def _typed(value: Any, hint: Any, where: str) -> Any:
    """``value`` as the type of an option; raises :class:`InputError` where it has another one."""
    choices = _choices(hint)
    for choice in choices:
        found, typed = _as(value, choice, where)
        if found:
            return typed
    names = " or ".join(dict.fromkeys(_name(choice) for choice in choices))
    example = " as size=[ROWS, COLUMNS]" if where.endswith(": size") else ""
    raise InputError(f"stage {where} = {_shown(value)} is not {names}", f"give {names}{example}")


def _shown(value: Any) -> str:
    """A value in a message, which stays readable."""
    try:
        text = repr(value)
    except ValueError:  # a number of over 4300 digits, as TOML's hexadecimal ones can have
        text = "a huge number"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _choices(hint: Any) -> list[Any]:
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return [c for c in typing.get_args(hint) if c is not type(None)]
    return [hint]


def _as(value: Any, hint: Any, where: str) -> tuple[bool, Any]:
    """Whether ``value`` can be of type ``hint``, and as that."""
    origin = typing.get_origin(hint)
    if origin is typing.Literal:
        return value in typing.get_args(hint), value
    if origin is tuple:
        args = typing.get_args(hint)
        if not isinstance(value, list):
            return False, None
        if len(args) == 2 and args[1] is Ellipsis:
            args = (args[0],) * len(value)
        if len(args) != len(value):
            return False, None
        return True, tuple(_typed(item, arg, where) for item, arg in zip(value, args, strict=True))
    if isinstance(value, int) and value not in _INT64:
        return False, None
    if hint is float:
        ok = isinstance(value, (int, float)) and not isinstance(value, bool)
        return ok, float(value) if ok else None
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool), value
    return isinstance(value, hint), value


def _name(hint: Any) -> str:
    """How messages call a type."""
    origin = typing.get_origin(hint)
    if origin is typing.Literal:
        return " or ".join(repr(choice) for choice in typing.get_args(hint))
    if origin is tuple:
        args = typing.get_args(hint)
        many = len(args) == 2 and args[1] is Ellipsis
        items = " or ".join(f"{_name(choice)[2:]}s" for choice in _choices(args[0]))
        return f"a list of {items}" if many else f"a list of {len(args)}"
    return {int: "a whole number", float: "a number", str: "a word", bool: "true or false"}[hint]


def _json(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _json(item) for key, item in value.items()}
    return [_json(item) for item in value] if isinstance(value, tuple) else value
