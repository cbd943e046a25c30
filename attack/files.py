"""Hostile files: tables and labels in all formats and encodings, damaged ones, and ones that are not what they seem."""

import gzip
import hashlib
import io
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd

from attack.hostile import PAYLOADS, flipped

_BOMB = 24 * 2**20  # bytes of a file that takes a thousandth of them on disk
_WRONG = (None, "", "NA", "inf", "1e400", "-1", "1,5", "=1+1")


def table(rng: np.random.Generator, n: int, *, plain: bool) -> pd.DataFrame:
    """A table with ids, numbers and categories, with hostile names and cells here and there."""
    group = rng.permutation(np.arange(n) % 2)
    frame = pd.DataFrame(
        {
            "id": [f"r{i}" for i in range(n)],
            "x": rng.normal(size=n) + 9 * group,
            "y": rng.normal(size=n) - 9 * group,
            "color": rng.choice(["red", "green"], n),
        }
    )
    return frame if plain else _hostile_cells(frame, rng)


def labels(rng: np.random.Generator, n: int, *, plain: bool) -> pd.DataFrame:
    """Clusterings of the same objects, a column each."""
    group = rng.permutation(np.arange(n) % 2)
    columns = {f"tool {c}": np.where(rng.random(n) < 0.1, 1 - group, group) for c in range(3)}
    frame = pd.DataFrame({"id": [f"r{i}" for i in range(n)], **columns})
    return frame if plain else _hostile_cells(frame, rng)


def pairs(rng: np.random.Generator, n: int, *, plain: bool) -> pd.DataFrame:
    """Pairs of ids, some of which contradict each other or name nobody."""
    ids = np.array([f"r{i}" for i in range(n)] + ([] if plain else ["nobody", "", PAYLOADS[0]]))
    frame = pd.DataFrame(
        {"one": [ids[0]], "other": [ids[-1]]} if plain else rng.choice(ids, (4, 2)), columns=["one", "other"]
    )
    if not plain and rng.random() < 0.4:
        frame["weight"] = rng.choice([0.0, 1.0, -1.0, np.inf, np.nan, 1e308], len(frame))
    return frame


