"""Categories of documents that start from labels (supervised clustering, TClus)."""

import warnings
from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from pluribus._engine import track, whole_number
from pluribus.constrained._shared.base import checked_weights
from pluribus.constrained._shared.counts import check_counts, term_names
from pluribus.constrained.categories._labels import known_labels
from pluribus.constrained.categories._passes import Pass, Schedule
from pluribus.constrained.categories._seeds import DAMPING, Documents
from pluribus.constrained.categories._segments import Segments
from pluribus.constrained.categories._terms import gini_index, weighted_terms
from pluribus.constraints import Constraints
from pluribus.tables._internal import check_new_scale, check_scale, counted, listing, refuse_annotated, without_repeats


class CategorySegmentation(BaseEstimator):
    """Turn a rough labeling of documents into categories that can be told apart (supervised clustering, TClus).

    Each class gives a seed, the sum of its damped term counts. Documents then move to the seed with the largest
    cosine, seeds become the sums of their documents and keep only their heaviest words, seeds that are almost equal are
    merged, and small ones are dropped. In each pass seeds keep fewer words, from ``words_start`` down to
    ``words_end``. Labels choose the words and the first seeds; after that documents go where they fit.

    A category is a list of weighted words. The cosine that made the categories assigns new documents (``predict``), and
    ``rank`` names the best few: if two cosines are close, the categories are compared on the words that only one of
    them has.

    Use it to clean a taxonomy with wrong, overlapping or tiny classes, or if the set of categories is open to
    negotiation. To predict the given labels as they are, use a classifier: it agrees with them more often.

    Parameters
    ----------
    words_start, words_end : int
        Words in a seed, at first and in the last pass.
    theta : float
        In each pass the number of words is multiplied by it, in (0, 1]. With 1 it stays at ``words_start``, and
        ``max_iter`` is needed.
    merge_threshold : float
        Seeds with a larger cosine are merged, and so are chains of them.
    min_docs : int
        Categories with fewer documents are dropped, and their documents join others.
    min_df : int
        Words in fewer documents are not used.
    gini_drop : float
        This share of the other words is not used: those that are spread most evenly over the classes.
    gini_max : float, optional
        Instead of a share, drop words with a larger Gini index.
    outlier_threshold : float
        Documents whose largest cosine is smaller leave for good; 0 keeps all.
    damping : {"sqrt", "log1p", "clip", "none"}
        Function of the counts of a document in the sum of a seed; "clip" is min(count, 1).
    idf : bool
        Multiply counts by log(n / document frequency).
    domination_threshold : float
        Two categories are compared on their own words if their cosines do not differ by more.
    converge : bool
        Continue with ``words_end`` words until no document moves.
    max_iter : int, optional
        Passes, at most. By default as many as it takes to get to ``words_end``.
    n_jobs : int, optional
        Threads; the result does not depend on it.
    verbose : bool
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        The category of each document; -1 for outliers and for documents without any word of a category. Categories
        are in the order of the classes that they started from.
    n_clusters_ : int
        Number of categories.
    classes_ : ndarray
        The labels, sorted.
    category_of_class_ : ndarray of shape (n_classes,)
        The category that each class became, by merging or alone; -1 if it was dropped.
    names_ : list of str
        The classes that each category started from, joined by " + ".
    seed_origin_ : ndarray of shape (n_clusters_, n_classes)
        How many documents of each class each category has.
    moved_ : ndarray of bool, shape (n,)
        Documents whose label may be wrong: they are not in the category of their class.
    seeds_ : csr_array of shape (n_clusters_, d)
        The weights of the words of each category.
    cluster_sizes_ : ndarray of shape (n_clusters_,)
    gini_ : ndarray of shape (d,)
        Normalized Gini index of each word, 0 if it has one class; NaN for words of no labeled document.
    feature_mask_ : ndarray of bool, shape (d,)
        The words in use.
    history_ : list of Pass
        For each pass: ``words``, categories ``before``, ``merged`` and ``kept``, ``outliers``, ``changed`` labels.
    n_iter_ : int
        Number of passes.

    References
    ----------
    Aggarwal, Gates and Yu, "On supervised clustering for creating categorization segmentations", chapter 7 of Basu,
    Davidson and Wagstaff (eds.), *Constrained Clustering*, 2009.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from pluribus.constrained import CategorySegmentation
    >>> texts = ["red wine", "white wine", "wine cellar", "ski slope", "snow ski", "red wine cellar"]
    >>> X = (words := CountVectorizer()).fit_transform(texts)
    >>> model = CategorySegmentation(min_df=1, min_docs=1, gini_drop=0, verbose=False)
    >>> model.fit(X, ["wine", "wine", "wine", "ski", "ski", "ski"]).labels_.tolist()
    [1, 1, 1, 0, 0, 1]
    >>> model.moved_.nonzero()[0].tolist()
    [5]
    >>> model.names_, model.top_terms(2, words.get_feature_names_out())
    (['ski', 'wine'], [['ski', 'slope'], ['wine', 'cellar']])
    >>> model.rank(words.transform(["white snow"]), k=2).tolist()
    [[0, 1]]
    """

    known_as: dict = {"tclus": {}}
    suits = "Documents with rough labels: categories that may leave them, merge, or disappear."

    _parameter_constraints: dict = {
        "words_start": [Interval(Integral, 1, None, closed="left")],
        "words_end": [Interval(Integral, 1, None, closed="left")],
        "theta": [Interval(Real, 0, 1, closed="right")],
        "merge_threshold": [Interval(Real, 0, 1, closed="both")],
        "min_docs": [Interval(Integral, 0, None, closed="left")],
        "min_df": [Interval(Integral, 0, None, closed="left")],
        "gini_drop": [Interval(Real, 0, 1, closed="left")],
        "gini_max": [Interval(Real, 0, 1, closed="both"), None],
        "outlier_threshold": [Interval(Real, 0, 1, closed="both")],
        "damping": [StrOptions(set(DAMPING))],
        "idf": ["boolean"],
        "domination_threshold": [Interval(Real, -1, 1, closed="both")],
        "converge": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        *,
        words_start: int = 500,
        words_end: int = 200,
        theta: float = 0.7,
        merge_threshold: float = 0.95,
        min_docs: int = 8,
        min_df: int = 7,
        gini_drop: float = 0.115,
        gini_max: float | None = None,
        outlier_threshold: float = 0.0,
        damping: Literal["sqrt", "log1p", "clip", "none"] = "sqrt",
        idf: bool = False,
        domination_threshold: float = 0.025,
        converge: bool = False,
        max_iter: int | None = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.words_start = words_start
        self.words_end = words_end
        self.theta = theta
        self.merge_threshold = merge_threshold
        self.min_docs = min_docs
        self.min_df = min_df
        self.gini_drop = gini_drop
        self.gini_max = gini_max
        self.outlier_threshold = outlier_threshold
        self.damping = damping
        self.idf = idf
        self.domination_threshold = domination_threshold
        self.converge = converge
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, constraints: Constraints | None = None, sample_weight: Any = None) -> Self:
        """Find the categories.

        Parameters
        ----------
        X : sparse matrix, array or data frame of shape (n, d)
            Counts of terms.
        y : sequence of length n
            The label of each document: any hashable. -1, None or NaN where there is none: these documents do not take
            part in the choice of words and in the first seeds.
        constraints : Constraints, optional
            Known labels, in place of y. Documents may leave them all the same.
        sample_weight : array of shape (n,), optional
            How much each document counts in the seeds.
        """
        self._validate_params()
        schedule = Schedule(self.words_start, self.words_end, self.theta, self.max_iter, self.converge)
        schedule.check()
        X = self._checked_counts(X, reset=True)
        self.classes_, known = known_labels(y, constraints, X.shape[0])
        weights = checked_weights(sample_weight, X)
        self._warn_of_small_classes(known)
        self.gini_ = gini_index(X, known, len(self.classes_))
        how = self.min_df, self.gini_drop, self.gini_max
        self.feature_mask_, self._term_weights = weighted_terms(X, self.gini_, *how, idf=self.idf)

        segments = Segments(self._documents(X, weights), known, len(self.classes_))
        segments.project(self.words_start)  # the seeds of the classes
        last_words = self.words_start
        self.history_: list[Pass] = []
        for words in track(schedule.words(), "passes", verbose=self.verbose):
            before = len(segments)
            changed = segments.assign(self.outlier_threshold)
            if self.converge and changed == 0 and last_words == schedule.last:
                break
            segments.project(words)
            segments.merge(self.merge_threshold, words)
            merged = len(segments)
            segments.kill(self.min_docs)
            outliers = int(segments.is_outlier.sum())
            self.history_.append(Pass(words, before, merged, len(segments), outliers, changed))
            if len(segments) == 0:
                raise ValueError(
                    f"no category has min_docs={self.min_docs} documents in pass {len(self.history_)}: lower min_docs."
                )
            last_words = words
        else:
            if self.converge:
                warnings.warn(
                    f"documents still moved after {len(self.history_)} passes: raise max_iter.",
                    ConvergenceWarning,
                    stacklevel=2,
                )
        segments.assign(self.outlier_threshold)  # so that predict gives the same
        return self._set_result(segments, known)

    def predict(self, X: Any) -> np.ndarray:
        """The nearest category of new documents.

        It is -1 if the cosine is below ``outlier_threshold``, or if the document has no word of any category.
        """
        labels, cosines = self._new_documents(X).nearest(self.seeds_)
        labels[cosines < self.outlier_threshold] = -1
        return labels

    def decision_function(self, X: Any) -> np.ndarray:
        """The cosine of new documents to each category, (n_new, n_clusters_)."""
        return self._new_documents(X).cosines(self.seeds_)

    def rank(self, X: Any, k: int = 3) -> np.ndarray:
        """The best categories of new documents, the best first.

        Of the k nearest categories, each pair is compared: the larger cosine wins if it is larger by more than
        ``domination_threshold``. Otherwise each of the two keeps only the words that the other does not have, and the
        larger cosine of these wins. Categories are sorted by the number of wins, then by cosine.

        Parameters
        ----------
        X : as in ``fit``
        k : int

        Returns
        -------
        ranked : ndarray of shape (n_new, k)
            Fewer columns if there are fewer categories. Documents without any word of a category have -1.
        """
        documents = self._new_documents(X)
        return documents.ranked(self.seeds_, whole_number("k", k, 1), self.domination_threshold)

    def top_terms(self, n_terms: int = 10, names: Any = None) -> list[list[Any]]:
        """The heaviest words of each category, the heaviest first.

        Parameters
        ----------
        n_terms : int
        names : sequence of length d, optional
            The terms. By default the column names in ``fit``, or the column numbers if there were no names.
        """
        check_is_fitted(self)
        n_terms = whole_number("n_terms", n_terms, 0)
        terms = term_names(self, names)
        rows = [self.seeds_[[c]] for c in range(self.n_clusters_)]
        return [terms[row.indices[np.argsort(-row.data, kind="stable")[:n_terms]]].tolist() for row in rows]

    def _checked_counts(self, X: Any, *, reset: bool) -> Any:
        """Counts as a sparse matrix without repeated entries."""
        refuse_annotated(X)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=reset)
        check_counts(X)
        X = without_repeats(sparse.csr_array(X))
        (check_scale if reset else check_new_scale)(X)
        return X

    def _documents(self, X: Any, weights: np.ndarray) -> Documents:
        return Documents(X, self._term_weights, weights, self.damping, self.n_jobs)

    def _new_documents(self, X: Any) -> Documents:
        check_is_fitted(self)
        X = self._checked_counts(X, reset=False)
        return self._documents(X, np.ones(X.shape[0]))

    def _set_result(self, segments: Segments, known: np.ndarray) -> Self:
        self.labels_, self.seeds_ = segments.labels, segments.seeds
        self.n_clusters_, self.n_iter_ = len(segments), len(self.history_)
        self.category_of_class_ = segments.category_of_class
        self.cluster_sizes_ = np.bincount(self.labels_[self.labels_ >= 0], minlength=self.n_clusters_)
        self.names_ = [
            " + ".join(map(str, self.classes_[self.category_of_class_ == c])) for c in range(self.n_clusters_)
        ]
        placed = (known >= 0) & (self.labels_ >= 0)
        self.seed_origin_ = np.zeros((self.n_clusters_, len(self.classes_)), dtype=np.int64)
        np.add.at(self.seed_origin_, (self.labels_[placed], known[placed]), 1)
        self.moved_ = (known >= 0) & ~(placed & (self.labels_ == self.category_of_class_[known]))
        n_without = int(np.sum((self.labels_ < 0) & ~segments.is_outlier))
        if n_without:
            warnings.warn(
                f"{counted(n_without, 'document')} without any word of a category: the label is -1.", stacklevel=3
            )
        return self

    def _warn_of_small_classes(self, known: np.ndarray) -> None:
        sizes = np.bincount(known[known >= 0])
        if sizes.min() < self.min_docs:
            small = self.classes_[sizes < self.min_docs]
            warnings.warn(
                f"fewer than min_docs={self.min_docs} documents have the label {listing(small)}: these categories "
                "disappear unless other documents join them.",
                stacklevel=3,
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.target_tags.required = True
        return tags
