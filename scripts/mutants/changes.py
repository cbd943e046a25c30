"""Every change of one operator, number or keyword that can be made to a source.

The syntax tree says what may change, the tokens say where it stands. Only these characters are replaced, so comments,
docstrings and the numbers of lines stay.
"""

import ast
import io
import tokenize
from bisect import bisect_left
from itertools import pairwise, takewhile
from typing import NamedTuple

Place = tuple[int, int]  # line from 1, character from 0

COMPARISONS = {
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "==": "!=",
    "!=": "==",
    "is": "is not",
    "is not": "is",
    "in": "not in",
    "not in": "in",
}
ARITHMETIC = {
    "+": "-",
    "-": "+",
    "*": "/",
    "/": "*",
    "//": "*",
    "%": "*",
    "**": "*",
    "&": "|",
    "|": "&",
    "^": "&",
    "<<": ">>",
    ">>": "<<",
}
NAMES = {
    "min": "max",
    "argmin": "argmax",
    "minimum": "maximum",
    "nanmin": "nanmax",
    "nanargmin": "nanargmax",
    "any": "all",
    "floor": "ceil",
    "zeros": "ones",
    "zeros_like": "ones_like",
    "union": "intersection",
}
NAMES |= {other: name for name, other in NAMES.items()}
# What these say to readers, compilers and type checkers is not what the library computes.
_UNTOUCHED_CALLS = {"warn", "cast", "TypeVar", "NewType", "njit", "Interval", "StrOptions", "Options"}
_CONDITIONS = {"isinstance", "any", "all", "bool", "hasattr", "callable"}


class Change(NamedTuple):
    """Characters of a source, from a place to another, and what stands there instead."""

    start: Place
    end: Place
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.before or 'nothing'} to {self.after or 'nothing'}"


def changes(source: str) -> list[Change]:
    """All changes of a source, in its order."""
    found = _Finder(source)
    found.visit(ast.parse(source))
    return sorted(set(found.changes))


def changed(source: str, change: Change) -> str:
    """The source with a change."""
    lines = source.splitlines(keepends=True)
    (first, start), (last, end) = change.start, change.end
    inside = lines[first - 1][:start] + change.after + lines[last - 1][end:]
    return "".join([*lines[: first - 1], inside, *lines[last:]])


class _Finder(ast.NodeVisitor):
    def __init__(self, source: str) -> None:
        self.lines = source.splitlines(keepends=True)
        tokens = tokenize.generate_tokens(io.StringIO(source).readline)
        layout = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
        self.tokens = [token for token in tokens if token.type not in layout]
        self.changes: list[Change] = []

    # Places

    def _place(self, line: int, byte: int) -> Place:
        return line, len(self.lines[line - 1].encode()[:byte].decode())

    def _start(self, node: ast.AST) -> Place:
        return self._place(node.lineno, node.col_offset)  # type: ignore[attr-defined]

    def _end(self, node: ast.AST) -> Place:
        return self._place(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]

    def _text(self, start: Place, end: Place) -> str:
        lines = self.lines[start[0] - 1 : end[0]]
        lines[-1] = lines[-1][: end[1]]
        return "".join([lines[0][start[1] :], *lines[1:]])

    def _tokens(self, start: Place, end: Place) -> list[tokenize.TokenInfo]:
        first = bisect_left(self.tokens, start, key=lambda token: token.start)
        return list(takewhile(lambda token: token.end <= end, self.tokens[first:]))

    def _replace(self, start: Place, end: Place, after: str) -> None:
        self.changes.append(Change(start, end, self._text(start, end), after))

    def _operator(self, left: ast.AST, right: ast.AST, others: dict[str, str]) -> None:
        """Replace the operator between two operands."""
        between = [token for token in self._tokens(self._end(left), self._start(right)) if token.string not in "()"]
        operator = " ".join(token.string for token in between)
        if operator in others:
            self._replace(between[0].start, between[-1].end, others[operator])

    def _negate(self, node: ast.AST) -> None:
        """Wrap a condition in ``not (...)``, unless that is what the change of its operator does."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return
        if isinstance(node, ast.Compare) and not any(
            isinstance(operator, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for operator in node.ops
        ):
            return
        start, end = self._start(node), self._end(node)
        self._replace(start, end, f"not ({self._text(start, end)})")

    # What is changed

    def visit_Compare(self, node: ast.Compare) -> None:
        operands = [node.left, *node.comparators]
        for left, right in pairwise(operands):
            self._operator(left, right, COMPARISONS)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if not any(_is_text(side) for side in (node.left, node.right)):
            self._operator(node.left, node.right, ARITHMETIC)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if not _is_text(node.value):
            self._operator(node.target, node.value, {f"{one}=": f"{other}=" for one, other in ARITHMETIC.items()})
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        for left, right in pairwise(node.values):
            self._operator(left, right, {"and": "or", "or": "and"})
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not | ast.USub):
            sign, following = self._tokens(self._start(node), self._end(node))[:2]
            self._replace(sign.start, following.start, "")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, bool):
            self._replace(self._start(node), self._end(node), str(not value))
        elif isinstance(value, int | float):
            self._replace(self._start(node), self._end(node), repr(_other_number(value)))

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in NAMES and isinstance(node.ctx, ast.Load):
            self._replace(self._start(node), self._end(node), NAMES[node.id])

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if node.attr in NAMES and isinstance(node.ctx, ast.Load):
            line, end = self._end(node)
            self._replace((line, end - len(node.attr)), (line, end), NAMES[node.attr])
        self.generic_visit(node)

    def visit_Break(self, node: ast.Break) -> None:
        self._replace(self._start(node), self._end(node), "continue")

    def visit_Continue(self, node: ast.Continue) -> None:
        self._replace(self._start(node), self._end(node), "break")

    def visit_Return(self, node: ast.Return) -> None:
        if isinstance(node.value, ast.BoolOp | ast.Compare) or _called(node.value) in _CONDITIONS:
            self._negate(node.value)  # type: ignore[arg-type]
        self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        if ast.unparse(node.test) in {"TYPE_CHECKING", "__name__ == '__main__'"}:
            return
        self._negate(node.test)
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._negate(node.test)
        self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        if not isinstance(node.test, ast.Constant):
            self._negate(node.test)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self._negate(test)
        self.generic_visit(node)

    # What is not

    def visit_Raise(self, node: ast.Raise) -> None:
        pass

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        pass

    def visit_Call(self, node: ast.Call) -> None:
        if _called(node) == "isinstance":
            self.visit(node.args[0])  # the second is a type
        elif _called(node) not in _UNTOUCHED_CALLS:
            self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        if not any(_declares_parameters(target) for target in node.targets):
            self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None and not _declares_parameters(node.target):
            self.visit(node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        arguments = node.args
        for part in [*arguments.defaults, *filter(None, arguments.kw_defaults), *node.body]:
            self.visit(part)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for part in node.body:
            self.visit(part)


def _other_number(value: float) -> float:
    """1 for 0, 0 for 1, one more for others, and twice as much if one more is no difference."""
    if value == 1:
        return type(value)(0)
    return value + 1 if value + 1 != value else 2 * value


def _is_text(node: ast.AST) -> bool:
    """Whether an operand is text, which has no other operator than +."""
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))


def _called(node: ast.AST | None) -> str | None:
    if not isinstance(node, ast.Call):
        return None
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)


def _declares_parameters(target: ast.AST) -> bool:
    return isinstance(target, ast.Name) and target.id in {"_parameter_constraints", "__all__"}
