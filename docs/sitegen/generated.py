# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Pages, and parts of pages, that are made from what the code says of itself."""

from __future__ import annotations

import enum
import importlib
import inspect
import pkgutil
import re
import typing
from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, fields
from types import ModuleType
from typing import Any

import ranvier
from ranvier.compiler.pipeline import stages
from ranvier.compiler.pipeline.stage import Stage
from sitegen.errors import SiteError
from sitegen.markdown import table
from sitegen.pages import INCLUDES, ROOT, headers, project

DETAILS = (
    "ranvier.compiler.report",
    "ranvier.compiler.pipeline.stage",
    "ranvier.package.costs",
    "ranvier.package.records",
    "ranvier.schedule",
    "ranvier.profile",
)
"""Modules below the first level whose classes the public ones give or take."""

ALSO = {"ranvier.jobs": ("ranvier.native.scheduler.JobTimes",)}
"""Single classes that a module gives and another one, which is not public, defines."""


def part(name: str) -> str:
    """A part of a page by its name in the page."""
    if name not in _PARTS:
        raise SiteError([f"{name}: no such part; there are {', '.join(sorted(_PARTS))}"])
    return _PARTS[name]()


# The C API


def header_page(path: str, name: str) -> str:
    """The page of a public header; Breathe knows files by the last part of their names."""
    owner = next(project(folder) for folder in INCLUDES if path.startswith(f"{folder}/"))
    file = name.rpartition("/")[2]
    return f"# `{name}`\n\n```{{doxygenfile}} {file}\n:project: {owner}\n```\n"


def _brief(path: str) -> str:
    text = (ROOT / path).read_text(encoding="utf-8")
    found = re.search(r"@brief (.*?)(?:\n \*\n|\n? \*/)", text, re.DOTALL)
    return re.sub(r"\s*\n \* ", " ", found[1]) if found else ""


def _c_headers() -> str:
    text = ""
    for folder, title in INCLUDES.items():
        inside = [(path, name, page) for path, name, page in headers() if path.startswith(folder)]
        rows = [(f"[`{name}`](/{page})", _brief(path)) for path, name, page in inside]
        text += f"## {title}\n\n{table(('header', ''), rows)}\n"
        names = "\n".join(f"/{page}" for _, _, page in inside)
        text += f"```{{toctree}}\n:hidden:\n\n{names}\n```\n\n"
    return text


# The Python API


def _modules() -> Iterator[str]:
    yield "ranvier"
    for info in pkgutil.iter_modules(ranvier.__path__):
        if not info.ispkg and not info.name.startswith("_"):
            yield f"ranvier.{info.name}"
    yield from DETAILS


def _public(module: ModuleType) -> list[str]:
    """Names to document: those of ``__all__``, else what the module defines."""
    if hasattr(module, "__all__"):
        return [name for name in module.__all__ if not name.startswith("_")]
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and (inspect.isclass(value) or inspect.isfunction(value))
        and value.__module__ == module.__name__
    ]


def _summary(module: ModuleType) -> str:
    """The first paragraph of a module's docstring."""
    first = inspect.cleandoc(module.__doc__ or "").split("\n\n")[0].replace("\n", " ")
    return re.sub(r"::$", ".", re.sub(r"``([^`]+)``", r"`\1`", first))


def _directive(name: str, value: Any) -> str:
    """What makes Sphinx show a class or function under a name by which it can be imported."""
    kind = "autoclass" if inspect.isclass(value) else "autofunction"
    more = "   :members:\n" if kind == "autoclass" else ""
    if isinstance(value, enum.EnumMeta):
        more += "   :undoc-members:\n"
    return f"\n```{{eval-rst}}\n.. {kind}:: {name}\n{more}```\n"


