"""A short name for data, parameters and code: the same parts, the same name."""

import functools
import hashlib
import importlib.machinery
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from numbers import Number
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

# Attributes of a class that are not its code, or change with its place in the file.
_NOT_CODE = {"__annotations__", "__dict__", "__doc__", "__firstlineno__", "__static_attributes__", "__weakref__"}


def fingerprint(*parts: Any) -> str:
    """Return the SHA-256 (hexadecimal) of arrays, parameters and code.

    Parts may be numbers, strings, bytes, None, arrays (also sparse), scikit-learn estimators, functions, classes, and
    lists, tuples, sets or dicts of these. The order of a dict's keys does not matter.

    Functions and classes count by their compiled code, together with the functions and values that it refers to. Those
    of installed packages, of the standard library and of pluribus count by their name and version.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus._engine import fingerprint
    >>> fingerprint(np.arange(3), {"k": 2, "seed": 0}) == fingerprint(np.arange(3), {"seed": 0, "k": 2})
    True
    >>> fingerprint(np.arange(3)) == fingerprint(np.arange(4))
    False
    """
    digest = _Digest()
    digest.add(parts)
    return digest.name


class _Digest:
    def __init__(self) -> None:
        self._hash: Any = hashlib.sha256()
        self._numbers: dict[int, int] = {}  # of the functions, classes and containers seen so far, by id
        self._seen: list[Any] = []  # keeps them alive, so that no id is used twice

    @property
    def name(self) -> str:
        return self._hash.hexdigest()

    def add(self, part: Any) -> None:
        """Add one part after its kind and size, so that no two parts can run together."""
        if sp.issparse(part):
            part = part.tocsr()
            self._open("sparse", part.shape)
            for array in (part.indptr, part.indices, part.data):
                self.add(array)
        elif isinstance(part, np.ndarray) and part.dtype != object:
            self._open(part.dtype.str, part.shape)
            self._hash.update(np.ascontiguousarray(part).view(np.uint8) if part.size else b"")
        elif isinstance(part, np.ndarray):
            self._open("objects", part.shape)
            self.add(part.ravel().tolist())
        elif isinstance(part, str | bytes):
            raw = part.encode() if isinstance(part, str) else part
            self._open(type(part).__name__, len(raw))
            self._hash.update(raw)
        elif part is None or part is Ellipsis or isinstance(part, Number | np.generic):
            self._open("value", repr(part.item() if isinstance(part, np.generic) else part))
        elif isinstance(part, Mapping | Sequence | set | frozenset):
            # Equal containers count the same, whether or not they are one object.
            self._once(part, self._add_container, forget=True)
        elif isinstance(part, type):
            self._once(part, self._add_class)
        elif hasattr(part, "get_params"):
            self._open("estimator", "")
            self.add(type(part))
            self.add(part.get_params(deep=False))
        else:
            self._add_code(part)

    def _open(self, kind: str, size: Any) -> None:
        self._hash.update(f"\x00{kind}:{size}\x00".encode())

    def _once(self, part: Any, add: Callable[[Any], None], *, forget: bool = False) -> None:
        """Add a part that may contain itself."""
        if id(part) in self._numbers:
            self._open("again", self._numbers[id(part)])
            return
        self._numbers[id(part)] = len(self._seen)
        self._seen.append(part)
        try:
            add(part)
        except TypeError:
            forget = True
            raise
        finally:
            if forget:
                del self._numbers[id(part)]

    def _add_container(self, part: Any) -> None:
        if isinstance(part, Mapping):
            self._open("mapping", len(part))
            for key in sorted(part, key=str):
                self.add(key)
                self.add(part[key])
        elif isinstance(part, Sequence):
            self._open("sequence", len(part))
            for item in part:
                self.add(item)
        else:
            self._open("set", len(part))
            self.add(sorted(map(fingerprint, part)))

    def _add_code(self, part: Any) -> None:
        if isinstance(part, types.FunctionType):
            self._once(part, self._add_function)
        elif isinstance(part, types.CodeType):
            self._open("code", part.co_flags)
            self.add([part.co_code, part.co_exceptiontable, part.co_consts])
            self.add([part.co_names, part.co_varnames, part.co_cellvars, part.co_freevars])
        elif isinstance(part, types.ModuleType):
            self._add_origin(part.__name__)
        elif isinstance(part, functools.partial):
            self._open("partial", "")
            self.add([part.func, part.args, part.keywords])
        elif isinstance(part, types.MethodType):
            self._open("method", "")
            self.add([part.__func__, part.__self__])
        elif isinstance(part, property):
            self._open("property", "")
            self.add([part.fget, part.fset, part.fdel])
        elif (wrapped := _wrapped(part)) is not None:
            self._open("wrapper", type(part).__qualname__)
            self.add(wrapped)
        elif isinstance(part, np.ufunc):
            self._open("ufunc", part.__name__)
        elif callable(part) and hasattr(part, "__qualname__"):  # a compiled function
            self._open("compiled", part.__qualname__)
            owner = getattr(part, "__objclass__", type(part))
            self._add_origin(getattr(part, "__module__", None) or owner.__module__)
            self.add(getattr(part, "__self__", None))
        elif callable(part) and hasattr(part, "__dict__"):
            self._open("callable", "")
            self.add([type(part), vars(part)])
        else:
            raise TypeError(f"{type(part).__module__}.{type(part).__qualname__} has no fingerprint")

    def _add_function(self, function: types.FunctionType) -> None:
        self._open("function", function.__qualname__)
        cells = [cell.cell_contents for cell in function.__closure__ or () if _is_filled(cell)]
        if self._add_origin(function.__module__ or "") and _is_installed(function.__globals__["__name__"]):
            self._add_loosely(cells)
            return
        self.add([function.__code__, function.__defaults__, function.__kwdefaults__, cells])
        self._add_named(set(_names(function.__code__)), function.__globals__, [])

    def _add_named(self, names: set[str], scope: dict[str, Any], modules: list[Any]) -> None:
        """Add what the names stand for, also in modules that they stand for."""
        for name in sorted(names & scope.keys()):
            value = scope[name]
            self.add(name)
            self._add_loosely(value)
            if isinstance(value, types.ModuleType) and not _is_installed(value.__name__) and value not in modules:
                modules.append(value)
                self._add_named(names, vars(value), modules)

    def _add_class(self, whole: type) -> None:
        for part in whole.__mro__[:-1]:
            self._open("class", part.__qualname__)
            if not self._add_origin(part.__module__):
                for name in sorted(vars(part).keys() - _NOT_CODE):
                    self.add(name)
                    self._add_loosely(vars(part)[name])

    def _add_origin(self, module: str) -> bool:
        """Add the name of a module; its version and True if it is installed, its contents if it is compiled."""
        self._open("from", module)
        if _is_installed(module):
            self._open("version", getattr(sys.modules.get(module.partition(".")[0]), "__version__", ""))
            return True
        file = getattr(sys.modules.get(module), "__file__", None) or ""
        if file.endswith(tuple(importlib.machinery.EXTENSION_SUFFIXES)):
            self.add(Path(file).read_bytes())
        return False

    def _add_loosely(self, part: Any) -> None:
        """Add something that code refers to; if it cannot be added, such as a lock or a log, its type counts."""
        try:
            self.add(part)
        except TypeError:
            self._open("other", type(part).__qualname__)


def _wrapped(part: Any) -> Any:
    """The function inside of a wrapper of the standard library or of numba; None if it is none of these."""
    if isinstance(part, staticmethod | classmethod):
        return part.__func__
    if isinstance(part, functools.cached_property):
        return part.func
    if isinstance(part, functools._lru_cache_wrapper):
        return part.__wrapped__
    return getattr(part, "py_func", None) if type(part).__module__.startswith("numba.") else None


def _is_installed(module: str) -> bool:
    """Whether a module belongs to a package with versions, and not to the code at hand."""
    package = module.partition(".")[0]
    if package in sys.stdlib_module_names or package == "pluribus":
        return True
    file = getattr(sys.modules.get(module), "__file__", None) or ""
    return not {"site-packages", "dist-packages"}.isdisjoint(Path(file).parts)


def _is_filled(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is cell.cell_contents
    except ValueError:
        return False


def _names(code: types.CodeType) -> Iterator[str]:
    """The names that code, and the functions inside it, look up."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)
