# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Mutants of C: operators, constants, conditions and statements, by tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mutant import Mutant

_TOKEN = re.compile(
    r"""
    (?P<space>\s+|/\*.*?\*/|//[^\n]*)
    |(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
    |(?P<number>0[xX][0-9a-fA-F]+[uUlL]*|[0-9]+\.[0-9]*[fF]?|[0-9]+[uUlL]*)
    |(?P<word>[A-Za-z_]\w*)
    |(?P<mark><<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_OPERATORS = {
    "+": "-",
    "-": "+",
    "*": "+",
    "/": "*",
    "%": "/",
    "&": "|",
    "|": "&",
    "^": "&",
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "==": "!=",
    "!=": "==",
    "&&": "||",
    "||": "&&",
    "<<": ">>",
    ">>": "<<",
    "+=": "-=",
    "-=": "+=",
    "++": "--",
    "--": "++",
}
#: May be unary, or part of a declaration.
_AMBIGUOUS = set("+-*&")
_NO_STATEMENT = frozenset(
    {"return", "if", "else", "for", "while", "do", "switch", "case", "default", "goto", "break"}
    | {"static", "const", "struct", "enum", "union", "extern", "typedef", "volatile", "inline"}
    | {"void", "bool", "char", "int", "sizeof"}
)


@dataclass(frozen=True)
class Token:
    """A token and its place in the text."""

    kind: str
    text: str
    start: int
    end: int


def tokens_of(text: str, offset: int = 0) -> list[Token]:
    """Tokens without space and comments; each preprocessor line is one token "directive"."""
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        if text[at] == "#" and not text[text.rfind("\n", 0, at) + 1 : at].strip():
            match = re.compile(r"(?:[^\n\\]|\\.|\\\n)*", re.DOTALL).match(text, at)
            kind = "directive"
        else:
            match = _TOKEN.match(text, at)
            kind = "" if match is None else str(match.lastgroup)
        assert match is not None
        if kind != "space":
            tokens.append(Token(kind, match.group(), offset + at, offset + match.end()))
        at = match.end()
    return tokens


def incremented(number: str) -> str | None:
    """A constant, one larger; None for what is no integer."""
    match = re.fullmatch(r"(0[xX][0-9a-fA-F]+|[0-9]+)([uUlL]*)", number)
    if match is None:
        return None
    value = int(match.group(1), 0 if match.group(1) == "0" or match.group(1)[0] != "0" else 16) + 1
    return (hex(value) if match.group(1)[:2].lower() == "0x" else str(value)) + match.group(2)


def mutants(text: str) -> Iterator[Mutant]:
    """Every mutant of a C file."""
    tokens = tokens_of(text)
    for token in tokens:
        if token.kind == "directive":
            yield from _of_directive(token)
    code = [token for token in tokens if token.kind != "directive"]
    for at, token in enumerate(code):
        yield from _of_token(code, at, token)
    yield from _conditions(text, code)
    yield from _statements(code)


def _of_directive(directive: Token) -> Iterator[Mutant]:
    """The constants of a macro."""
    match = re.match(r"#\s*define\s+\w+(\([^)]*\))?", directive.text)
    if match is None:
        return
    body = tokens_of(directive.text[match.end() :], directive.start + match.end())
    for at, token in enumerate(body):
        yield from _of_token(body, at, token)


def _of_token(code: list[Token], at: int, token: Token) -> Iterator[Mutant]:
    if token.kind == "number":
        new = incremented(token.text)
        if new is not None:
            yield Mutant("constant", token.start, token.end, new)
    elif token.kind == "mark" and token.text in _OPERATORS and 0 < at < len(code) - 1:
        before, after = code[at - 1], code[at + 1]
        if token.text in _AMBIGUOUS:
            binary = before.kind in ("word", "number") or before.text in (")", "]")
            spaced = before.end < token.start and token.end < after.start
            if not (binary and spaced) or before.text in ("return", "case"):
                return
        yield Mutant("operator", token.start, token.end, _OPERATORS[token.text])


def _closing(code: list[Token], at: int) -> int:
    """Where the bracket that opens at ``at`` is closed."""
    depth = 0
    for end in range(at, len(code)):
        depth += {"(": 1, ")": -1}.get(code[end].text, 0)
        if depth == 0:
            return end
    raise ValueError("unbalanced")


def _is_equality(words: list[str]) -> bool:
    return not {"&&", "||", "?"} & set(words) and words.count("==") + words.count("!=") == 1


def _conditions(text: str, code: list[Token]) -> Iterator[Mutant]:
    for at, token in enumerate(code):
        if token.text == "if" and token.kind == "word" and code[at + 1].text == "(":
            last = _closing(code, at + 1)
            begin, end = code[at + 1], code[last]
            if _is_equality([t.text for t in code[at + 2 : last]]):
                continue  # the operator's own mutant is the same
            yield Mutant("condition", begin.start, end.end, f"(!{text[begin.start : end.end]})")


def _statements(code: list[Token]) -> Iterator[Mutant]:
    """Statements that are calls, assignments, `break` or `continue`, left out."""
    depth = 0
    for at, token in enumerate(code):
        depth += {"{": 1, "}": -1}.get(token.text, 0)
        starts = depth > 0 and at > 0 and code[at - 1].text in ("{", "}", ";")
        if not starts or token.kind != "word" or at + 1 >= len(code):
            continue
        following = code[at + 1]
        leaves = token.text in ("break", "continue") and following.text == ";"
        declares = following.kind == "word" or (
            following.text == "*" and following.end == code[at + 2].start
        )
        if not leaves and (token.text in _NO_STATEMENT or declares):
            continue
        if following.text not in (";", "(", "=", "[", "->", ".", "++", "--") and (
            following.text[-1:] != "="
        ):
            continue
        level = 0
        for end in range(at, len(code)):
            level += {"(": 1, ")": -1, "{": 1, "}": -1}.get(code[end].text, 0)
            if level < 0:
                break
            if code[end].text == ";" and level == 0:
                yield Mutant("statement", token.start, code[end].end, ";")
                break