def _python_page(name: str, shown: set[int]) -> str:
    """The page of a module; what another page shows already is left to that one."""
    module = importlib.import_module(name)
    text = f"# `{name}`\n\n{_summary(module)}\n"
    for public in _public(module):
        value = getattr(module, public)
        if id(value) in shown or not (inspect.isclass(value) or inspect.isfunction(value)):
            continue
        shown.add(id(value))
        full = f"{name}.{public}"
        if value.__name__ != public:
            full = f"{value.__module__}.{value.__name__}"
            text += f"\n`{public}` is:\n"
        text += _directive(full, value)
    for full in ALSO.get(name, ()):
        where, _, public = full.rpartition(".")
        text += _directive(full, getattr(importlib.import_module(where), public))
    return text


def _page_of(name: str) -> str:
    return f"reference/python/{name.replace('.', '-')}.md"


def python_pages() -> Iterator[tuple[str, str]]:
    """Every page of the Python API with its text."""
    shown: set[int] = set()
    for name in _modules():
        yield _page_of(name), _python_page(name, shown)


def _python_modules() -> str:
    names = list(_modules())
    rows = [
        (f"[`{name}`](/{_page_of(name)})", _summary(importlib.import_module(name)))
        for name in names
    ]
    pages = "\n".join(f"/{_page_of(name)}" for name in names)
    return f"{table(('module', ''), rows)}\n```{{toctree}}\n:hidden:\n\n{pages}\n```\n"


# Stages


def _type_name(hint: Any) -> str:
    if hint is type(None):
        return "none"
    if typing.get_origin(hint) is typing.Literal:
        return ", ".join(f"`{choice}`" for choice in typing.get_args(hint))
    if isinstance(hint, type) and not typing.get_args(hint):
        return hint.__name__
    return re.sub(r"\btyping\.|<class '(\w+)'>", r"\1", str(hint)).replace("|", "or")


def _default(option: Field[Any]) -> str:
    if option.default is not MISSING:
        return "" if option.default is None else f"`{option.default}`"
    if option.default_factory is not MISSING:
        return f"`{option.default_factory()}`"
    return "must be given"


def _stage(stage: Stage) -> str:
    words = inspect.cleandoc(stage.options.__doc__ or "").replace("``", "`")
    hints = typing.get_type_hints(stage.options)
    rows = [(f"`{f.name}`", _type_name(hints[f.name]), _default(f)) for f in fields(stage.options)]
    text = f"#### {stage.name}\n\n{words}\n\n"
    return text + (f"{table(('option', 'type', 'default'), rows)}\n" if rows else "")


def _stages() -> str:
    text = ""
    for place, title in (("pre", "Before the network"), ("post", "After the network")):
        inside = [stage for stage in stages().values() if stage.place == place]
        if inside:
            text += f"### {title} (`--{place}`)\n\n" + "".join(map(_stage, inside))
    return text


# Codes and words of the core


def _header(name: str) -> str:
    return (ROOT / "firmware/core/include/ranvier" / name).read_text(encoding="utf-8")


def _status_codes() -> str:
    found = re.findall(r"(RNV_\w+) = (-\d+), +/\*\*< (.*?) \*/", _header("status.h"))
    return table(("code", "", "meaning"), [(f"`{n}`", code, words) for n, code, words in found])


def _refusals() -> str:
    source = (ROOT / "firmware/core/src/model/what.c").read_text(encoding="utf-8")
    words = re.findall(r'"([^"]*?)\\0"', source)
    found = re.findall(r"(RNV_WHAT_\w+) = (\d+),(?: +/\*\*< (.*?) \*/)?", _header("package.h"))
    rows = [
        (number, f"`{name}`", words[int(number)], what.partition("; ")[2])
        for name, number, what in found
        if int(number)
    ]
    return table(("", "code", "words of the log", "index and value"), rows)


_PARTS: dict[str, Callable[[], str]] = {
    "c-headers": _c_headers,
    "python-modules": _python_modules,
    "refusals": _refusals,
    "stages": _stages,
    "status-codes": _status_codes,
}
