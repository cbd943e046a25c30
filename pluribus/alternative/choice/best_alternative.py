"""The best of several methods for another partition."""

import warnings
from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval

from pluribus._engine import check_n_jobs, seeds, track
from pluribus.alternative._registry import by_name
from pluribus.alternative._shared.base import AlternativeMixin
from pluribus.alternative._shared.families import GAUSSIAN, family_of
from pluribus.alternative.choice._separation import Separation

_MOST_ROWS = 2000  # for the bottleneck, which takes seconds up to there
_MOST_ROWS_OF_MIXTURES = 100_000
_MOST_FEATURES = 50  # for full covariances
_TIE = 1e-9  # scores that differ by less are equal: the first counts


class BestAlternative(AlternativeMixin, BaseEstimator):
    """Run several methods for another partition, and keep the one that separates best beyond the known groups.

    No method is best everywhere. Subtracting the means of the known groups is right if these shift the features, and
    wrong if the wanted clusters are unevenly spread over them; mixtures are right for clusters of different shape, and
    the information bottleneck for texts. The candidates are CondEns with k-means and with Gaussian mixtures, both with
    and without centering, k-means and a mixture of the residuals, orthogonal k-means, the conditional bottleneck (up to
    2,000 rows), and CondEns with multinomials (for counts, and yes and no). Mixtures are for dense rows, up to 100,000.

    The choice needs no labels. For each candidate, rows are modeled as an effect of their known group, an effect of
    their cluster, and noise with one covariance. The candidate counts that lowers the generalized variance of the noise
    most, compared to the groups alone (Wilks' lambda). This does not depend on the units of features; with more than 20
    features, the 20 directions of most variance within the known groups count. The rule was made on generated families
    of data, and checked on others (see ``docs/reproduction/alternative.md``).

    It takes the time of all candidates together. If you know what suits your data, use that method alone.

    Parameters
    ----------
    n_clusters : int
    random_state : int, RandomState, Generator or None
    n_jobs : int, optional
        Threads. The result does not depend on it.
    verbose : bool
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters are numbered from the largest.
    n_clusters_ : int
    best_method_ : str
        The title of the chosen candidate.
    best_estimator_ : object
        The chosen candidate, fitted.
    candidates_ : dict
        The labels of each candidate, by its title.
    scores_ : dict
        The score of each candidate: half the logarithm of the fall in generalized variance, for each direction.
    failed_ : dict
        Candidates that could not run on these data, and why.
    reasons_ : tuple of str
        The choice in words.
    nmi_with_known_ : float
        Normalized mutual information with the known partition; 0 says that the result is all new.

    See Also
    --------
    alternatives : all partitions, and the front of quality against novelty.

    References
    ----------
    Wilks, "Certain generalizations in the analysis of variance", Biometrika 24, 1932. The candidates are those of
    Gondek, "Non-redundant data clustering", in Constrained Clustering, CRC Press 2008, chapter 11.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pluribus.alternative import BestAlternative
    >>> iris = load_iris()
    >>> model = BestAlternative(2, random_state=0, verbose=False).fit(iris.data, known=iris.target)
    >>> model.best_method_, len(model.candidates_), round(model.nmi_with_known_, 2)
    ('condens-gaussian', 8, 0.0)
    """

    known_as = {"best-alternative": {}}
    suits = "The default: runs the other methods, and keeps the partition that separates best beyond what is known."

    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 2, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self, n_clusters: int = 2, *, random_state: Any = None, n_jobs: int | None = None, verbose: bool = True
    ) -> None:
        self.n_clusters = n_clusters
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, known: Any = None) -> "BestAlternative":
        """Find another partition than the known one; the parameters are those of :class:`ConditionalEnsemble`."""
        X, groups = self._check_given(X, known)
        check_n_jobs(self.n_jobs)
        seed = seeds(self.random_state, 1)[0]
        models: dict[str, Any] = {}
        said: dict[str, list[warnings.WarningMessage]] = {}
        self.failed_: dict[str, str] = {}
        for title, (name, how) in track(_candidates(X).items(), "candidates", verbose=self.verbose):
            with warnings.catch_warnings(record=True) as said[title]:
                warnings.simplefilter("always")
                try:
                    models[title] = self._made(name, how, seed).fit(X, known=groups.codes)
                except ValueError as error:
                    self.failed_[title] = str(error)
        if not models:
            raise ValueError(f"No method could run: {next(iter(self.failed_.values()))}")
        self.candidates_ = {title: model.labels_ for title, model in models.items()}
        beyond = Separation(X, groups)
        self.scores_ = {title: beyond.score(labels) for title, labels in self.candidates_.items()}
        highest = max(self.scores_.values())
        self.best_method_ = next(title for title, score in self.scores_.items() if score >= highest - _TIE)
        self.best_estimator_ = models[self.best_method_]
        self.reasons_ = (_sentence(self.best_method_, self.scores_),)
        for warning in said[self.best_method_]:
            warnings.warn(str(warning.message), warning.category, stacklevel=2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of fewer clusters: the candidate has said so
            self._finish(groups, self.candidates_[self.best_method_])
        return self

    def _made(self, name: str, how: dict[str, Any], seed: int) -> Any:
        model = by_name(name)(n_clusters=int(self.n_clusters), **how)
        given = {"random_state": seed, "n_jobs": self.n_jobs, "verbose": False}
        return model.set_params(**{key: value for key, value in given.items() if key in model.get_params(deep=False)})


def _candidates(X: Any) -> dict[str, tuple[str, dict[str, Any]]]:
    """Names and parameters of the methods that suit the rows, by title."""
    found: dict[str, tuple[str, dict[str, Any]]] = {
        "condens": ("condens", {}),
        "condens, not centered": ("condens", {"center": False}),
        "residual-kmeans": ("residual-kmeans", {}),
        "orthogonal-kmeans": ("orthogonal-kmeans", {}),
    }
    if not sparse.issparse(X) and X.shape[0] <= _MOST_ROWS_OF_MIXTURES:
        found |= {
            "condens-gaussian": ("condens-gaussian", {}),
            "condens-gaussian, not centered": ("condens-gaussian", {"center": False}),
        }
        if X.shape[1] <= _MOST_FEATURES:
            found["residual mixture"] = ("residual-kmeans", {"base": "em-gaussian"})
    if family_of(X) is not GAUSSIAN:
        found["condens-em"] = ("condens-em", {})
    if X.shape[0] <= _MOST_ROWS:
        found["ccib"] = ("ccib", {})
    return found


def _sentence(best: str, scores: dict[str, float]) -> str:
    others = [score for title, score in scores.items() if title != best]
    range_of = f" ({min(others):.2f} to {max(others):.2f} for the {len(others)} others)" if others else ""
    return f"The partition by {best} is taken: it separates best beyond what is known, {scores[best]:.2f}{range_of}."
