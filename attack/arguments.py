"""Valid arguments, by the name of the parameter, its declared constraints, its type or its default."""

import inspect
import types
import typing
from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
import sklearn.utils._param_validation as declared
from scipy import sparse
from scipy.cluster.hierarchy import linkage

import pluribus
from attack.scene import Scene
from attack.targets import Target, calls
from pluribus import (
    alternative,
    compare,
    consensus,
    constrained,
    constraints,
    evidence,
    generate,
    increments,
    relational,
    report,
    similarity,
    tables,
)
from pluribus import validate as indices
from pluribus.pipeline._methods import direct_names

# Parameters that only cost time: small, and given in every case.
EFFORT = {
    **dict.fromkeys(("n_init", "n_rounds", "n_steps", "n_questions"), (1, 3)),
    **dict.fromkeys(("n_members", "members"), (2, 8)),
    **dict.fromkeys(("n_gibbs", "burn_in"), (5, 20)),
    "max_iter": (1, 40),
    **dict.fromkeys(("n_surrogates", "surrogates", "generations"), (1, 2)),
    "population": (2, 4),
    "n_features": (8, 32),
}
COSTLY = {
    *EFFORT,
    "n_jobs",
    "budget",
    "look_ahead",
    "n_components",
    "n_each",
    "n_teachers",
    "n_pairs",
    "memory_limit",
    "n_objects",
}
SILENT = {"verbose": False}
SEEDS = {"random_state", "seed"}  # given in every case, so that it can be run again
OFTEN = {"X", "graph", "n_objects", "y"}  # given by most callers where they are optional
NEEDED = {("n_clusters", "consensus"), ("constraints", "similarity"), ("known", "alternative")}  # by most of a room
SOURCES = ("X", "distances", "similarity")  # one of them, where all are parameters
PARTITION = {"a", "b", "partition", "labels", "member", "consensus", "source", "target", "y", "oracle"}


def known(scene: Scene) -> constraints.Constraints:
    """Constraints that hold in the groups of the scene."""
    rng = scene.rng
    soft = rng.random() < 0.3
    must, cannot = scene.pairs(together=True), scene.pairs(together=False)
    return constraints.Constraints(
        scene.n,
        must_link=must,
        cannot_link=cannot,
        must_weight=rng.random(len(must)) + 0.1 if soft else None,
        cannot_weight=rng.random(len(cannot)) + 0.1 if soft else None,
        labels=np.where(rng.random(scene.n) < 0.3, scene.labels, -1) if rng.random() < 0.3 else None,
    )


def clustering(scene: Scene) -> pluribus.Clustering:
    """A result of the whole walk."""
    return pluribus.cluster(np.vstack([scene.X, scene.X + 1e-3]), k=1, members=3, verbose=False, n_jobs=1)


def _states(scene: Scene) -> pluribus.pipeline.States:
    X = np.repeat([0.0, 9.0], 8)[:, None] + scene.rng.normal(size=(16, 2))
    return pluribus.states(X, windows=4, surrogates=1, verbose=False)


def _beats(scene: Scene) -> np.ndarray:
    """A signal with a peak each second, at 100 samples per second."""
    time = np.arange(0, 24, 0.01)
    return np.exp(-(((time % 1 - 0.5) / 0.02) ** 2)) + 0.01 * scene.rng.normal(size=len(time))


def _categorized(scene: Scene) -> Any:
    model = constrained.CategorySegmentation(min_df=1, min_docs=1, gini_drop=0.0, verbose=False)
    X = np.abs(scene.X) + np.eye(scene.n, scene.d)  # no document is empty
    return model.fit(X, np.arange(scene.n) % 2)


def _ones(scene: Scene) -> np.ndarray:
    """A table of zeros and ones that has several patterns: no two of its first columns are in the same rows."""
    table = (np.median(scene.X, axis=0) <= scene.X).astype(int)
    size = min(scene.n, scene.d)
    table[:size, :size] = np.eye(size)
    return table


def _co_clusters(scene: Scene) -> Any:
    return constrained.SpectralCoClustering(scene.k, n_init=1, random_state=0).fit(np.abs(scene.X) + 1)


def _told(scene: Scene) -> Any:
    model = constrained.FeedbackClusterer(scene.k, n_init=1, n_rounds=1, random_state=0, verbose=False)
    return model.fit(np.abs(scene.X)).good(0)


