"""Collective entity resolution: references that are alike and occur with the same entities are of one entity (CR)."""

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from pluribus._engine import real_number, whole_number
from pluribus._kernels.graphs.hyperedge_match import hyperedge_match
from pluribus.relational.entities._blocking import BLOCKINGS, block, canopies
from pluribus.relational.entities._first_clusters import first_clusters
from pluribus.relational.entities._inputs import (
    Candidates,
    Hypergraph,
    as_candidates,
    as_known,
    as_links,
    as_references,
    is_similarity,
    matrix_candidates,
)
from pluribus.relational.entities._merging import LINKAGES, OVERLAPS, merge_all
from pluribus.relational.entities._path import (
    Path,
    PrecisionRecallCurve,
    curve_of_pairs,
    curve_of_path,
    threshold_without_labels,
)
from pluribus.relational.entities._query import around
from pluribus.relational.entities._texts import MEASURES, References, normalize, similarities


class ResolvedName(NamedTuple):
    """The entities behind one name.

    Attributes
    ----------
    references : ndarray of shape (m,)
        Row numbers of the references with the name.
    labels : ndarray of shape (m,)
        Their entities, numbered from the largest.
    n_compared : int
        References that were looked at: these, and those around them.
    """

    references: np.ndarray
    labels: np.ndarray
    n_compared: int