def _hostile_cells(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    for _ in range(int(rng.integers(3))):
        if frame.empty:
            break
        column = frame.columns[int(rng.integers(frame.shape[1]))]
        cells = frame[column].astype(object).tolist() if frame.columns.is_unique else [0] * len(frame)
        what = int(rng.integers(7))
        if what == 0:
            frame = frame.rename(columns={column: str(rng.choice(PAYLOADS))})
        elif what == 1:
            frame[column] = [str(rng.choice(PAYLOADS)) for _ in cells]
        elif what == 2:
            wrong = _WRONG[int(rng.integers(len(_WRONG)))]
            frame[column] = pd.Series(
                [wrong if rng.random() < 0.5 else cell for cell in cells], dtype=object
            ).to_numpy()
        elif what == 3:
            frame[column] = 1
        elif what == 4:
            frame = frame.drop(columns=column)
        elif what == 5:
            frame = frame.iloc[: int(rng.integers(3))]
        else:
            frame = pd.concat([frame, frame])
    return frame


def write(frame: pd.DataFrame, folder: Path, stem: str, rng: np.random.Generator, *, plain: bool) -> Path:
    """The table as a file, in some format and spelling, sometimes damaged."""
    if plain:
        frame.to_csv(folder / f"{stem}.csv", index=False)
        return folder / f"{stem}.csv"
    makers: tuple[Callable[[], tuple[str, bytes]], ...] = (
        *([lambda: (".csv", _text(frame, rng))] * 6),
        lambda: (".csv.gz", gzip.compress(_text(frame, rng), 1)),
        lambda: (".tsv", _text(frame, rng)),
        lambda: (".parquet", _parquet(frame, rng)),
        lambda: (".npz", _npz(frame, rng)),
        lambda: (".npz", _parquet(frame, rng)),  # not what its name says
        lambda: (".csv", _npz(frame, rng)),
        lambda: (".csv.gz", _text(frame, rng)),
        lambda: (".csv.gz", gzip.compress(b"0" * _BOMB, 9)),
        lambda: (".csv", b"a\n" if rng.random() < 0.5 else b""),
        lambda: (".csv", _wide(rng)),
        lambda: (".xlsx", b"PK\x03\x04"),
        lambda: ("", _text(frame, rng)),
    )
    ending, content = makers[int(rng.integers(len(makers)))]()
    if rng.random() < 0.15:
        content = flipped(content, rng)
    elif rng.random() < 0.1:
        content = content[: int(rng.integers(len(content) + 1))]
    name = stem if rng.random() < 0.8 else str(rng.choice(["<img src=x onerror=attack()>", "a b;c", "-x", "ü", "={1}"]))
    path = folder / f"{name}{ending}"
    path.write_bytes(content)
    return path


def _text(frame: pd.DataFrame, rng: np.random.Generator) -> bytes:
    try:
        text = frame.to_csv(
            index=bool(rng.random() < 0.1),
            header=bool(rng.random() < 0.85),
            sep=str(rng.choice([",", ",", ";", "\t", "|", " "])),
            lineterminator=str(rng.choice(["\n", "\n", "\r\n", "\r"])),
            quoting=int(rng.choice([0, 1])),
        )
    except ValueError:
        text = frame.to_csv(index=False)
    encoding = str(rng.choice(["utf-8"] * 6 + ["utf-8-sig", "utf-16", "utf-16-le", "latin-1", "cp1252", "utf-32"]))
    content = text.encode(encoding, errors="replace")
    kind = int(rng.integers(12))
    if kind == 0:
        return content.replace(b"e", b"\x00")
    if kind == 1:
        return b'"' + content  # a quote that never ends
    if kind == 2:
        return content + b",,,,,\n1,2\n"
    return content


def _parquet(frame: pd.DataFrame, rng: np.random.Generator) -> bytes:
    frame = frame.copy()
    if rng.random() < 0.3:
        frame["nested"] = [[1, 2]] * len(frame) if rng.random() < 0.5 else [{"a": 1}] * len(frame)
    if rng.random() < 0.3:
        frame["when"] = pd.Timestamp("2020-01-01")
    try:
        return frame.loc[:, ~frame.columns.duplicated()].to_parquet()
    except Exception:  # pyarrow does not write every table
        return b"PAR1" + bytes(40) + b"PAR1"


def _npz(frame: pd.DataFrame, rng: np.random.Generator) -> bytes:
    numbers = frame.select_dtypes("number").to_numpy() if rng.random() < 0.7 else rng.normal(size=(len(frame), 2))
    arrays = {"X": numbers, "ids": np.array([f"r{i}" for i in range(len(frame))])}
    kind = int(rng.integers(5))
    if kind == 0:
        arrays = {"X": np.array([object()] * 3)}  # a pickle
    elif kind == 1:
        arrays = {"a": numbers, "b": numbers}
    elif kind == 2:
        arrays["ids"] = arrays["ids"][:-1]
    elif kind == 3:
        arrays["X"] = numbers.astype(">f8") * 1e308
    file = io.BytesIO()
    with np.errstate(over="ignore"):
        np.savez(file, **arrays)
    return file.getvalue()


def _wide(rng: np.random.Generator) -> bytes:
    width = 10_000
    rows = [",".join(f"c{c}" for c in range(width)), *(",".join(map(str, rng.integers(0, 9, width))) for _ in range(3))]
    return "\n".join(rows).encode()


def contents(folder: Path) -> dict[str, str]:
    """The digest of every file below a folder."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


class _Elements(HTMLParser):
    """Whether a page holds an element of ours: a payload that was not escaped."""

    def __init__(self) -> None:
        super().__init__()
        self.found = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found |= any(name.startswith("on") and "attack()" in (value or "") for name, value in attrs)

    def handle_data(self, data: str) -> None:
        self.found |= self.cdata_elem == "script" and data.strip().startswith("attack()")


def runs_a_payload(page: str) -> bool:
    """Whether a payload would run in a page."""
    parser = _Elements()
    parser.feed(page)
    return parser.found