def _answers(scene: Scene) -> constraints.Answers:
    answers = constraints.Answers(scene.n)
    if scene.n > 1:
        answers.tell(0, scene.n - 1, "unsure")
    return answers


def _table(scene: Scene) -> tables.Table:
    return tables.as_table(scene.frame(), id_column="id", least_rows=1)


def _comparison(scene: Scene) -> report.Comparison:
    a, b = scene.vector(), scene.labels
    return report.Comparison("two", pluribus.Ensemble([np.maximum(a, 0), b]), compare.compare_partitions(a, b))


def _validation(scene: Scene) -> report.Validation:
    X = np.vstack([scene.X, scene.X + 20])
    halves = np.repeat([0, 1], scene.n)
    candidates = pluribus.Ensemble([halves, np.arange(2 * scene.n) % 2], names=["halves", "turns"])
    return report.Validation("two", candidates, indices.choose_partition(candidates, X, verbose=False), X=X)


def _links(scene: Scene, *, signed: bool) -> Any:
    """A graph on the objects in one of its forms: tuples, a matrix, a frame."""
    pairs = scene.pairs(together=True) + (scene.pairs(together=False) if signed else [])
    labels = scene.labels
    edges = [(i, j, 1.0 if labels[i] == labels[j] else -1.0) for i, j in dict.fromkeys(map(_in_order, pairs))]
    if scene.plain or scene.rng.random() < 0.4:
        matrix = np.zeros((scene.n, scene.n))
        for i, j, weight in edges:
            matrix[i, j] = matrix[j, i] = weight
        return sparse.csr_array(matrix)
    return pd.DataFrame(edges, columns=["i", "j", "weight"]) if scene.rng.random() < 0.5 else edges


def _in_order(pair: tuple[int, int]) -> tuple[int, int]:
    return min(pair), max(pair)


def _file(scene: Scene, target: Target) -> Any:
    """A path: of a file that can be read, or of one to write."""
    if target.name.endswith(("write", "save", "report")) or ".write_" in target.name:
        names = ["out.csv", "out.npz", "out.parquet", "out.json", "out.html", "out"]
        return scene.folder / ("out.csv" if scene.plain else str(scene.rng.choice(names)))
    path = scene.folder / "given.csv"
    if target.name == "pipeline.load":
        return clustering(scene).save(scene.folder / "given.pluribus")
    if target.name == "constraints.Constraints.read":
        path = path.with_suffix(".json")  # a CSV file holds pairs only
        known(scene).write(path)
    elif target.name == "constraints.Answers.read":
        _answers(scene).write(path)
    elif target.name == "partitions.Ensemble.read":
        pluribus.Ensemble(scene.members).write(path)
    else:
        scene.frame().to_csv(path, index=False)
    return path


def _fitted(scene: Scene) -> Any:
    return consensus.EvidenceAccumulation(scene.k, missing="zero", verbose=False).fit(scene.members)


def _pair_classifier(scene: Scene) -> similarity.PairwiseKernelClassifier:
    y = np.where(np.arange(scene.n) < 2, np.arange(scene.n), -1)
    pairs = constraints.Constraints(scene.n, must_link=[(0, scene.n - 1)])
    return similarity.PairwiseKernelClassifier(verbose=False).fit(scene.X, y, constraints=pairs)


def _metric(scene: Scene) -> similarity.CannotLinkMetric:
    X = np.vstack([scene.X, scene.X + 1 + scene.rng.random(scene.X.shape)])
    return similarity.CannotLinkMetric(verbose=False).fit(X, constraints=[(0, scene.n)])


def _law(scene: Scene) -> increments.IncrementsDistribution:
    return increments.IncrementsDistribution(float(scene.rng.exponential()) + 0.01, int(scene.rng.integers(1, 40)))


