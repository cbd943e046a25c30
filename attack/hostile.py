"""Hostile values: an argument in another container, type or order, a damaged one, or something else altogether."""

import decimal
import fractions
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from attack.scene import Scene

PAYLOADS = (
    "<script>attack()</script>",
    "</script><script>attack()</script>",
    '"><img src=x onerror=attack()>',
    "'-attack()-'",
    "=HYPERLINK(attack())",
    "@SUM(1+1)*cmd|' /C attack'!A0",
    "{{ 7 * 7 }}",
    "../../etc/passwd",
    "a\x00b",
    "a\nb\r\nc",
    "\u202eevil",
    "\ud7ff\uffff",
    "名前" * 40,
    "",
    " ",
    "nan",
    "-1",
    "%s%n",
)

NUMBERS: tuple[Any, ...] = (
    *(0, -1, 1, 2, 3, 0.5, -0.5, 1.0, 1.5, 0.999999, 1e-300, 5e-324, -0.0),
    *(float("nan"), float("inf"), -float("inf"), True, False, None, "3", "auto", b"3", (), [], [2], (2, 3), (3, 2)),
    *(
        np.int8(2),
        np.uint8(2),
        np.int64(-3),
        np.float32(0.5),
        np.float16(2),
        np.bool_(True),
        np.array(2),
        np.array([2]),
    ),
    *(fractions.Fraction(1, 2), decimal.Decimal("0.5"), 1 + 2j, {"a": 1}, {2}, object(), int, len, range(3)),
)
LARGE: tuple[Any, ...] = (10**6, 2**31, 2**63, 2**64, 10**30, 1e300, 1e308, -1e308, -(2**63))


class UsersError(Exception):
    """An error of a function of the user's: pluribus lets it through."""


def failing(*given: Any, **named: Any) -> Any:
    """A function of the user's that fails."""
    raise UsersError("the user's function fails")


def number(scene: Scene, *, large: bool) -> Any:
    """A number on some border, or something that is none."""
    borders = (scene.n - 1, scene.n, scene.n + 1, float(scene.n), scene.k, scene.r, scene.d, scene.d + 1)
    return _one(scene.rng, NUMBERS + borders + (LARGE if large else ()))


def text(rng: np.random.Generator) -> Any:
    """A text that means nothing here, or no text."""
    return _one(rng, (*PAYLOADS, "no such name", "AUTO", None, 0, 1.5, b"auto", ["auto"], ("a", "b"), {}, np.str_("x")))


def junk(scene: Scene) -> Any:
    """Something else altogether."""
    n, rng = scene.n, scene.rng
    makers: tuple[Callable[[], Any], ...] = (
        lambda: None,
        lambda: 0,
        lambda: float("nan"),
        lambda: "text",
        lambda: b"bytes",
        lambda: [],
        lambda: [[]],
        lambda: [None] * n,
        lambda: {},
        lambda: {"a": [1] * n},
        lambda: set(range(n)),
        lambda: iter(range(n)),
        lambda: object(),
        lambda: np.array(5),
        lambda: np.zeros((0, 0)),
        lambda: np.zeros((0, 3)),
        lambda: np.zeros((n, 0)),
        lambda: np.zeros((n, 2, 2)),
        lambda: np.array([object()] * n),
        lambda: np.array(["2020-01-01"] * n, dtype="datetime64[D]"),
        lambda: np.zeros(n, dtype=[("a", int), ("b", float)]),
        lambda: np.zeros((n, n), dtype=complex),
        lambda: [[1, 2], [3]],
        lambda: pd.DataFrame(),
        lambda: pd.DataFrame({"a": ["x"] * n, "b": [1.0] * n}),
        lambda: sparse.csr_array((n, n)),
        lambda: sparse.eye_array(max(n, 1), format="dia"),
        lambda: _one(rng, PAYLOADS),
    )
    return _one(rng, makers)()


def path(given: Path, scene: Scene) -> Any:
    """The path of nothing, of a directory, of a damaged file, or with a strange name."""
    rng = scene.rng
    kind = int(rng.integers(6))
    if kind == 0:
        return str(given)
    if kind == 1:
        return scene.folder
    if kind == 2:
        return scene.folder / "nothing" / "there.csv"
    if kind == 3:
        return scene.folder / str(_one(rng, PAYLOADS)).replace("/", "-").replace("..", "-").replace("\0", "-")
    content = given.read_bytes() if given.is_file() else b"1,2\n3,4\n"
    given.parent.mkdir(exist_ok=True)
    given.write_bytes(flipped(content, rng) if kind == 4 else content[: int(rng.integers(len(content) + 1))])
    return given


def flipped(content: bytes, rng: np.random.Generator) -> bytes:
    """Some bytes replaced."""
    changed = bytearray(content)
    for place in rng.integers(0, len(changed), 1 + int(rng.integers(8))) if changed else ():
        changed[place] = int(rng.integers(256))
    return bytes(changed)


