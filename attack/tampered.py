"""Files that are not what they seem: results and checkpoints with other contents, and archives that are bombs."""

import gzip
import io
import json
import resource
import sys
import tempfile
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

import pluribus
from attack import files, jobs
from attack.verdict import fault_of, faults_in_ensemble, faults_in_labels, faults_in_membership, faults_in_uncertainty
from pluribus.generate import Generator
from pluribus.pipeline import ArchiveError

_LARGE = 2**31  # bytes that a bomb takes when it is opened
_MEMORY = 5 * 2**29  # bytes of addresses that the command may take


@cache
def _saved() -> bytes:
    """A result in a file."""
    X = np.random.default_rng(0).normal(size=(30, 3)) + 9 * np.eye(3)[np.arange(30) % 3]
    result = pluribus.cluster(X, members=6, verbose=False, n_jobs=1)
    with tempfile.TemporaryDirectory() as folder:
        return Path(result.save(Path(folder) / "a.pluribus")).read_bytes()


def tampered_model(rng: np.random.Generator, folder: Path) -> str:
    """A file of a result with other bytes: it is refused, or what it gives is valid."""
    path = folder / "model.pluribus"
    path.write_bytes(files.flipped(_saved(), rng) if rng.random() < 0.3 else _rewritten(_saved(), rng))
    try:
        result = pluribus.load(path)
        again = result.predict(np.zeros((2, 3)))
        result.summary()
        result.to_frame()
    except ValueError as error:
        if isinstance(error, ArchiveError) or fault_of(error) is None:
            return ""
        raise
    k = result.membership.shape[1]
    found = faults_in_labels(result.labels, k, len(result.ids), True) + faults_in_labels(again, k, 2, True)
    found += faults_in_membership(result.membership) + faults_in_uncertainty(result.uncertainty)
    return next(iter(found + faults_in_ensemble(result.ensemble)), "")


def _rewritten(content: bytes, rng: np.random.Generator) -> bytes:
    """An archive whose checksums are right and whose contents are not."""
    parts = {}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    name = str(rng.choice(list(parts)))
    kind = int(rng.integers(4))
    if kind == 0:
        del parts[name]
    elif kind == 1 or not name.endswith((".npy", ".json")):
        parts[name] = files.flipped(parts[name], rng)
    elif name.endswith(".npy"):
        parts[name] = _other_array(parts[name], rng)
    else:
        parts[name] = _other_json(parts[name], rng)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return file.getvalue()


def _other_array(part: bytes, rng: np.random.Generator) -> bytes:
    array = np.load(io.BytesIO(part), allow_pickle=False)
    changes: tuple[Callable[[], np.ndarray], ...] = (
        lambda: array[:-1],
        lambda: array[..., None],
        lambda: array.astype(str),
        lambda: array.astype(float) * np.nan if array.dtype.kind in "fiu" else array,
        lambda: (array - 7.0).astype(array.dtype) if array.dtype.kind in "fi" else array,
        lambda: array.astype(float) * 1000 if array.dtype.kind in "fiu" else array,
        lambda: np.zeros_like(array),
        lambda: np.zeros((0,)),
        lambda: array.astype(array.dtype.newbyteorder(">")),
        lambda: array.astype(np.float16) if array.dtype.kind in "fiu" else array,
    )
    file = io.BytesIO()
    np.save(file, changes[int(rng.integers(len(changes)))]())
    return file.getvalue()


def _other_json(part: bytes, rng: np.random.Generator) -> bytes:
    stored = json.loads(part)
    if isinstance(stored, dict) and stored:
        name = str(rng.choice(list(stored)))
        wrong = [None, -1, 10**12, 1.5, "text", [], {}, [None], {"a": 1}, "NaN", True]
        stored[name] = wrong[int(rng.integers(len(wrong)))]
        if rng.random() < 0.2:
            del stored[name]
    return json.dumps(stored).encode()


def tampered_checkpoint(rng: np.random.Generator, folder: Path) -> str:
    """Files of finished tasks with other contents: refused or made again, never believed."""
    X = np.random.default_rng(0).normal(size=(60, 3))
    generator = Generator(n_members=6, random_state=0, verbose=False)
    expected = generator.generate(X, store=folder / "store")
    for path in rng.permutation(sorted((folder / "store").iterdir()))[: 1 + int(rng.integers(3))]:
        content = path.read_bytes()
        path.write_bytes(
            _rewritten(content, rng) if path.suffix == ".npz" and rng.random() < 0.7 else files.flipped(content, rng)
        )
    try:
        found = generator.generate(X, store=folder / "store")
    except ValueError as error:
        if fault_of(error) is None:
            return ""
        raise
    if faults := faults_in_ensemble(found):
        return faults[0]
    return "" if found.labels.shape == expected.labels.shape else f"an ensemble of shape {found.labels.shape}"


def bomb(rng: np.random.Generator, folder: Path) -> str:
    """A small file that takes all memory when it is opened: an error in words, or a result within the limit."""
    makers: tuple[Callable[[Path], list[str]], ...] = (
        _text_bomb,
        _array_bomb,
        _claimed_array,
        _table_bomb,
        _model_bomb,
    )
    command = makers[int(rng.integers(len(makers)))](folder)
    out = ["--out", str(folder / "out.csv" if command[0] == "predict" else folder / "out")]
    code, output = jobs.run(
        [sys.executable, "-m", "pluribus", *command, *out],
        {resource.RLIMIT_AS: _MEMORY},
        env=jobs.one_thread(),
    )
    return jobs.said(code, output)


def _text_bomb(folder: Path) -> list[str]:
    path = folder / "bomb.csv.gz"
    with gzip.open(path, "wb", compresslevel=9) as file:
        file.write(b"a,b\n")
        for _ in range(_LARGE // 8 // 2**20):  # of one cell
            file.write(b"1" * 2**20)
    return ["cluster", str(path)]


def _array_bomb(folder: Path) -> list[str]:
    path = folder / "bomb.npz"
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (_LARGE // 32, 4)})
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("X.npy", "w", force_zip64=True) as file,
    ):
        file.write(header.getvalue())
        for _ in range(_LARGE // 8 // 2**20):  # an eighth of what the header says
            file.write(bytes(2**20))
    return ["cluster", str(path)]


def _claimed_array(folder: Path) -> list[str]:
    path = folder / "claims.npz"
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (10**11, 10)})
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("X.npy", header.getvalue() + bytes(800))
    return ["cluster", str(path)]


def _table_bomb(folder: Path) -> list[str]:
    path = folder / "bomb.parquet"
    runs = np.arange(10**6) // 1000 % 2.0  # of equal numbers, which take nothing
    pd.DataFrame({f"c{c}": np.roll(runs, c) for c in range(50)}).to_parquet(path)
    return ["cluster", str(path), "--members", "2", "--memory-limit", "100MB"]


def _model_bomb(folder: Path) -> list[str]:
    path = folder / "model.pluribus"
    with zipfile.ZipFile(io.BytesIO(_saved())) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part if name != "clustering.json" else part + b" " * 2**30)
    pd.DataFrame(np.zeros((3, 3))).to_csv(folder / "new.csv", index=False)
    return ["predict", str(path), str(folder / "new.csv")]
