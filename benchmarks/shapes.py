"""Generated families for choosing and testing defaults: 74 with clusters and 28 without, in two halves.

    from benchmarks.shapes import draw, families, score
    for name in families("chosen on", "shapes"):
        X, y, k, keep = draw(name, 0)
        print(name, score(some_clusterer(k).fit_predict(X), y, keep))

Each draw of a family has parameters of its own: rows, groups, sizes, columns, noise. The same name and number give the
same draw. The rows come in random order. Every method gets the same X, by the rules of ``_answers_sets``:

- shapes, mixtures, and most families without clusters: any rotation, and one unit for all columns;
- tables, and families without clusters whose columns are counts, grades, categories or skewed: as ``pluribus cluster``
  prepares a table;
- texts: tf-idf in rows of length 1, in a dense array.

Noise has the label -1; it is clustered and not scored. Families without clusters have k = 1.

A half holds whole families, so what is chosen on one half meets only new families in the other. Names alternate within
their kind. The halves are written down, so that a new family does not move the others.
"""

import hashlib
from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np

from benchmarks import _answers_sets, _shapes_curves, _shapes_mixtures, _shapes_none, _shapes_regions, _shapes_tables
from benchmarks._answers_sets import HALVES, Half, Loaded, score
from benchmarks._shapes_parts import rotation

__all__ = ["FAMILIES", "HALVES", "KINDS", "draw", "families", "half_of", "kind_of", "score"]

Kind = Literal["shapes", "overlapping", "tables", "null filled", "null curve"]
KINDS: tuple[Kind, ...] = get_args(Kind)
FAMILIES: dict[Half, dict[Kind, tuple[str, ...]]] = {
    "chosen on": {
        "shapes": (
            "arcs", "boxes", "core_in_shell", "crescent_and_disc", "densities", "fading_spirals", "half_rings", "lines",
            "many_arcs", "moons", "noisy_moons", "parabolas", "ring_and_core", "scattered_rings", "shells", "spirals",
            "wings",
        ),
        "overlapping": (
            "crossed_gaussians", "elliptic_gaussians", "gaussian_chain", "gaussians_in_many_columns", "heavy_tails",
            "many_gaussians", "skewed_groups", "ten_touching_gaussians", "two_gaussians_3_apart",
            "unbalanced_gaussians",
        ),
        "tables": (
            "binary", "compositions", "counts", "directions", "few_informative", "numbers_and_categories",
            "outlying_rows", "profiles", "several_modes", "subspaces",
        ),
        "null filled": (
            "banana", "elongated_gaussian", "exponential", "gaussian", "grades_of_one_factor", "laplace",
            "mixed_discrete", "poisson_counts", "student_t", "uniform_ball",
        ),
        "null curve": (
            "filament", "one_moon", "one_shell", "saddle_sheet",
        ),
    },
    "held out": {
        "shapes": (
            "blobs_in_noise", "bridges", "corners", "dense_in_sparse", "diamonds", "filament_pairs", "helices", "links",
            "mixed_shapes", "nested_rings", "noisy_shapes", "rays", "ring_round_blobs", "sheets", "slices", "waves",
            "zigzags",
        ),
        "overlapping": (
            "different_widths", "few_gaussians", "gaussian_grid", "groups_of_groups", "hundreds_of_gaussians",
            "nested_gaussians", "stretched_gaussians", "touching_balls", "two_gaussians_4_apart",
            "unbalanced_in_six_columns",
        ),
        "tables": (
            "categorical", "correlated", "curved", "expression", "low_rank", "ordinal", "planes", "rare_group",
            "skewed_columns", "text",
        ),
        "null filled": (
            "coin_flips", "equicorrelated", "gamma", "gaussian_in_many_columns", "independent_categories", "lognormal",
            "one_topic", "skewed_in_ten_columns", "triangle", "uniform_box",
        ),
        "null curve": (
            "one_helix", "one_ring", "one_spiral", "swiss_roll",
        ),
    },
}  # fmt: skip

_MODULES = {
    "shapes": (_shapes_curves, _shapes_regions),
    "overlapping": (_shapes_mixtures,),
    "tables": (_shapes_tables,),
    "null filled": (_shapes_none,),
    "null curve": (_shapes_none,),
}
AS_TABLES = (
    "coin_flips", "equicorrelated", "exponential", "gamma", "grades_of_one_factor", "independent_categories", "laplace",
    "lognormal", "mixed_discrete", "poisson_counts", "skewed_in_ten_columns",
)  # fmt: skip  # besides the kind "tables"
AS_TEXT = ("one_topic", "text")
USUAL_ROWS = (300, 1500)
ROWS = {
    "gaussian_grid": (800, 2000),
    "hundreds_of_gaussians": (4000, 6000),
    "many_gaussians": (1500, 3000),
    "ten_touching_gaussians": (1000, 3000),
    "two_gaussians_3_apart": (1000, 1000),
    "two_gaussians_4_apart": (1000, 1000),
}


def families(half: Half | None = None, kind: Kind | None = None) -> list[str]:
    """Names of the families: of one half or of both, of one kind or of all."""
    if (half is not None and half not in HALVES) or (kind is not None and kind not in KINDS):
        raise ValueError(f"half={half!r}, kind={kind!r}: halves are {HALVES}, kinds {KINDS}.")
    return [
        name
        for each_kind in KINDS
        if kind in (None, each_kind)
        for each in HALVES
        if half in (None, each)
        for name in FAMILIES[each][each_kind]
    ]


def half_of(name: str) -> Half:
    return next(half for half in HALVES if name in families(half))


def kind_of(name: str) -> Kind:
    return next(kind for kind in KINDS if name in families(kind=kind))


def draw(name: str, number: int, n: int | None = None) -> Loaded:
    """One draw of a family, prepared by the rule of its kind; with n rows, or as many as the draw says."""
    if name not in families():
        raise ValueError(f"No family is called {name!r}; families() lists them.")
    low, high = ROWS.get(name, USUAL_ROWS)
    if number < 0 or (n is not None and n < low):
        raise ValueError(f"number={number}, n={n}: number is at least 0, and n at least {low} for {name!r}.")
    rng = _generator(name, number)
    drawn = round(np.exp(rng.uniform(np.log(low), np.log(high))))
    X, y = _make(name, rng, n or drawn)
    order = rng.permutation(len(y))
    X, y = (X[order] if isinstance(X, np.ndarray) else X.iloc[order].reset_index(drop=True)), y[order]
    keep = y >= 0
    return Loaded(_scaled(name, X, rng), y.astype(np.int64), len(np.unique(y[keep])), keep)


def _generator(name: str, number: int) -> np.random.Generator:
    digest = hashlib.sha256(name.encode()).digest()
    return np.random.default_rng(np.random.SeedSequence([int.from_bytes(digest[:8], "big"), number]))


def _make(name: str, rng: np.random.Generator, n: int) -> tuple[Any, np.ndarray]:
    maker: Callable = next(getattr(module, name) for module in _MODULES[kind_of(name)] if hasattr(module, name))
    if kind_of(name).startswith("null"):
        return maker(rng, n), np.zeros(n, dtype=np.int64)
    return maker(rng, n)


def _scaled(name: str, X: Any, rng: np.random.Generator) -> np.ndarray:
    if name in AS_TEXT:
        from sklearn.feature_extraction.text import TfidfTransformer

        return TfidfTransformer().fit_transform(X).toarray()
    if name in AS_TABLES or kind_of(name) == "tables":
        return _answers_sets._prepared(X, name)
    return _answers_sets._in_one_unit(X @ rotation(rng, X.shape[1]))