def disguised(value: np.ndarray, scene: Scene) -> Any:
    """The same numbers in another container, type or memory order."""
    rng = scene.rng
    makers: list[Callable[[], Any]] = [
        lambda: value.tolist(),
        lambda: tuple(map(tuple, value)) if value.ndim == 2 else tuple(value),
        lambda: value.astype(np.float16),
        lambda: value.astype(np.float32),
        lambda: value.astype(float),
        lambda: value.astype(np.longdouble),
        lambda: value.astype(value.dtype.newbyteorder(">")),
        lambda: value.astype(object),
        lambda: value.astype(str),
        lambda: value.astype(np.int8),
        lambda: value.astype(np.uint16),
        lambda: value.astype(bool),
        lambda: np.asfortranarray(value),
        lambda: value[::-1].copy()[::-1],
        lambda: np.repeat(value, 2, axis=0)[::2],
        lambda: _read_only(value),
        lambda: _mapped(value, scene),
        lambda: np.ma.masked_array(value),
        lambda: np.ma.masked_array(value, mask=rng.random(value.shape) < 0.2),
    ]
    if value.ndim == 1:
        makers += [
            lambda: pd.Series(value, index=rng.permutation(len(value)), name="s"),
            lambda: pd.Series(value).astype("category"),
            lambda: pd.Series(value).convert_dtypes(),
            lambda: _polars().Series("s", value),
            lambda: value[:, None],
            lambda: iter(value.tolist()),
        ]
    if value.ndim == 2:
        named = [f"c{c}" for c in range(value.shape[1])]
        makers += [
            lambda: pd.DataFrame(value, columns=named, index=[f"i{i}" for i in range(len(value))]),
            lambda: pd.DataFrame(value),
            lambda: _polars().DataFrame(value, schema=named),
            lambda: np.asmatrix(value),
            lambda: _one(rng, ("csr", "csc", "coo", "lil", "dok", "bsr", "dia")),
        ]
        chosen = _one(rng, makers)()
        return sparse.coo_array(value).asformat(chosen) if isinstance(chosen, str) else chosen
    return _one(rng, makers)()


def damaged(value: np.ndarray, scene: Scene) -> Any:
    """Other values or another shape."""
    rng = scene.rng
    makers: tuple[Callable[[], Any], ...] = (
        lambda: _put(value, scene, float("nan")),
        lambda: _put(value, scene, float("inf")),
        lambda: _put(value, scene, -float("inf")),
        lambda: _put(value, scene, 1e308),
        lambda: value * 1e308,
        lambda: value * 1e-308,
        lambda: value * 1e160,
        lambda: _put(value, scene, -1),
        lambda: _put(value, scene, -5),
        lambda: _put(value, scene, 2**62),
        lambda: _put(value.astype(object), scene, None),
        lambda: _put(value.astype(object), scene, "word"),
        lambda: _put(value.astype(object), scene, [1, 2]),
        lambda: np.zeros_like(value),
        lambda: np.full_like(value, -1),
        lambda: np.ones_like(value),
        lambda: 0 - value,
        lambda: value + 0.5,
        lambda: value * 1j,
        lambda: value[:0],
        lambda: value[:1],
        lambda: value[:2],
        lambda: value[:-1],
        lambda: np.concatenate([value, value]),
        lambda: value.ravel(),
        lambda: value.T,
        lambda: value[None],
        lambda: value[..., :0] if value.ndim > 1 else value[:0],
        lambda: np.tile(value[:1], (len(value), *[1] * (value.ndim - 1))),
        lambda: [*value.tolist(), [1]],
    )
    with np.errstate(all="ignore"):
        return _one(rng, makers)()


def _one(rng: np.random.Generator, values: Any) -> Any:
    return values[int(rng.integers(len(values)))]


def _put(value: np.ndarray, scene: Scene, what: Any) -> np.ndarray:
    """Some entries replaced."""
    whole = isinstance(what, int) and value.dtype.kind == "i"
    changed = value.astype(object if value.dtype == object else np.int64 if whole else float)
    flat = changed.reshape(-1)
    for place in np.flatnonzero(scene.rng.random(len(flat)) < scene.rng.choice([0.05, 0.5])):
        flat[place] = what
    return changed


def _read_only(value: np.ndarray) -> np.ndarray:
    value = value.copy()
    value.flags.writeable = False
    return value


def _mapped(value: np.ndarray, scene: Scene) -> np.ndarray:
    if not value.size:
        return value
    path = scene.folder / f"{scene.rng.integers(2**31)}.npy"
    np.save(path, value)
    return np.load(path, mmap_mode="r")


def _polars() -> Any:
    import polars

    return polars
