"""Evidence accumulation (EAC): accuracy of three linkages, the size of the evidence, and missing labels.

Table I of the scalability paper: 150 k-means partitions by three rules for the number of clusters, average link, and as
many clusters as classes. The EAC columns of the paper on constraints: 50 partitions of 10 to 30 clusters, features as
they are, single and complete link. The density of the evidence of ten Gaussians, where the paper has charts and the
estimates 4 / √n and 2 A / n that stand here as theirs. And our own: ensembles on sub-samples, average link over votes
and over pairs.
"""

from typing import Any

import numpy as np

from benchmarks import _data
from benchmarks._scores import accuracy
from benchmarks.eac_accuracy import RULES, TABLE
from benchmarks.reproduce._published import Published, present

PAPER = (
    "Lourenço, Fred and Jain, On the scalability of evidence accumulation clustering, ICPR 2010; Duarte, Fred and "
    "Duarte, Combining data clusterings with instance level constraints, PRIS 2009."
)
SCALE, LINKAGES, DENSITY, MISSING = (
    "Scalability, table I",
    "Columns EAC of the constraints paper",
    "Density of the evidence, ten Gaussians",
    "Missing labels",
)
N_MEMBERS = 150
DRAWN = ("spiral", "cigar", "rings", "bars", "half_rings")

# Mean consistency index of single and complete link over 20 ensembles.
DUARTE: dict[str, tuple[float, float]] = {
    "iris": (0.6987, 0.5972),
    "wine": (0.7064, 0.5103),
    "glass": (0.4394, 0.3942),
    "breast_w": (0.8388, 0.6275),
    "optdigits": (0.5462, 0.5681),
    "bars": (0.7645, 0.5393),
    "cigar": (1.0000, 0.4330),
    "spiral": (0.7511, 0.5305),
    "half_rings": (0.9726, 0.4568),
}
SIZES = (1000, 2000, 5000, 10_000)
SHARES = ("50 %, 50 partitions", "20 %, 50 partitions", "20 %, 20 partitions")
SUBSAMPLED = ("iris", "wine", "house_votes", "breast_w", "half_rings")
QUICK = ("iris", "wine", "rings", "half_rings")


def tables(quick: bool) -> list[Published]:
    """The quick form has the smallest sets."""

    def few(rows: dict[str, Any]) -> dict[str, Any]:
        return {name: values for name, values in rows.items() if name in QUICK or not quick}

    drawn = "Spiral, cigar, rings, bars and half rings are drawn here by their descriptions, again for each run."
    rows = {f"{name}, {share}": (None, None) for name in few(dict.fromkeys(SUBSAMPLED)) for share in SHARES}
    sizes = SIZES[:2] if quick else SIZES
    estimates = {f"n = {n}": (4 / np.sqrt(n), 100 / n) for n in sizes}
    estimated = "Theirs are the paper's estimates, 4 / √n and 2 · 50 / n: its own figures are charts."
    found = [
        Published(
            SCALE, "accuracy", True, RULES, few({name: row.theirs for name, row in TABLE.items()}), drawn, (), 10
        ),
        Published(LINKAGES, "accuracy", True, ("single", "complete"), few(dict(DUARTE)), drawn),
        Published(DENSITY, "share of pairs", False, ("A", "B"), estimates, estimated, most_runs=1),
        Published(MISSING, "accuracy", True, ("votes", "pairs"), rows),
    ]
    return present(found, lambda table, row: "iris" if table == DENSITY else row.split(",")[0])


def n_runs(quick: bool) -> int:
    return 2 if quick else 20


def score(table: str, row: str, run: int, quick: bool) -> dict[str, float]:
    return {SCALE: _scale, LINKAGES: _linkages, DENSITY: _density, MISSING: _missing}[table](row, run)


def _scale(name: str, run: int) -> dict[str, float]:
    X, y = _data.load(name, run)
    ranges = dict(zip(RULES, TABLE[name].ranges, strict=True))
    return {rule: accuracy(y, _combine(_ensemble(X, k, run), TABLE[name].k)) for rule, k in ranges.items()}


def _linkages(name: str, run: int) -> dict[str, float]:
    X, y = _data.load(name, run) if name in (*DRAWN, "optdigits") else _data.load_raw(name)
    ensemble = _ensemble(X, (10, 30), run, n_members=50)
    k = len(np.unique(y))
    return {linkage: accuracy(y, _combine(ensemble, k, linkage=linkage)) for linkage in ("single", "complete")}


def _density(row: str, run: int) -> dict[str, float]:
    from pluribus.evidence import CoAssociation

    n = int(row.removeprefix("n = "))
    X = _data.gaussian_line(n, run)
    rules = {"A": "sqrt", "B": "linear"}
    evidence = {rule: CoAssociation(_ensemble(X, k, run), form="operator") for rule, k in rules.items()}
    return {rule: c.predict_nnz() / n**2 for rule, c in evidence.items()}


def _missing(row: str, run: int) -> dict[str, float]:
    name, share, members = row.removesuffix(" partitions").split(", ")
    X, y = _data.load(name, run)
    part = int(share.removesuffix(" %")) / 100
    ensemble = _ensemble(X, (10, 20), run, n_members=int(members), subsample=part)
    k = len(np.unique(y))
    weights = {"votes": "coverage", "pairs": "equal"}
    return {title: accuracy(y, _combine(ensemble, k, pair_weight=weight)) for title, weight in weights.items()}


def _ensemble(X: np.ndarray, n_clusters: Any, run: int, n_members: int | None = None, **options: Any) -> Any:
    from pluribus.generate import Generator

    n_members = n_members or N_MEMBERS
    always = {"random_state": run, "n_jobs": 1, "verbose": False}
    return Generator("kmeans", n_members=n_members, n_clusters=n_clusters, **options, **always).generate(X)


def _combine(ensemble: Any, k: int, *, linkage: str = "average", **options: Any) -> np.ndarray:
    from pluribus.consensus import EvidenceAccumulation

    eac = EvidenceAccumulation(k, linkage=linkage, missing="zero", verbose=False, **options)
    return eac.fit(ensemble).labels_