def _indices_of(scene: Scene) -> np.ndarray:
    return scene.rng.permutation(scene.n)[: max(1, scene.n // 2)]


def _alternatives(scene: Scene) -> Any:
    how = {"methods": ["residual-kmeans"], "n_starts": 1, "random_state": 0, "verbose": False}
    return alternative.alternatives(np.arange(8.0).reshape(-1, 1), [0, 0, 0, 0, 1, 1, 1, 1], 2, **how)


# By the name of the parameter, after the name of the target if that decides.
VALUES: dict[str, Callable[[Scene], Any]] = {
    "C": lambda s: s.similarity(),
    "V": lambda s: s.rng.normal(size=(s.n, 2)),
    "X": lambda s: s.X,
    "answer": lambda s: str(s.rng.choice(constraints.answers.ANSWERS)),
    "answers": _answers,
    "attributes": lambda s: s.frame(),
    "candidates": lambda s: s.members,
    "cannot_link": lambda s: s.pairs(together=False),
    "cannot_weight": lambda s: 1.0,
    "certainty": lambda s: s.rng.uniform(0.5, 1, 4),
    "cluster_weights": lambda s: s.rng.random(pluribus.Ensemble(s.members).n_clusters.sum()),
    "clusterers": lambda s: ("kmeans", "single"),
    "columns": lambda s: None,
    "conditions": lambda s: [constrained.AtLeast(1)],
    "constraints": known,
    "cost": lambda s: s.rng.random((s.n, s.k)),
    "criteria": lambda s: None,
    "data": lambda s: s.X,
    "distance": lambda s: str(s.rng.choice(list(compare.DISTANCES))),
    "distances": lambda s: s.distances(),
    "distribution": _law,
    "dtype": lambda s: s.rng.choice([np.float32, np.float64]),
    "effective_n": lambda s: float(s.n),
    "ensemble": lambda s: s.members,
    "ensembles": lambda s: [pluribus.Ensemble(s.members), pluribus.Ensemble(s.members)],
    "evidence": lambda s: evidence.CoAssociation(s.members),
    "feedback": lambda s: constrained.Feedback("good", (0,)),
    "fraction": lambda s: 0.2,
    "generator": lambda s: generate.Generator(n_members=4, verbose=False),
    "generators": lambda s: [generate.Generator(n_members=2, verbose=False)],
    "groups": lambda s: np.where(s.rng.random(s.n) < 0.5, s.labels, -1),
    "i": lambda s: _indices_of(s),
    "id_column": lambda s: None,
    "ids": lambda s: [f"id {i}" for i in range(s.n)],
    "idx": _indices_of,
    "increments": lambda s: s.rng.exponential(size=s.n),
    "index": lambda s: str(s.rng.choice(list(compare.INDICES))),
    "j": lambda s: _indices_of(s),
    "k": lambda s: s.k,
    "k_range": lambda s: (1, s.k),
    "known": known,
    "known_labels": lambda s: {str(i): str(s.labels[i]) for i in range(min(3, s.n))},
    "l": lambda s: 1,
    "least_rows": lambda s: 1,
    "limit": lambda s: None,
    "matrix": lambda s: np.sign(s.similarity() - 0.5) * (1 - np.eye(s.n)),
    "max_size": lambda s: s.n,
    "membership": lambda s: s.membership(),
    "memberships": lambda s: [s.membership(), s.membership(s.k + 1)],
    "methods": lambda s: list(s.rng.choice(consensus.names(), 2, replace=False)),
    "metric": lambda s: str(s.rng.choice(list(compare.DISTANCES))),
    "min_size": lambda s: 1,
    "missing": lambda s: "ignore",
    "most_clusters": lambda s: s.k,
    "must_link": lambda s: s.pairs(together=True),
    "must_weight": lambda s: 1.0,
    "n_clusters": lambda s: s.k,
    "n_components": lambda s: 1,
    "n_each": lambda s: min(2, s.n),
    "n_jobs": lambda s: int(s.rng.choice([1, 1, 2])),
    "n_neighbors": lambda s: max(1, min(3, s.n - 1)),
    "n_objects": lambda s: s.n,
    "n_pairs": lambda s: 3,
    "n_partitions": lambda s: s.r,
    "n_teachers": lambda s: 1,
    "name": lambda s: "table",
    "names": lambda s: [f"name {i}" for i in range(s.r)],
    "new": lambda s: s.X,
    "one": lambda s: 0,
    "other": lambda s: s.n - 1,
    "path": lambda s: s.folder,
    "prices": lambda s: s.rng.random(s.k),
    "q": lambda s: 0.1,
    "quasi_identifiers": lambda s: ["x0"],
    "random_state": lambda s: int(s.rng.integers(1000)),
    "result": clustering,
    "rows": _indices_of,
    "sample_weight": lambda s: s.rng.random(s.n) + 0.1,
    "seed": lambda s: int(s.rng.integers(1000)),
    "selector": lambda s: constraints.MinMax(s.X, random_state=0),
    "sensitive": lambda s: "color",
    "shape": lambda s: (s.n, s.d),
    "share": lambda s: s.rng.random(s.n),
    "side": lambda s: 0,
    "similarity": lambda s: s.similarity(),
    "size": lambda s: 7,
    "size_weight": lambda s: s.rng.random(s.n) + 0.1,
    "stored": lambda s: tables.prepare(_table(s)).recipe.to_json(),
    "summary": lambda s: report.summarize(clustering(s)),
    "table": lambda s: s.frame().drop(columns="id"),
    "tree": lambda s: linkage(s.X, "average") if s.n > 1 else np.empty((0, 4)),
    "weight": lambda s: 1.0,
    "weights": lambda s: s.rng.random(s.r) + 0.1,
    "weights_init": lambda s: np.full(s.k, 1 / s.k),
    "means_init": lambda s: s.rng.normal(size=(s.k, s.d)),
    "which": lambda s: [0],
    **dict.fromkeys(PARTITION, Scene.vector),
    "beats_per_mean": lambda s: 3,
    "breaks": lambda s: [s.n // 2],
    "checkpoint": lambda s: None,
    "cuts": lambda s: ("njw",),
    "r_peaks": lambda s: np.arange(50, 2350, 100),
    "sampling_rate": lambda s: 100,
    "sigmas": lambda s: [0.5, 2.0],
    "signal": _beats,
    "time": lambda s: None,
    "widths": lambda s: [0.5, 2.0],
    "window": lambda s: 2,
    "windows": lambda s: 2,
    # by target, by the class of a method, or by the room
    "validate.find_structure/agreement": lambda s: s.rng.random(),
    "validate.find_structure/lifetimes": lambda s: s.rng.random(3),
    "validate.find_structure/stability": lambda s: s.rng.random(3),
    "alternative/known": lambda s: s.labels,
    "alternative.alternatives/methods": lambda s: ["residual-kmeans", "condens"],
    "constrained.CategorySegmentation/X": lambda s: np.abs(s.X),
    "constrained.CategorySegmentation/constraints": lambda s: None,
    "constrained.CategorySegmentation/min_df": lambda s: 1,
    "constrained.CategorySegmentation/min_docs": lambda s: 1,
    "constrained.CategorySegmentation/y": lambda s: np.arange(s.n) % 2,
    "constrained.CategorySegmentation/names": lambda s: [f"term {j}" for j in range(s.d)],
    "constrained.BiSets/kinds": lambda s: sparse.csr_array(np.eye(3)),
    "constrained.BiSets/kind_of": lambda s: np.arange(3),
    "constrained.BiSets/columns": lambda s: sparse.csr_array(np.eye(3)),
    "constrained.ConstrainedCoClustering/X": _ones,
    "constrained.ConstrainedCoClustering/column_constraints": lambda s: constraints.Constraints(s.d),
    "constrained.ConstrainedCoClustering/column_order": lambda s: np.arange(s.d),
    "constrained.ConstrainedCoClustering/constraints": lambda s: constraints.Constraints(s.n),
    "constrained.ConstrainedCoClustering/mixed_cannot_link": lambda s: [(0, s.d - 1)],
    "constrained.ConstrainedCoClustering/mixed_must_link": lambda s: [(0, 0)],
    "constrained.ConstrainedCoClustering/n_clusters": lambda s: min(2, s.d),
    "constrained.ConstrainedCoClustering/pattern_weight": lambda s: None,
    "constrained.ConstrainedCoClustering/patterns": lambda s: (np.ones((3, s.n)), np.ones((3, s.d))),
    "constrained.ConstrainedCoClustering/row_order": lambda s: np.arange(s.n),
    "constrained.InformationCoClustering/X": lambda s: np.abs(s.X),
    "constrained.InformationCoClustering/n_column_clusters": lambda s: 1,
    "constrained.SpectralCoClustering/X": lambda s: np.abs(s.X),
    "constrained.concepts/X": _ones,
    "report.plot_coclusters/X": lambda s: np.abs(s.X) + 1,
    "report.plot_coclusters/model": _co_clusters,
    "tables.BooleanTable/X": lambda s: sparse.csr_array(_ones(s)),
    "tables.BooleanTable/feature_names": lambda s: [f"x{j}" for j in range(s.d)],
    "tables.BooleanTable/ids": lambda s: np.arange(s.n).astype(str),
    "tables.BooleanTable/notes": lambda s: [],
    "tables.boolean_table/above": lambda s: 0.5,
    "tables.boolean_table/categories": lambda s: (),
    "constrained.FeedbackClusterer/X": lambda s: np.abs(s.X),
    "constrained.FeedbackClusterer/cluster": lambda s: 0,
    "constrained.FeedbackClusterer/i": lambda s: 0,
    "constrained.FeedbackClusterer/j": lambda s: s.n - 1,
    "constrained.FeedbackClusterer/one": lambda s: 0,
    "constrained.FeedbackClusterer/other": lambda s: s.k - 1,
    "constrained.FeedbackClusterer/y": lambda s: s.labels,
    "constrained.Aggregate/function": lambda s: str(s.rng.choice(["count", "min", "max", "sum", "avg"])),
    "constrained.Aggregate/comparison": lambda s: str(s.rng.choice(["<", "<=", "!=", "==", ">=", ">"])),
    "constrained.AtLeast/n": lambda s: 2,
    "attribute": lambda s: "x0",
    "value": lambda s: 1.0,
    "m": lambda s: 2.0,
    "frame": lambda s: s.frame(),
    "constraints.Answers.relation/other": lambda s: s.n - 1,
    "constraints.Constraints.merge/other": known,
    "constrained.by_name/name": lambda s: str(s.rng.choice(constrained.names())),
    "consensus.by_name/name": lambda s: str(s.rng.choice(consensus.names())),
    "increments.DissimilarityEmbedding/X": lambda s: s.distances(),
    "increments.DissimilarityEmbedding.fit_transform/X": lambda s: s.distances(),
    "increments.DissimilarityEmbedding.transform/X": lambda s: s.distances(),
    "increments.IncrementsClassifier/metric": lambda s: "euclidean",
    "increments.IncrementsClassifier/y": lambda s: np.arange(s.n) % 2,
    "increments.by_name/name": lambda s: str(s.rng.choice(increments.names())),
    "consensus.with_sizes/consensus": _fitted,
    "temporal.TemporalEnsemble/clusterers": lambda s: ("njw", "kmeans"),
    "temporal.TemporalEnsemble/k_range": lambda s: (2, 3),
    "temporal.TransitionSearch/ensemble": lambda s: None,
    "temporal.extract_partitions/methods": lambda s: ["single", "ward"],
    "temporal.window_features/names": lambda s: None,
    "report.summarize_states/case": _states,
    "report.write_states/case": _states,
    "consensus.VotingConsensus/reference": lambda s: 0,
    "consensus.correspondence/source": lambda s: s.full_vector(),
    "consensus.correspondence/target": lambda s: s.full_vector(),
    "consensus.select_members/n_members": lambda s: 1,
    "constrained.satisfied/labels": Scene.full_vector,
    "constraints.Constraints/labels": lambda s: np.where(s.rng.random(s.n) < 0.5, s.labels, -1),
    "constraints.NormalizedUncertainty/n_clusters": lambda s: max(s.k, 2),
    "evidence.mean_evidence/labels": Scene.full_vector,
    "evidence.CoAssociation.rows/index": _indices_of,
    "evidence.CoAssociation.submatrix/index": _indices_of,
    "generate.preset/name": lambda s: str(s.rng.choice(["sqrt", "linear", "fixed-k", "spectral-grid"])),
    "increments.jensen_shannon_divergence/a": _law,
    "increments.jensen_shannon_divergence/b": _law,
    "partitions.Ensemble/labels": lambda s: s.members,
    "partitions.Ensemble.contingency/a": lambda s: 0,
    "partitions.Ensemble.contingency/b": lambda s: s.r - 1,
    "partitions.Ensemble.take_objects/index": _indices_of,
    "pipeline.Clustering.cut/n_clusters": lambda s: 1,
    "pipeline.EnsembleClusterer.cut/n_clusters": lambda s: 1,
    "pipeline.EnsembleClusterer/consensus": lambda s: str(s.rng.choice(consensus.names())),
    "pipeline.EnsembleClusterer/noise": lambda s: bool(s.rng.random() < 0.5),
    "pipeline.EnsembleClusterer/generator": lambda s: None,
    "pipeline.EnsembleClusterer/max_size": lambda s: s.n,
    "pipeline.cluster/method": lambda s: str(s.rng.choice(consensus.names() + direct_names())),
    "pipeline.combine/method": lambda s: str(s.rng.choice(consensus.names())),
    "pipeline.combine/labels": lambda s: s.members,
    "pipeline.combine/missing": lambda s: "zero",
    "pipeline.default_consensus/X": lambda s: s.X,
    "pipeline.default_generator/consensus": lambda s: "eac",
    "pipeline.make_plan/evidence": lambda s: "auto",
    "pipeline.make_plan/table": lambda s: 0,
    "pipeline.make_plan/method": lambda s: str(s.rng.choice(consensus.names())),
    "pipeline.plan_of/evidence": lambda s: "auto",
    "pipeline.plan_of/method": lambda s: str(s.rng.choice(consensus.names())),
    "report.summarize/case": clustering,
    "report.write_report/case": clustering,
    "report.summarize_comparison/case": _comparison,
    "report.write_comparison/case": _comparison,
    "report.summarize_validation/case": _validation,
    "report.write_validation/case": _validation,
    "tables.as_table/data": lambda s: s.frame(),
    "relational.CorrelationClustering/signed": lambda s: _links(s, signed=True),
    "relational.CorrelationClustering/apart": lambda s: None,
    "relational.CorrelationClustering/mode": lambda s: "general",
    "relational.CorrelationClustering/max_lp_n": lambda s: 50,
    "relational.CorrelationClustering/time_limit": lambda s: 2.0,
    "relational.by_name/name": lambda s: "correlation",
    "graph": lambda s: [(i, i + 1) for i in range(s.n - 1)],
    "pipeline.cluster/distances": lambda s: False,
    "pipeline.cluster/metric": lambda s: str(s.rng.choice(["euclidean", "cosine"])),
    "pipeline.EnsembleClusterer/metric": lambda s: str(s.rng.choice(["euclidean", "cosine"])),
    "tables.as_graph/data": lambda s: _links(s, signed=False),
    "tables.as_graph/ids": lambda s: range(s.n),
    "tables.read_graph/ids": lambda s: None,
    "tables.open_rows/source": lambda s: s.X,
    "tables.prepare/table": _table,
    "tables.Recipe.apply/table": _table,
    "validate.choose_k/k_range": lambda s: (2, 4),
    "validate.dbcv_index/dim": lambda s: s.d,
    "validate.stability/k_range": lambda s: (2, 3),
    "validate.silhouettes/metric": lambda s: "euclidean",
    "validate.dunn_index/metric": lambda s: "euclidean",
    "validate.silhouette_index/metric": lambda s: "euclidean",
    "validate.neighbor_density_index/metric": lambda s: "euclidean",
    "validate.stability/clusterer": lambda s: None,
    "anonymize.Anonymizer/k": lambda s: 2,
    "references": lambda s: s.names_given(),
    "links": lambda s: [s.rng.integers(s.n, size=2).tolist() for _ in range(s.n // 2)],
    "keys": lambda s: s.labels.tolist(),
    "texts": lambda s: s.names_given(),
    "y_true": lambda s: s.labels,
    "threshold": lambda s: 0.5,
    "relational.CollectiveRelational/candidates": lambda s: s.candidate_rows(),
    "relational.CollectiveRelational/constraints": lambda s: constraints.Constraints(
        s.n, cannot_link=s.pairs(together=False)
    ),
    "relational.CollectiveRelational/evidence": lambda s: str(s.rng.choice(["collective", "pairwise", "attributes"])),
    "relational.CollectiveRelational/similarity": lambda s: str(s.rng.choice(["ngrams", "soft_tfidf", "jaro_winkler"])),
    "relational.CollectiveRelational.resolve_name/name": lambda s: s.names_given()[0],
    "relational.resolve/constraints": lambda s: constraints.Constraints(s.n, cannot_link=s.pairs(together=False)),
    "relational.resolve/data": lambda s: s.frame(),
    "relational.resolve/name": lambda s: "color",
    "similarity.CannotLinkMetric/constraints": lambda s: [(0, s.n - 1)],
    "similarity.CannotLinkMetric/C": lambda s: float(s.rng.choice([0.01, 1.0, np.inf])),
    "similarity.CannotLinkMetric/prior": lambda s: float(s.rng.random()),
    "similarity.CannotLinkMetric/pair_weight": lambda s: None,
    "similarity.CannotLinkMetric/names": lambda s: s.labels.tolist(),
    "similarity.PairwiseKernelClassifier/y": lambda s: s.labels,
    "similarity.PairwiseKernelClassifier/kernel": lambda s: str(s.rng.choice(["rbf", "linear"])),
    "similarity.PairwiseKernelClassifier/n_components": lambda s: None,
    "similarity.PairwiseKernelClassifier/labeled": lambda s: np.ones(s.n, dtype=bool),
    "similarity.PairwiseKernelClassifier/class_weight": lambda s: None,
    "similarity.PairwiseKernelClassifier.predict_proba/loss": lambda s: "logistic",
    "pipeline.cluster/graph": lambda s: None,
    "pipeline.cluster/connected": lambda s: False,
    "report.plot_alternatives/found": _alternatives,
    "alternative.by_name/name": lambda s: str(s.rng.choice(alternative.names())),
    "similarity.by_name/name": lambda s: str(s.rng.choice(similarity.names())),
    "similarity.OnlineMultipleKernel/y": lambda s: s.labels,
    "similarity.OnlineMultipleKernel/C": lambda s: float(s.rng.choice([0.1, 1.0, 100.0])),
    "kernels": lambda s: [None, "linear", ["linear", ("gaussian", {"sigma": 2.0})], ["spline"]][s.rng.integers(4)],
    "sequences": lambda s: [range(s.n // 2), range(s.n // 2, s.n)] if s.n > 1 else [range(s.n)],
    "diagonals": lambda s: None,
    "similarity.AmbiguousPairs/model": _pair_classifier,
    "similarity.AmbiguousPairs/X": lambda s: s.X,
    "report.plot_pairs/model": _pair_classifier,
    "tracks": lambda s: s.labels.tolist(),
    "frames": lambda s: np.arange(s.n) // 2,
    "similarity.majority_vote/labels": Scene.full_vector,
    "max_pairs": lambda s: 20,
    "feature_names": lambda s: None,
    "report.plot_metric/model": _metric,
    "report.plot_kernel_weights/model": lambda s: similarity.MultipleKernelKMeans(2, random_state=0, verbose=False).fit(
        np.random.default_rng(0).normal(size=(8, 2))
    ),
    "compare.cdistance/sample": lambda s: None,
}


# Objects that methods are called on and that no constructor makes.
MADE: dict[str, Callable[[Scene], Any]] = {
    "alternative.Alternatives": _alternatives,
    "consensus.MethodComparison": lambda s: consensus.compare_methods(s.members, 1, methods=["eac"], verbose=False),
    "constrained.CategorySegmentation": _categorized,
    "constrained.FeedbackClusterer": _told,
    "constraints.Answers": _answers,
    "constraints.Closure": lambda s: known(s).closure(),
    "constraints.Question": lambda s: constraints.Question(0, 1, constraints.Answers(max(2, s.n))),
    "pipeline.Clustering": clustering,
    "pipeline.States": _states,
    "relational.Resolution": lambda s: relational.resolve(s.frame(), verbose=False),
    "report.Plots": lambda s: report.Plots(clustering(s)),
    "tables.Recipe": lambda s: tables.prepare(_table(s)).recipe,
    "tables.Rows": lambda s: tables.open_rows(s.X),
    "validate.ConsensusDistribution": lambda s: indices.consensus_distribution(s.members),
}


def parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters that a call gives."""
    return [p for p in inspect.signature(function).parameters.values() if p.name not in ("self", "engine", "options")]


def arguments(function: Callable[..., Any], target: Target, scene: Scene) -> dict[str, Any]:
    """Valid arguments: the required ones, those that cost time, and some of the others."""
    given: dict[str, Any] = {}
    sources = [p.name for p in parameters(function) if p.name in SOURCES]
    chosen = sources and (sources[0] if scene.plain else sources[int(scene.rng.integers(len(sources)))])
    for parameter in parameters(function):
        name, required = parameter.name, parameter.default is inspect.Parameter.empty
        share = 0.0 if scene.plain else 0.25
        if name in SILENT:
            given[name] = SILENT[name]
            continue
        ignored = name == "y" and not required and f"{target.name}/y" not in VALUES
        if ignored or parameter.kind is inspect.Parameter.VAR_KEYWORD:
            continue
        if len(sources) > 1 and name in SOURCES:
            share = 1.0 if name == chosen else 0.0 if scene.plain else 0.02
        elif name in OFTEN or (name, target.room) in NEEDED:
            share = 1.0 if scene.plain else 0.9
        if required or name in EFFORT or name in SEEDS or scene.rng.random() < share:
            given[name] = value(parameter, target, scene)
    return given


def takes_functions(target: Target, name: str) -> bool:
    """Whether functions of the user's are valid values of a parameter."""
    rules = getattr(target.owner, "_parameter_constraints", {}).get(name, ())
    found = [p for called in (target.owner, target.function) if called for p in parameters(called) if p.name == name]
    return (isinstance(rules, list) and callable in rules) or any("Callable" in str(p.annotation) for p in found)


def value(parameter: inspect.Parameter, target: Target, scene: Scene) -> Any:
    """A valid value of a parameter."""
    name = parameter.name
    for whose in (target.name, target.name.rpartition(".")[0], target.room):
        if specific := VALUES.get(f"{whose}/{name}"):
            return specific(scene)
    rules = getattr(target.owner, "_parameter_constraints", {}) if target.kind == "estimator" else {}
    if name in EFFORT:
        return int(scene.rng.integers(*EFFORT[name], endpoint=True))
    if name == "path":
        return _file(scene, target)
    if name in rules and (found := _declared(rules[name], parameter, scene)) is not None:
        return found
    if literals := _literals(parameter.annotation):
        return literals[int(scene.rng.integers(len(literals)))]
    if name in VALUES:
        return VALUES[name](scene)
    default = parameter.default
    if isinstance(default, bool):
        return bool(scene.rng.random() < 0.5)
    if default is not inspect.Parameter.empty:
        return default
    raise LookupError(
        f"the attack has no value for the parameter {name!r} of {target.name}: add it to VALUES in {__file__}"
    )


def instance(target: Target, scene: Scene) -> Any:
    """An object to call a method on: a fitted estimator, or what a constructor or a function makes."""
    name = target.name.rpartition(".")[0]
    if name in MADE:
        return MADE[name](scene)
    maker = calls()[name]
    if maker.kind != "estimator":
        return maker.function(**arguments(maker.function, maker, scene))
    model = maker.owner(**arguments(maker.owner, maker, scene))
    return maker.function(model, **arguments(maker.function, maker, scene)) or model


def _declared(rules: list[Any], parameter: inspect.Parameter, scene: Scene) -> Any:
    """A value that ``_parameter_constraints`` allows; None if the name of the parameter says more."""
    rng = scene.rng
    rule = rules[int(rng.integers(len(rules)))] if isinstance(rules, list) else None
    if isinstance(rule, declared.Options):
        return sorted(rule.options, key=str)[int(rng.integers(len(rule.options)))]
    if rule == "boolean":
        return bool(rng.random() < 0.5)
    if isinstance(rule, declared.Interval) and parameter.name not in VALUES:
        low = 0.0 if rule.left is None else float(rule.left)
        high = low + 3 if rule.right is None else float(rule.right)
        if rule.type is Integral:
            return int(rng.integers(int(low) + (rule.closed in ("right", "neither")), int(high) + 1))
        return float(
            rng.choice([low + (high - low) * f for f in ((0.0, 0.5, 1.0) if rule.closed == "both" else (0.3, 0.7))])
        )
    if parameter.name not in VALUES and parameter.default is not inspect.Parameter.empty:
        return parameter.default
    return None


def _literals(annotation: Any) -> tuple[Any, ...]:
    if typing.get_origin(annotation) is typing.Literal:
        return typing.get_args(annotation)
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        return sum(map(_literals, typing.get_args(annotation)), ())
    return ()
