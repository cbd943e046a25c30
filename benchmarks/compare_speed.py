"""Comparing two partitions: all classical indices at 1,000,000 labels, LiftEMD and CDistance at 60,000 × 784.

The images are Fashion-MNIST's (Debian's package dataset-fashion-mnist), or drawn in their shape where it is not
installed; the partitions are their classes and what k-means finds. The exact CDistance does not get there: it is
measured on samples of growing size, and what it would take at full size follows from how its time grows with them.
"""

import gzip
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from rich.table import Table

from benchmarks._session import Result, Session
from benchmarks._show import seconds, side_by_side
from benchmarks._worker import Task

FASHION = Path("/usr/share/datasets/fashion-mnist")
PUBLISHED = {"LiftEMD": 1774.20, "CDistance": 202_681}  # seconds for MNIST's 60,000 images
MAX_SECONDS, MAX_MEMORY_MB = 60, 2000
MAX_SECONDS_CLASSICAL = 1


def classical(n: int, k: int, names: bool) -> Task:
    from pluribus.compare import compare_partitions

    rng = np.random.default_rng(0)
    a = rng.integers(0, k, n)
    b = np.where(rng.random(n) < 0.7, a, rng.integers(0, k, n))
    if names:
        a, b = np.array([f"cluster {i}" for i in range(k)], dtype=object)[a], b.astype(float)
    compare_partitions(a[:100], b[:100])
    return Task(lambda: compare_partitions(a, b), lambda values: {"n_measures": len(values)})


def make(path: str, n: int) -> Task:
    """Write the images, their classes, and the clusters of k-means."""

    def work() -> None:
        from sklearn.cluster import MiniBatchKMeans

        X, y = images(n)
        clusters = MiniBatchKMeans(10, n_init=1, random_state=0).fit(X).labels_
        np.savez(path, X=X, y=y, clusters=clusters)

    return Task(work)


def images(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Images as rows of 784 numbers, and their classes."""
    if not FASHION.exists():
        rng = np.random.default_rng(0)
        y = rng.integers(0, 10, n)
        return rng.random((10, 784), dtype=np.float32)[y] + rng.normal(size=(n, 784)).astype(np.float32), y
    pixels, y = (_read(FASHION / f"train-{name}.gz") for name in ("images-idx3-ubyte", "labels-idx1-ubyte"))
    return (pixels.reshape(len(y), -1)[:n] / np.float32(255)), y[:n]


def _read(path: Path) -> np.ndarray:
    """An IDX file of bytes: two zeros, the type, the number of dimensions, their sizes, the values."""
    content = gzip.decompress(path.read_bytes())
    n_dimensions = content[3]
    shape = np.frombuffer(content, ">i4", n_dimensions, offset=4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * n_dimensions).reshape(shape)


def lift_emd(path: str, jobs: int) -> Task:
    from pluribus.compare import lift_emd_distance

    with np.load(path) as kept:
        X, y, clusters = kept["X"], kept["y"], kept["clusters"]
    lift_emd_distance(y[:100], clusters[:100], X[:100], verbose=False)
    return Task(
        lambda: lift_emd_distance(y, clusters, X, return_error=True, n_jobs=jobs, verbose=False),
        lambda found: {"distance": found[0], "standard_error": found[1]},
    )


def cdistance_of_sample(path: str, sample: int, jobs: int) -> Task:

    from pluribus.compare import cdistance

    with np.load(path) as kept:
        X, y, clusters = kept["X"], kept["y"], kept["clusters"]
    cdistance(y[:100], clusters[:100], X[:100], verbose=False)
    return Task(
        lambda: cdistance(y, clusters, X, sample=sample, n_jobs=jobs, verbose=False), lambda found: {"distance": found}
    )


def run(session: Session, options: Namespace) -> Iterator[Table | str]:
    n = 20_000 if session.quick else 1_000_000
    labels = [
        session.measure(f"{n:,} labels, {k:,} clusters{', names' * names}", classical, n=n, k=k, names=names)
        for k, names in ((10, False), (10, True), (100, False), (1000, False))
    ]
    yield side_by_side("All classical indices of two partitions", [(result, []) for result in labels])
    slowest = max(result.seconds for result in labels)
    yield f"Asked: under {MAX_SECONDS_CLASSICAL} s. {_word(slowest < MAX_SECONDS_CLASSICAL)}: {slowest:.2f} s at most."

    n, samples = (2500, (200, 400)) if session.quick else (60_000, (2000, 4000, 8000))
    path = str(session.scratch / "images.npz")
    session.prepare("the images", make, path=path, n=n)
    mine = session.measure(f"LiftEMD, {n:,} × 784", lift_emd, path=path, jobs=session.jobs)
    theirs = [
        session.measure(
            f"CDistance, sample of {m:,}", cdistance_of_sample, repeat=1, path=path, sample=m, jobs=session.jobs
        )
        for m in samples
    ]
    whose = "Fashion-MNIST" if FASHION.exists() else "drawn images"
    yield side_by_side(f"In space: {whose}, classes against k-means", [(result, []) for result in [mine, *theirs]])
    if all(result.done for result in [mine, *theirs]) and not session.quick:
        yield _ratio(mine, theirs, samples, n)
        met = mine.seconds < MAX_SECONDS and mine.peak_mb < MAX_MEMORY_MB
        yield f"Asked of LiftEMD: under {MAX_SECONDS} s and {MAX_MEMORY_MB} MB. {_word(met)}."


def _ratio(mine: Result, theirs: list[Result], samples: tuple[int, ...], n: int) -> str:
    """By the processor's time, which other work on the machine hardly changes."""
    power, offset = np.polyfit(np.log(samples), np.log([result.cpu_seconds for result in theirs]), 1)
    whole = float(np.exp(offset + power * np.log(n)))
    distance, error = mine.figures["distance"], mine.figures["standard_error"]
    return (
        f"LiftEMD is {distance:.4f} ± {error:.4f}. The time of CDistance grows as n to the power {power:.2f}: at "
        f"n = {n:,} it would take about {seconds(whole)} of the processor, {whole / mine.cpu_seconds:,.0f} × as long "
        f"as LiftEMD. Published for MNIST's 60,000 images: {PUBLISHED['CDistance']:,} s and "
        f"{PUBLISHED['LiftEMD']:,.0f} s, "
        f"{PUBLISHED['CDistance'] / PUBLISHED['LiftEMD']:.0f} ×."
    )


def _word(met: bool) -> str:
    return "Met" if met else "MISSED"
