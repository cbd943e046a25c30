"""The fingerprint of functions and classes follows their code, not their name or their place in a file."""

import functools
import importlib
import os
import subprocess
import sys
import threading
import types

import numba
import numpy as np
import pytest
from sklearn.cluster import KMeans

from pluribus._engine import fingerprint

MODULE = """
import functools
import json
import threading
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context
import other

LIMIT = 3
KNOWN = {"a", "b", "c", "d"}
lock = threading.Lock()

def helper(x):
    return x + 1 if x < LIMIT else helper(x - 1)

class Base(BaseEstimator, ClusterMixin):
    rate = 0.5

    def fit(self, X):
        return self

class Mine(Base):
    def __init__(self, n_clusters=3, rule=None):
        self.n_clusters = n_clusters
        self.rule = rule

    @property
    def half(self):
        return self.n_clusters / 2

    @staticmethod
    def plain(x):
        with lock:
            return json.dumps(x in KNOWN)

    @functools.cached_property
    def kept(self):
        return 5

    @_fit_context(prefer_skip_nested_validation=True)
    def fit_predict(self, X):
        try:
            return other.far(X) + helper(self.half)
        except ValueError:
            return 0
"""
OTHER = "def far(X):\n    return X * 2\n\ndef unused(X):\n    return X\n"


def found(module=MODULE, other=OTHER, expression="Mine(4)"):
    """The fingerprint of an expression about these modules."""
    with pytest.MonkeyPatch.context() as patch:
        for name, source in (("other", other), ("mine", module)):
            made = types.ModuleType(name)
            patch.setitem(sys.modules, name, made)
            exec(compile(source, f"{name}.py", "exec"), vars(made))
        return fingerprint(eval(expression, vars(made)))


@pytest.fixture(scope="module")
def unchanged():
    return found()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("n_clusters / 2", "n_clusters / 3"),
        ("return 5", "return 6"),
        ("dumps(x in KNOWN)", "dumps(x not in KNOWN)"),
        ('"d"}', '"e"}'),
        ("LIMIT = 3", "LIMIT = 4"),
        ("return x + 1", "return x + 2"),
        ("rate = 0.5", "rate = 0.6"),
        ("        return self\n\nclass Mine", "        return None\n\nclass Mine"),
        ("helper(self.half)", "helper(self.kept)"),
        ("except ValueError", "except TypeError"),
        ("class Mine(Base)", "class Mine(BaseEstimator, ClusterMixin)"),
    ],
)
def test_changed_code_is_other_code(unchanged, old, new):
    assert MODULE.count(old) == 1
    assert found(MODULE.replace(old, new)) != unchanged


def test_a_function_of_another_module_counts(unchanged):
    assert found(other=OTHER.replace("X * 2", "X * 3")) != unchanged
    assert found(other=OTHER.replace("return X\n", "return -X\n")) == unchanged


def test_comments_and_lines_do_not_matter(unchanged):
    assert found("# a comment\n\n\n" + MODULE.replace("class Mine", "UNUSED = 1\n\nclass Mine")) == unchanged


def test_another_process_finds_the_same(tmp_path, unchanged):
    (tmp_path / "mine.py").write_text(MODULE)
    (tmp_path / "other.py").write_text(OTHER)
    code = "import mine; from pluribus._engine import fingerprint; print(fingerprint(mine.Mine(4)), end='')"
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "PYTHONHASHSEED": "7"}  # another order of sets
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.stdout == unchanged, done.stderr


def test_parameters_count(unchanged):
    parameters = ["Mine(5)", "Mine(4, 'a')", "Mine(4, helper)", "Mine(4, Mine(4))"]
    assert len({unchanged, *(found(expression=expression) for expression in parameters)}) == 5


def adder(step):
    return lambda x: x + step


class Scaled:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return x * self.factor

    def method(self, x):
        return x


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda x: x + 1, lambda x: x + 2),
        (lambda x: x + 1, lambda x: x - 1),
        (lambda x, a=1: x, lambda x, a=2: x),
        (lambda x, *, a=1: x, lambda x, *, a=2: x),
        (lambda x: [i for i in x if i], lambda x: [i for i in x if not i]),
        (adder(1), adder(2)),
        (Scaled(1), Scaled(2)),
        (Scaled(1).method, Scaled(2).method),
        (functools.partial(max, 1), functools.partial(max, 2)),
        (functools.lru_cache(lambda x: x), functools.lru_cache(lambda x: -x)),
        (numba.njit(lambda x: x), numba.njit(lambda x: -x)),
        (np.add, np.subtract),
        ({1: 2}.get, {1: 3}.get),
        (KMeans, type("KMeans", (KMeans,), {})),
        ({1, 2}, {1, 3}),
    ],
)
def test_different_code_differs(one, other):
    assert fingerprint(one) != fingerprint(other)
    assert fingerprint(one) == fingerprint(one)


def test_equal_code_is_equal():
    one, same = ([adder(1), Scaled(1), functools.partial(max, 1)] for _ in range(2))
    assert fingerprint(*one) == fingerprint(*same)
    steps = [1, 2]
    assert fingerprint(steps, steps) == fingerprint([1, 2], [1, 2])


def test_code_and_data_that_contain_themselves():
    def count(n):
        return 0 if n == 0 else count(n - 1)

    around = [1]
    around.append(around)
    assert len(fingerprint(count, around)) == 64


def test_the_version_of_a_package_counts(monkeypatch):
    before = fingerprint(KMeans(3))
    monkeypatch.setattr(importlib.import_module("sklearn"), "__version__", "99.0")
    assert fingerprint(KMeans(3)) != before


@pytest.mark.parametrize("part", [object(), threading.Lock(), iter([]), adder(object()), Scaled(object())])
def test_what_cannot_be_recognized_is_refused(part):
    with pytest.raises(TypeError, match="has no fingerprint"):
        fingerprint(part)
    with pytest.raises(TypeError, match="has no fingerprint"):
        fingerprint([part], part)
