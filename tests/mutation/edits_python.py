# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Mutants of Python: operators, constants, conditions and statements, by the syntax tree."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from mutant import Mutant

_OPERATORS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: (r"is\s+not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: (r"not\s+in", "in"),
    ast.Add: (r"\+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: (r"\*", "+"),
    ast.FloorDiv: ("//", "*"),
    ast.Div: ("/", "*"),
    ast.Mod: ("%", "//"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: (r"\|", "&"),
    ast.BitXor: (r"\^", "&"),
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
}
_NEGATABLE = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn)
_NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}


def mutants(text: str) -> Iterator[Mutant]:
    """Every mutant of a Python file."""
    return _Finder(text).found()


class _Finder:
    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = [0]
        for line in text.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))

    def found(self) -> Iterator[Mutant]:
        yield from self._visit(ast.parse(self._text))

    def _at(self, line: int, column: int) -> int:
        """Offset in the text; columns of the tree count UTF-8 bytes."""
        begin = self._lines[line - 1]
        encoded = self._text[begin : self._lines[line]].encode()
        return begin + len(encoded[:column].decode())

    def _span(self, node: ast.AST) -> tuple[int, int]:
        assert isinstance(node, ast.expr | ast.stmt)
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self._at(node.lineno, node.col_offset)
        return start, self._at(node.end_lineno, node.end_col_offset)

    def _visit(self, node: ast.AST) -> Iterator[Mutant]:
        """Some things have no effect: annotations, and keywords that only forbid something.

        In f-strings places are unreliable.
        """
        if isinstance(node, ast.JoinedStr | ast.Raise | ast.Assert | ast.ImportFrom | ast.Import):
            return
        if isinstance(node, ast.keyword) and node.arg in ("strict", "frozen"):
            return
        yield from self._of(node)
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "type_comment"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from self._visit(child)

    def _of(self, node: ast.AST) -> Iterator[Mutant]:
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            for op, left, right in zip(node.ops, sides, sides[1:], strict=False):
                yield from self._operator(op, left, right)
        elif isinstance(node, ast.BinOp) and not self._is_text(node):
            yield from self._operator(node.op, node.left, node.right)
        elif isinstance(node, ast.BoolOp):
            for left, right in zip(node.values, node.values[1:], strict=False):
                yield from self._operator(node.op, left, right)
        elif isinstance(node, ast.Constant):
            yield from self._constant(node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in _NAMES:
                yield Mutant("operator", *self._span(node.func), _NAMES[node.func.id])
        elif isinstance(node, ast.AugAssign):
            yield from self._operator(node.op, node.target, node.value)
        if isinstance(node, ast.If | ast.IfExp | ast.While):
            yield from self._negated(node.test)
        if isinstance(node, ast.comprehension):
            for test in node.ifs:
                yield from self._negated(test)
        yield from self._statement(node)

    def _is_text(self, node: ast.BinOp) -> bool:
        sides = (node.left, node.right)
        return any(
            isinstance(s, ast.JoinedStr)
            or (isinstance(s, ast.Constant) and isinstance(s.value, str))
            for s in sides
        )

    def _operator(self, op: ast.AST, left: ast.AST, right: ast.AST) -> Iterator[Mutant]:
        if type(op) not in _OPERATORS:
            return
        pattern, new = _OPERATORS[type(op)]
        begin, end = self._span(left)[1], self._span(right)[0]
        between = re.sub(r"#[^\n]*", lambda m: " " * len(m.group()), self._text[begin:end])
        match = re.search(pattern, between)
        if match is not None:
            yield Mutant("operator", begin + match.start(), begin + match.end(), new)

    def _constant(self, node: ast.Constant) -> Iterator[Mutant]:
        if isinstance(node.value, bool):
            yield Mutant("constant", *self._span(node), str(not node.value))
        elif isinstance(node.value, int):
            yield Mutant("constant", *self._span(node), str(node.value + 1))

    def _negated(self, test: ast.expr) -> Iterator[Mutant]:
        ops = test.ops if isinstance(test, ast.Compare) else []
        if len(ops) == 1 and isinstance(ops[0], _NEGATABLE):
            return  # the operator's own mutant is the same
        start, end = self._span(test)
        yield Mutant("condition", start, end, f"(not ({self._text[start:end]}))")

    def _statement(self, node: ast.AST) -> Iterator[Mutant]:
        """A call for its effect, an assignment to a part or of a change, or a jump left out."""
        effect = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.YieldFrom)
        part = isinstance(node, ast.Assign) and not isinstance(node.targets[0], ast.Name)
        if effect or part or isinstance(node, ast.AugAssign | ast.Continue | ast.Break):
            yield Mutant("statement", *self._span(node), "pass")
