import ast

import pytest

from scripts.check_changed import ROOT
from scripts.mutants.changes import ARITHMETIC, COMPARISONS, NAMES, Change, changed, changes

SMALL = '''"""If 1 < 2 then 0."""

from numpy import argmin


class Counter:
    """At least 1 and not 2."""

    _parameter_constraints: dict = {"k": [Interval(int, 1, None, closed="left"), None]}
    size: "int | None" = 7

    @njit(cache=True)
    def fit(self, k: int | None = 3, *, deep: bool = True) -> "list[int] | None":
        """Needs 2 < 3."""
        größer = "é"; low = k < 4  # 5 > 6
        if not low:
            raise ValueError(f"{k + 1} is not more than {2 * 3}")
        warnings.warn("n" + str(8 - 9), stacklevel=2)
        return k == 10 and low
'''


def told(source):
    return [(change.start[0], change.before, change.after) for change in changes(source)]


def test_what_changes_and_what_does_not():
    assert told(SMALL) == [
        (10, "7", "8"),
        (13, "3", "4"),
        (13, "True", "False"),
        (15, "<", "<="),
        (15, "4", "5"),
        (16, "not ", ""),
        (19, "k == 10 and low", "not (k == 10 and low)"),
        (19, "==", "!="),
        (19, "10", "11"),
        (19, "and", "or"),
    ]


@pytest.mark.parametrize(
    ("operators", "form"), [(COMPARISONS, "x = a {} b\n"), (ARITHMETIC, "x = a {} b\n"), (ARITHMETIC, "a {}= b\n")]
)
def test_every_operator_changes_exactly_once(operators, form):
    for operator, other in operators.items():
        (change,) = changes(form.format(operator))
        assert changed(form.format(operator), change) == form.format(other)


@pytest.mark.parametrize("form", ["x = {}(a)\n", "x = np.{}(a)\n", "x = a.{}()\n"])
def test_every_name_changes_exactly_once(form):
    for name, other in NAMES.items():
        (change,) = changes(form.format(name))
        assert changed(form.format(name), change) == form.format(other)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = 0", "x = 1"),
        ("x = 1", "x = 0"),
        ("x = 5", "x = 6"),
        ("x = 1.0", "x = 0.0"),
        ("x = 0.5", "x = 1.5"),
        ("x = 1e-9", "x = 1.000000001"),
        ("x = 1e100", "x = 2e+100"),
        ("x = False", "x = True"),
        ("x = -a", "x = a"),
        ("x = - (a)", "x = (a)"),
        ("x = not a", "x = a"),
        ("x = not(a)", "x = (a)"),
        ("while a:\n    break", ["while not (a):\n    break", "while a:\n    continue"]),
        ("while True:\n    continue", ["while False:\n    continue", "while True:\n    break"]),
        ("if a:\n    f()", "if not (a):\n    f()"),
        ("x = [y for y in z if y]", "x = [y for y in z if not (y)]"),
        ("x = a if b else c", "x = a if not (b) else c"),
        ("if a < b:\n    f()", ["if not (a < b):\n    f()", "if a <= b:\n    f()"]),
        ("def f():\n    return any(a)", ["def f():\n    return all(a)", "def f():\n    return not (any(a))"]),
        ("def f():\n    return isinstance(a, int | str)", "def f():\n    return not (isinstance(a, int | str))"),
        ("x = a and b or c", ["x = a or b or c", "x = a and b and c"]),
        ("x = a < b < c", ["x = a <= b < c", "x = a < b <= c"]),
        ("x = (a) + (b)", "x = (a) - (b)"),
        ("x = (\n    a  # 1 + 1\n    + b\n)", "x = (\n    a  # 1 + 1\n    - b\n)"),
        ("x = (  # é\n    'é', a\n    not\n    in b)", "x = (  # é\n    'é', a\n    in b)"),
    ],
)
def test_changes_in_the_text(before, after):
    found = [changed(before, change) for change in changes(before)]
    assert found == ([after] if isinstance(after, str) else after)


@pytest.mark.parametrize(
    "source",
    [
        "",
        "'1 < 2'",
        "x = 'a' + b",
        "x = b % 'a'",
        "x = f'{1 + 1}'",
        "x += 'a'",
        "x: int | None",
        "min = f",
        "a.max = f",
        "__all__ = ['x'] + y",
        "_parameter_constraints = {'k': [1]}",
        "raise ValueError(1 + 1)",
        "warnings.warn(1 + 1, stacklevel=2)",
        "x = cast('int', 1)",
        "if TYPE_CHECKING:\n    x = 1",
        "if __name__ == '__main__':\n    f(1)",
        "def f(a: 1 | 2 = None, *b: 1, **c: 1) -> 1 | 2: pass",
        "@cached(1)\nclass A(b[1]): pass",
        "x = None, ..., b'1', 'True'",
    ],
)
def test_untouched(source):
    assert changes(source) == []


def test_a_change_says_what_it_is():
    assert str(Change((1, 0), (1, 1), "<", "<=")) == "< to <="
    assert str(Change((1, 0), (1, 4), "not ", "")) == "not  to nothing"


def test_the_ends_of_lines_stay():
    source = "x = 1\r\ny = 2 \\\r\n  + 3\r\n"
    assert changed(source, changes(source)[2]) == "x = 1\r\ny = 2 \\\r\n  - 3\r\n"


@pytest.mark.parametrize("name", ["partitions/contingency.py", "_kernels/labels/overlaps.py", "compare/pairs.py"])
def test_changes_of_our_own_sources_parse_and_differ(name):
    source = (ROOT / "pluribus" / name).read_bytes().decode()
    tree, found = ast.parse(source), changes(source)
    assert len(found) > 5
    for change in found[:: len(found) // 5]:
        other = ast.parse(changed(source, change))
        assert ast.dump(other) != ast.dump(tree), change
        assert docstrings(other) == docstrings(tree)
        assert changed(source, change).count("\n") == source.count("\n")


def docstrings(tree):
    documented = ast.Module | ast.ClassDef | ast.FunctionDef
    return [ast.get_docstring(node) for node in ast.walk(tree) if isinstance(node, documented)]