class CollectiveRelational(ClusterMixin, BaseEstimator):
    """Group references by the entity behind them, from their attributes and from whom they occur with.

    References are author names on papers, people in messages, restaurants in guides. Links (hyper-edges) say which of
    them occur together. Clusters merge greedily by

        (1 - alpha) · similarity of their attributes + alpha · overlap of their neighbors,

    where the neighbors of a cluster are the clusters that occur with it. Each merge changes the evidence for its
    neighbors: two "W. Wang" become one person after their co-authors did. References of one link are different
    entities. One run serves every threshold: ``labels_at``.

    Use it when names are ambiguous and links are meaningful. If attributes identify an entity, give no links: then
    clusters merge by attributes alone. Avoid it if links are dense or random, since they mislead.

    From texts, candidate pairs are found by blocking, and compared as vectors of character 3-grams with TF-IDF weights,
    over all columns together and column by column. Rare values, such as phone numbers, count more than frequent ones,
    such as cities, and missing values count nothing.

    Parameters
    ----------
    alpha : float, default=0.5
        Weight of the links, from 0 to 1. Without links (``links=None``) only attributes count.
    threshold : float or "auto", default="auto"
        Merging ends at the first similarity below it. "auto" chooses it where the clusters change least with it: among
        √m consecutive merges of m, the logarithm of the number of pairs in one cluster grows least for the range of
        similarity that the merges span. The √m - 1 most similar merges are left out. Merges are ordered by the lowest
        similarity so far, and those below (1 - alpha) · the smallest candidate similarity do not count. If
        candidates agree best with clusters that hold over three times as many of them, the threshold of these is
        chosen: agreement is the correlation between being together and being similar, within connected blocks of
        candidates. With 0 or less, all candidates merge that may.
    evidence : {"collective", "pairwise", "attributes"}, default="collective"
        The baselines decide each pair by itself, and ``labels_`` are the transitive closure of the decisions.
        "attributes" (A*) uses the attribute similarity. "pairwise" (NR*) also uses how well the other references in
        the links of the two match by their attributes. Both ignore ``linkage``, the bootstrap and ``distinct``.
    linkage : {"mean", "max", "min"}, default="mean"
        Attribute similarity of two clusters: mean over all pairs, of which those that are no candidates count 0;
        largest or smallest of the candidates. "max" lets an entity look different in other company.
    overlap : {"jaccard", "jaccard_multiset", "adar", "common"}, default="jaccard"
        Neighbors in common over all neighbors; counted as often as they occur together; weighted by
        1 / log(1 + number of their neighbors); or the number of common neighbors over 10, at most 1.
    boot_similarity : float or None, default=1.0
        First clusters: candidates at least this similar are joined if they are supported. None for no first clusters.
    boot_links : int, default=1
        Support that this needs: pairs of their co-references, matched one to one, that are as similar. 0 suits
        unambiguous names, 2 very ambiguous ones. Without links only 0 joins anything.
    distinct : bool, default=True
        References of one link are different entities.
    blocking : {"canopies", "names", "neighborhood"} or callable, default="canopies"
        Which pairs are compared: those with a 3-gram cosine of at least ``loose``; those with the same last word and
        first initial in the first column; or neighbors in a window of 10 when sorted. A function takes the frame of
        references and returns pairs of row numbers.
    similarity : {"fields", "ngrams", "soft_tfidf", "jaro_winkler"} or callable, default="fields"
        How pairs are compared: the mean of "ngrams" and of the same for each column, weighted by how rarely it agrees
        by chance; cosine of 3-grams over all columns; soft TF-IDF of words with Jaro-Winkler inside; or Jaro-Winkler of
        each column, weighted in the same way. A function takes the frame and the pairs, and returns numbers from 0 to
        1.
    loose : float, default=0.25
        The lowest cosine in a canopy.
    max_bucket : int, default=1000
        References in one block or canopy above which a warning is given.
    verbose : bool, default=True
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Entities are numbered from the largest.
    n_clusters_ : int
    threshold_ : float
        The one that was given or chosen.
    merges_ : pandas.DataFrame
        All merges down to the last candidate, in order: ``similarity``, its parts ``attributes`` and ``overlap``, the
        ids of the two clusters ``a`` and ``b`` and of the ``merged`` one, and the most similar references ``i`` and
        ``j`` between both. A first cluster has the id of its smallest reference, the t-th merged one n + t.
    first_labels_ : ndarray of shape (n,)
        The smallest reference of each reference's cluster before the first merge.
    candidates_ : Candidates
        The pairs that were compared, and their similarities.
    together_ : ndarray of shape (p, 2)
        Row numbers of references in a common link, i < j.
    bootstrap_ : Candidates
        Those that made first clusters.
    n_bootstrap_refused_ : int
        Candidates that the bootstrap would have joined, against a cannot-link.

    References
    ----------
    Bhattacharya and Getoor, "Collective entity resolution in relational data", TKDD 1(1), 2007; "Collective relational
    clustering", chapter 10 of Constrained Clustering, 2008.

    Examples
    --------
    >>> from pluribus.relational import CollectiveRelational
    >>> names = ["W. Wang", "C. Chen", "A. Ansari", "W. Wang", "A. Ansari", "L. Li", "Q. Zhou", "W. Wang"]
    >>> papers = [[0, 1, 2], [3, 4], [5, 6, 7]]
    >>> model = CollectiveRelational(threshold=0.6, verbose=False).fit(names, links=papers)
    >>> model.labels_.tolist()
    [0, 2, 1, 0, 1, 3, 4, 5]
    >>> model.labels_at(0.4).tolist()  # one run serves every threshold
    [0, 2, 1, 0, 1, 3, 4, 0]
    """

    known_as = {"cr": {}, "er-attributes": {"evidence": "attributes"}, "er-pairwise": {"evidence": "pairwise"}}
    suits = "References such as names, some ambiguous, and links between those that occur together."

    _parameter_constraints: dict = {
        "alpha": [Interval(Real, 0, 1, closed="both")],
        "threshold": [Interval(Real, None, None, closed="neither"), StrOptions({"auto"})],
        "evidence": [StrOptions({"collective", "pairwise", "attributes"})],
        "linkage": [StrOptions(set(LINKAGES))],
        "overlap": [StrOptions(set(OVERLAPS))],
        "boot_similarity": [Interval(Real, 0, 1, closed="both"), None],
        "boot_links": [Interval(Integral, 0, None, closed="left")],
        "distinct": ["boolean"],
        "blocking": [StrOptions(set(BLOCKINGS)), callable],
        "similarity": [StrOptions(set(MEASURES)), callable],
        "loose": [Interval(Real, 0.01, 1, closed="both")],
        "max_bucket": [Interval(Integral, 1, None, closed="left")],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        alpha: float = 0.5,
        threshold: float | str = "auto",
        *,
        evidence: str = "collective",
        linkage: str = "mean",
        overlap: str = "jaccard",
        boot_similarity: float | None = 1.0,
        boot_links: int = 1,
        distinct: bool = True,
        blocking: str | Callable[..., Any] = "canopies",
        similarity: str | Callable[..., Any] = "fields",
        loose: float = 0.25,
        max_bucket: int = 1000,
        verbose: bool = True,
    ) -> None:
        self.alpha = alpha
        self.threshold = threshold
        self.evidence = evidence
        self.linkage = linkage
        self.overlap = overlap
        self.boot_similarity = boot_similarity
        self.boot_links = boot_links
        self.distinct = distinct
        self.blocking = blocking
        self.similarity = similarity
        self.loose = loose
        self.max_bucket = max_bucket
        self.verbose = verbose

    def fit(
        self, references: Any, y: Any = None, *, links: Any = None, candidates: Any = None, constraints: Any = None
    ) -> "CollectiveRelational":
        """Find the entities.

        Parameters
        ----------
        references : sequence of n texts, data frame of n rows, or sparse n × n matrix
            Names; attributes in several columns; or similarities of candidate pairs, from 0 to 1.
        y : ignored
        links : list of lists of row numbers, sparse matrix (links × references), or frame of two columns, optional
            References that occur together. A frame has the name of the link and the row number of a reference.
        candidates : array of rows (i, j, similarity), or sparse n × n matrix, optional
            The pairs to compare, instead of blocking and similarities from texts. Others are never merged directly.
        constraints : Constraints, optional
            Must-links and cannot-links.
        """
        self._validate_params()
        found, n = self._candidates(references, candidates)
        edges = as_links([] if links is None else links, n)
        collective = self.evidence == "collective"
        alpha = float(self.alpha) if collective and links is not None else 0.0
        known = as_known(constraints, n)
        if self.evidence == "pairwise":
            found = self._with_matches(found, edges)  # eq. (10.1)
        distinct = bool(self.distinct) and collective
        boot_similarity = self.boot_similarity if collective else None
        start = first_clusters(found, edges, known, boot_similarity, int(self.boot_links), distinct)
        similarity, ids, best = merge_all(
            start.first,
            found,
            edges,
            known,
            alpha=alpha,  # eq. (10.2)
            linkage=self.linkage if collective else "max",
            overlap=self.overlap,
            distinct=distinct,
            verbose=self.verbose,
        )
        self.candidates_, self.together_ = found, edges.pairs
        self.n_bootstrap_refused_ = start.n_refused
        self.bootstrap_ = Candidates(found.pairs[start.joined], found.similarity[start.joined])
        self._set_merges(Path(start.first, similarity[:, 0], ids), similarity, found.pairs[best])
        self._set_labels(alpha)
        return self

    def _candidates(self, references: Any, candidates: Any) -> tuple[Candidates, int]:
        """Candidate pairs with their similarities, and the number of references."""
        if is_similarity(references):
            if candidates is not None:
                raise ValueError(
                    "references is a matrix of similarities, so candidates must be None: give one of them."
                )
            return matrix_candidates(references)
        given = as_references(references)
        if candidates is not None:
            return as_candidates(candidates, len(given)), len(given)
        if self.blocking == "canopies" and self._is_cosine(given):
            return Candidates(*canopies(given.vectors, self.loose, self.max_bucket, verbose=self.verbose)), len(given)
        pairs = block(given, self.blocking, self.loose, self.max_bucket, self.verbose)
        similarity = similarities(given, pairs, self.similarity)
        return Candidates(pairs[similarity > 0], similarity[similarity > 0]), len(given)

    def _is_cosine(self, given: References) -> bool:
        """Whether pairs are compared by the cosines that canopies know."""
        return self.similarity == "ngrams" or (self.similarity == "fields" and len(given.columns) == 1)

    def _with_matches(self, found: Candidates, edges: Hypergraph) -> Candidates:
        arrays = (edges.of.indptr, edges.of.indices, edges.members.indptr, edges.members.indices)
        whole = [array.astype(np.int64) for array in arrays]
        match = hyperedge_match(edges.of.shape[0], found.pairs, found.similarity, *whole)
        return Candidates(found.pairs, (1 - self.alpha) * found.similarity + self.alpha * match)

    def _set_merges(self, path: Path, parts: np.ndarray, best: np.ndarray) -> None:
        self._path = path
        self.first_labels_ = path.first
        rows = np.column_stack([path.ids, best])
        self.merges_ = pd.DataFrame(rows, columns=["a", "b", "merged", "i", "j"])
        for place, name in enumerate(("similarity", "attributes", "overlap")):
            self.merges_.insert(place, name, parts[:, place])

    def _set_labels(self, alpha: float) -> None:
        """Cut the path; below the similarity of the least similar candidate it says nothing about candidates."""
        floor = (1 - alpha) * self.candidates_.similarity.min(initial=1.0)
        chosen = self.threshold == "auto"
        self.threshold_ = (
            threshold_without_labels(self._path, self.candidates_, floor) if chosen else float(self.threshold)
        )
        self.labels_ = self.labels_at(self.threshold_)
        self.n_clusters_ = int(self.labels_.max(initial=-1)) + 1

    def labels_at(self, threshold: float) -> np.ndarray:
        """The entities at another threshold: those after the merges before the first similarity below it.

        Examples
        --------
        >>> from pluribus.relational import CollectiveRelational
        >>> names = ["Ann Lee", "Anne Lee", "Bob Ray", "Bob Ray"]
        >>> model = CollectiveRelational(verbose=False).fit(names)
        >>> model.labels_at(0.99).tolist()
        [1, 2, 0, 0]
        """
        check_is_fitted(self, "merges_")
        at = real_number("threshold", threshold, -np.inf, np.inf)
        return self._path.labels_after(self._path.n_merges_at(at))

    def pairs_at(self, threshold: float) -> np.ndarray:
        """The candidate pairs at least this similar, without transitive closure: the decisions of A, or of NR.

        Examples
        --------
        >>> from pluribus.relational import by_name
        >>> names = ["Ann Lee", "Anne Lee", "Bob Ray", "Bob Ray"]
        >>> by_name("er-attributes")(verbose=False).fit(names).pairs_at(0.99).tolist()
        [[2, 3]]
        """
        check_is_fitted(self, "merges_")
        at = real_number("threshold", threshold, -np.inf, np.inf)
        return self.candidates_.pairs[self.candidates_.similarity >= at - 1e-12]

    def precision_recall_curve(self, y_true: Any, *, closure: bool = True) -> PrecisionRecallCurve:
        """Pairwise precision, recall and F1 against the true entities, at every threshold.

        Parameters
        ----------
        y_true : sequence of length n
            The entity of each reference. References with -1, None or NaN do not count.
        closure : bool, default=True
            False scores the decisions on candidate pairs, which are not a partition (A and NR).

        Examples
        --------
        >>> from pluribus.relational import CollectiveRelational
        >>> model = CollectiveRelational(verbose=False).fit(["Ann Lee", "Anne Lee", "Bob Ray", "Bob Ray"])
        >>> curve = model.precision_recall_curve(["a", "a", "b", "b"])
        >>> curve.f1.round(2).tolist()
        [0.0, 0.67, 1.0]
        """
        check_is_fitted(self, "merges_")
        if closure:
            return curve_of_path(self._path, y_true)
        return curve_of_pairs(*self.candidates_, y_true, len(self.first_labels_))

    def resolve_name(
        self,
        name: str,
        references: Any,
        *,
        links: Any = None,
        candidates: Any = None,
        level: int = 1,
    ) -> ResolvedName:
        """Find the entities behind one name, looking only at the references around it.

        References with the name, and those similar to them, are extended ``level`` times: by the references that they
        occur with, and by those that are similar to these. Only these are resolved. The model need not be fitted.

        Parameters
        ----------
        name : str
            The first column is searched. Case, accents and punctuation do not matter.
        references, links, candidates
            As for ``fit``; references are texts or a frame.
        level : int, default=1
            1 gives nearly all that more would.

        Examples
        --------
        >>> from pluribus.relational import CollectiveRelational
        >>> names = ["W. Wang", "C. Chen", "A. Ansari", "W. Wang", "A. Ansari", "L. Li", "Q. Zhou", "W. Wang"]
        >>> model = CollectiveRelational(threshold=0.6, verbose=False)
        >>> model.resolve_name("w wang", names, links=[[0, 1, 2], [3, 4], [5, 6, 7]]).labels.tolist()
        [0, 0, 1]
        """
        self._validate_params()
        depth = whole_number("level", level, 0)
        if not isinstance(name, str):
            raise ValueError(f"name={name!r:.100}: give a text.")
        if is_similarity(references):
            raise ValueError("references is a matrix of similarities, which have no names: give texts or a frame.")
        given = as_references(references)
        edges = as_links([] if links is None else links, len(given))
        seeds = np.flatnonzero(given.columns[0] == normalize(name))
        if not len(seeds):
            raise ValueError(f"No reference is called {name!r:.100}: give a name as it is in the first column.")
        known = None if candidates is None else as_candidates(candidates, len(given))
        chosen, pairs = around(seeds, edges, lambda rows: self._candidates_of(rows, given, known), depth)
        members = None if links is None else edges.members[:, chosen]
        model = clone(self).fit(given.texts[chosen].tolist(), links=members, candidates=pairs)
        labels = pd.factorize(model.labels_[np.searchsorted(chosen, seeds)], sort=True)[0]
        return ResolvedName(seeds, labels, len(chosen))

    def _candidates_of(self, rows: np.ndarray, given: References, known: Candidates | None) -> Candidates:
        """The candidates of some references."""
        if known is None and self.blocking == "canopies":
            pairs, cosines = canopies(given.vectors, self.loose, self.max_bucket, rows=rows, verbose=False)
            if self._is_cosine(given):
                return Candidates(pairs, cosines)
        elif known is None:
            pairs = block(given, self.blocking, self.loose, self.max_bucket, False)
        else:
            pairs = known.pairs
        touched = np.isin(pairs, rows).any(axis=1)
        if known is not None:
            return Candidates(pairs[touched], known.similarity[touched])
        similarity = similarities(given, pairs[touched], self.similarity)
        return Candidates(pairs[touched][similarity > 0], similarity[similarity > 0])
