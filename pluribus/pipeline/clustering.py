"""The result of the whole walk: labels, how sure they are, and all that can be done with them."""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pandas as pd
import scipy
import sklearn
from scipy import sparse

from pluribus._engine import whole_number
from pluribus.consensus import MethodComparison
from pluribus.constraints import Constraints
from pluribus.partitions import Ensemble
from pluribus.pipeline._coordinates import principal_coordinates
from pluribus.pipeline._data import Data, features_of
from pluribus.pipeline._headline import headline, is_ambiguous, runner_up, verdict_reason
from pluribus.pipeline._k_choice import KOpinion, found_by, second_opinion, support_by_k
from pluribus.pipeline._nearest_rows import NearestRows
from pluribus.pipeline._request import plain
from pluribus.pipeline.candidates.k_ladder import KLadder
from pluribus.pipeline.merge_record import MergeRecord
from pluribus.tables import Recipe

MOST_MEMBERSHIPS = 50  # columns of memberships in a frame
RUNNING = ("verbose", "n_jobs", "checkpoint", "engine", "memory_limit")  # options that say how to run, not what to find
SHOWN = 15  # clusters in a summary
VERDICTS = ("clusters", "undecided", "none", "")


@dataclass(frozen=True, eq=False, repr=False)
class Clustering:
    """What ``pluribus.cluster`` and ``pluribus.combine`` return.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        Clusters are numbered from 0, -1 is not clustered.
    membership : ndarray of shape (n, n_clusters)
    uncertainty : ndarray of shape (n,)
        Normalized entropy of the memberships, 0 to 1.
    ids : ndarray of n texts
    ensemble : Ensemble
        The clusterings that were combined.
    method : str
        The class of the consensus function or constrained method.
    reasons : tuple of str
        Each choice that was made by default, in a sentence.
    notes : tuple of str
        All that was noted on the way: columns, choices, warnings; the reasons among them.
    parameters : dict
        The options of the call.
    k_chosen_by : str
        How the number of clusters was found, in words.
    verdict : {"clusters", "undecided", "none", ""}
        Whether there are clusters at all, by :func:`pluribus.validate.find_structure`; empty if it was not asked.
    ladder : KLadder or None
        The numbers of clusters that are worth a look, if the number was found among candidates; see ``cut``.
    reproducibility : ndarray of shape (n_clusters,) or None
        How well each cluster is found again in other samples: a mean Jaccard index, 0 to 1.
    linkage : ndarray of shape (n - 1, 4) or None
        The dendrogram of the objects, if the method has one.
    k_support : ndarray or None
        At index k, how strongly the evidence suggests k clusters, if the method knows that.
    k_choice : KOpinion or None
        The vote on the number of clusters, if there was one.
    constraints : Constraints or None
    methods : MethodComparison or None
        All consensus functions, if ``method="all"``.
    merges : MergeRecord or None
        The merges with the test behind each, if the method makes such tests.
    coordinates : ndarray of shape (n, 2) or None
        Principal coordinates, if distances were clustered.
    graph : csr_array of shape (n, n) or None
        The links between the objects, if clusters are connected.
    other_than : data frame or None
        The known partitions that the result is to differ from, a column for each.
    features, feature_names, frame : array or None, tuple of str, data frame or None
        What was clustered: the numbers (by the cosine, rows of length 1), and the columns they were made from.
    combined : bool
        Whether the result was made from the ensemble; else the ensemble is only compared with it.
    seconds : float
    versions : dict
        Of the packages that a result depends on.

    Examples
    --------
    >>> import pluribus
    >>> result = pluribus.combine([[0, 0, 1, 1, 1], [0, 0, 1, 1, 1], [0, 0, 0, 1, 1]], verbose=False)
    >>> result.n_clusters, result.clusters["size"].tolist()
    (2, [3, 2])
    >>> result.to_frame()[["id", "cluster"]].values.tolist()
    [['0', 1], ['1', 1], ['2', 0], ['3', 0], ['4', 0]]
    """

    labels: np.ndarray
    membership: np.ndarray
    uncertainty: np.ndarray
    ids: np.ndarray
    ensemble: Ensemble
    title: str
    method: str
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    k_chosen_by: str = "given"
    verdict: str = ""
    ladder: KLadder | None = None
    reproducibility: np.ndarray | None = None
    linkage: np.ndarray | None = None
    k_support: np.ndarray | None = None
    k_choice: KOpinion | None = None
    constraints: Constraints | None = None
    methods: MethodComparison | None = None
    merges: MergeRecord | None = None
    coordinates: np.ndarray | None = None
    graph: sparse.csr_array | None = None
    other_than: pd.DataFrame | None = None
    features: Any = None
    feature_names: tuple[str, ...] = ()
    frame: pd.DataFrame | None = None
    recipe: Recipe | None = None
    id_column: str | None = None
    neighbors: NearestRows | None = None
    combined: bool = True
    seconds: float = 0.0
    versions: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        model: Any,
        data: Data,
        *,
        constraints: Constraints | None,
        graph: sparse.csr_array | None = None,
        other_than: pd.DataFrame | None = None,
        notes: Sequence[str],
        parameters: Mapping[str, Any],
        seconds: float,
    ) -> "Clustering":
        """The result of a fitted model: an ``EnsembleClusterer``, a single method, or a combination of labels."""
        consensus, ladder = model.consensus_, getattr(model, "k_ladder_", None)
        chosen_by = consensus if model.k_choice_ is None else model.k_choice_.consensus
        return cls(
            labels=model.labels_,
            membership=model.membership_,
            uncertainty=model.uncertainty_,
            ids=data.ids,
            ensemble=Ensemble(model.ensemble_, ids=data.ids),
            title=data.title,
            method=type(consensus).__name__,
            reasons=tuple(model.reasons_),
            notes=tuple(notes),
            parameters=plain(parameters),
            k_chosen_by=found_by(chosen_by, ladder, model) if parameters["k"] is None else "given",
            verdict=getattr(model, "verdict_", None) or "",
            ladder=ladder,
            reproducibility=getattr(model, "reproducibility_", None),
            linkage=getattr(consensus, "linkage_", None),
            k_support=support_by_k(getattr(model, "k_evidence_", consensus), ladder),
            k_choice=None if model.k_choice_ is None else KOpinion.of(model.k_choice_),
            constraints=constraints,
            methods=getattr(model, "methods_", None),
            merges=getattr(model, "merge_record_", None),
            coordinates=principal_coordinates(data.X) if data.distances else None,
            graph=graph,
            other_than=other_than,
            features=None if data.in_parts or data.distances else data.X,
            feature_names=data.feature_names,
            frame=data.frame,
            recipe=data.recipe,
            id_column=data.id_column,
            neighbors=_neighbors(model, data, parameters["seed"]),
            combined=getattr(model, "combines", True),
            seconds=seconds,
            versions=versions(),
        )

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return int(np.max(self.labels, initial=-1)) + 1

    @property
    def metric(self) -> str:
        """By which rows were compared: "euclidean" or "cosine"."""
        return str(self.parameters.get("metric", "euclidean"))

    @property
    def clusters(self) -> pd.DataFrame:
        """A row for each cluster: size, share of all objects, mean uncertainty and, if known, reproducibility."""
        k, inside = self.n_clusters, self.labels >= 0
        sizes = np.bincount(self.labels[inside], minlength=k)
        total = np.bincount(self.labels[inside], weights=self.uncertainty[inside], minlength=k)
        mean = np.divide(total, sizes, out=np.zeros(k), where=sizes > 0)
        again = {} if self.reproducibility is None else {"reproducibility": self.reproducibility[:k]}
        return pd.DataFrame({"size": sizes, "share": sizes / len(self.labels), "uncertainty": mean} | again)

    @property
    def mean_uncertainty(self) -> float:
        """Mean uncertainty of the objects that are in a cluster."""
        inside = self.labels >= 0
        return float(self.uncertainty[inside].mean()) if inside.any() else 0.0

    @cached_property
    def headline(self) -> str:
        """The result in one sentence: whether there are clusters, how many, how clear they are, and what is next best.

        Examples
        --------
        >>> import pluribus
        >>> pluribus.combine([[0, 0, 1, 1, 1], [0, 0, 1, 1, 1]], 2, verbose=False).headline
        '2 clusters of 5 objects, clearly assigned'
        """
        own, _, other = runner_up(self.labels, self.membership, self.n_clusters)
        inside = self.labels >= 0
        ambiguous = is_ambiguous(own, other, self.uncertainty) & inside
        return headline(
            n_objects=len(self.labels),
            sizes=self.clusters["size"].to_numpy(),
            n_members=len(self.ensemble),
            given=self.k_chosen_by == "given",
            verdict=self.verdict,
            reason=verdict_reason(self.reasons),
            share_clear=1 - ambiguous.sum() / max(1, inside.sum()),
            reproducibility=None if self.reproducibility is None else self.reproducibility[: self.n_clusters],
            ladder=self.ladder,
        )

    @cached_property
    def k_opinion(self) -> tuple[KOpinion | None, str]:
        """What ``choose_k`` says of the number of clusters, or why it says nothing: the vote, or a second opinion."""
        if self.k_choice is not None:
            return self.k_choice, ""
        if self.k_chosen_by == "given" or self.other_than is not None or self.ladder is not None:
            return None, ""
        return second_opinion(self.labels, self.ensemble, self.features, self.parameters.get("seed"))

    def summary(self) -> str:
        """The result in a few lines of text.

        Examples
        --------
        >>> import pluribus
        >>> print(pluribus.combine([[0, 0, 1, 1, 1], [0, 0, 1, 1, 1]], 2, verbose=False).summary())
        2 clusters of 5 objects, clearly assigned
        cluster  objects  share  mean uncertainty
              0        3    60%              0.00
              1        2    40%              0.00
        """
        titles, rows = table_of(self)
        lines = [self.headline, "  ".join(titles)]
        lines += ["  ".join(cell.rjust(len(title)) for cell, title in zip(row, titles, strict=True)) for row in rows]
        if self.n_clusters > SHOWN:
            lines.append(f"… and {self.n_clusters - SHOWN} smaller clusters.")
        if n_left := int((self.labels < 0).sum()):
            lines.append(f"{n_left:,} objects are not clustered.")
        return "\n".join([*lines, *self.reasons])

    def to_frame(self) -> pd.DataFrame:
        """A row for each object: id, cluster, uncertainty, membership in its cluster, and in each (up to 50)."""
        first = {"id": self.ids, "cluster": self.labels, "uncertainty": self.uncertainty}
        return pd.DataFrame(first | membership_columns(self.labels, self.membership))

    def cut(self, n_clusters: int) -> np.ndarray:
        """The labels at another level of ``ladder``.

        Parameters
        ----------
        n_clusters : int
            That of the result, of a level, or 1.
        """
        n_clusters = whole_number("n_clusters", n_clusters, 1)
        if n_clusters == self.n_clusters:
            return self.labels.copy()
        if n_clusters == 1:
            return np.zeros_like(self.labels)
        levels = {} if self.ladder is None else {rung.n_clusters: rung.labels for rung in self.ladder.rungs}
        if n_clusters not in levels:
            there = f"levels are {', '.join(map(str, levels))}" if levels else "there are no other levels"
            raise ValueError(f"n_clusters={n_clusters}: {there}. Cluster the data again with k={n_clusters}.")
        return levels[n_clusters].copy()

    def predict(self, new: Any) -> np.ndarray:
        """The cluster of new rows: that of their nearest rows, nearer ones counting for more.

        Bounds on sizes and noise do not apply to new rows.

        Parameters
        ----------
        new : path, data frame or array with the columns that were clustered
            They are prepared in the same way: same scaling, same categories, same values for gaps.
        """
        return self._searched().predict(features_of(new, self.recipe, self._n_features, self.metric))

    def predict_proba(self, new: Any) -> np.ndarray:
        """The memberships of new rows: the mean of those of their nearest rows, nearer ones counting for more.

        Parameters
        ----------
        new : see ``predict``
        """
        return self._searched().predict_proba(features_of(new, self.recipe, self._n_features, self.metric))

    def report(self, path: str | PathLike[str]) -> Path:
        """Write the report, one HTML file that opens offline; a file at this path is replaced."""
        return _drawing().write_report(self, path)

    @property
    def plot(self) -> Any:
        """Figures: ``plot.map()``, ``plot.evidence()``, ``plot.k()``, ``plot.sizes()``, ``plot.profiles()``."""
        return _drawing().Plots(self)

    def studio(self, **how: Any) -> None:
        """Open the studio on this result, until it is interrupted; see ``pluribus.studio.open_studio``."""
        import_module("pluribus.studio").open_studio(self, **how)

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the result to one file of arrays and JSON, which ``pluribus.load`` reads; a file there is replaced."""
        from pluribus.pipeline._archive import save

        return save(self, Path(path))

    @property
    def _n_features(self) -> int:
        return self._searched().rows.shape[1]

    def _searched(self) -> NearestRows:
        if self.neighbors is None:
            raise ValueError(
                "This result was combined from labels alone, or made from distances alone: there are no rows to "
                "compare new ones with. Use pluribus.cluster with the data."
            )
        return self.neighbors

    def __repr__(self) -> str:
        return f"Clustering({self.headline})"

    def _repr_html_(self) -> str:
        """A card for notebooks; all text of the user is escaped."""
        titles, rows = table_of(self)
        head = "".join(f"<th>{title}</th>" for title in titles)
        body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
        more = f"<p>… and {self.n_clusters - SHOWN} smaller clusters</p>" if self.n_clusters > SHOWN else ""
        why = "".join(f"<li>{escape(reason)}</li>" for reason in self.reasons)
        return (
            f"<div><b>{escape(self.title)}</b>: {escape(self.headline)}<table><tr>{head}</tr>{body}</table>{more}"
            f"<ul>{why}</ul></div>"
        )


def table_of(result: Clustering) -> tuple[list[str], list[list[str]]]:
    """The table of clusters that summaries show: titles, and a row of text for each of the first clusters."""
    titles = ["cluster", "objects", "share", "mean uncertainty"]
    shown = result.clusters.head(SHOWN)
    rows = [
        [str(cluster), f"{row.size:,}", f"{row.share:.0%}", f"{row.uncertainty:.2f}"]
        for cluster, row in enumerate(shown.itertuples())
    ]
    if result.reproducibility is not None:
        titles.append("found again")
        for row, again in zip(rows, shown["reproducibility"], strict=True):
            row.append("" if np.isnan(again) else f"{again:.2f}")
    return titles, rows


def membership_columns(labels: np.ndarray, membership: np.ndarray) -> dict[str, np.ndarray]:
    """Columns of a frame: the membership of each object in its cluster and, if there are at most 50, in each."""
    own = np.where(labels >= 0, membership[np.arange(len(labels)), labels], np.nan)
    each = membership.T if membership.shape[1] <= MOST_MEMBERSHIPS else ()
    return {"membership": own} | {f"membership_{j}": column for j, column in enumerate(each)}


def versions() -> dict[str, str]:
    """The versions that a result depends on."""
    return {
        "pluribus": import_module("pluribus").__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
        "numba": numba.__version__,
    }


def _neighbors(model: Any, data: Data, seed: int) -> NearestRows | None:
    """The rows that new ones are compared with: those of the model, if it keeps some."""
    if data.X is None or data.distances:
        return None
    kept = getattr(model, "_nearest", None)
    return kept or NearestRows(data.X, model.consensus_.labels_, model.membership_, seed)


def _drawing() -> Any:
    """The room that draws: it lies above this one, and is asked for by name when somebody wants to look."""
    return import_module("pluribus.report")
