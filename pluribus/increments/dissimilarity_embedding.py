"""Embeddings of dissimilarities that need not be Euclidean."""

from numbers import Integral
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from pluribus.increments._shared.new_objects import check_not_far, largest_number
from pluribus.increments._shared.spectrum import spectrum_of
from pluribus.tables._internal import check_distances, check_scale

_SHARE = 0.95  # of the mass of the eigenvalues that the default number of dimensions keeps


class DissimilarityEmbedding(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Turn dissimilarities into features, also if no points have such distances.

    The dissimilarities D imply centered inner products B = -½ J D² J, where J subtracts the mean. If D holds Euclidean
    distances, the eigenvalues of B are not negative, and its eigenvectors q, scaled as q √λ, are coordinates with these
    distances (classical scaling). Other dissimilarities have negative eigenvalues too, and the kinds of embedding
    differ in what they do with them:

    - "pes" (pseudo-Euclidean space) keeps the largest of both signs, scaled by √|λ|, and ignores the sign;
    - "ppes" keeps only positive ones, as classical scaling does;
    - "npes" keeps only negative ones: choose it if these hold the information, which happens if what makes objects
      different is their size and not their place;
    - "ces" (corrected Euclidean space) adds 2 |a| to all squared dissimilarities between different objects, where a is
      the lowest eigenvalue. This raises all eigenvalues by |a|, and none is negative.

    With "ces" each object of ``fit`` differs from all others in a direction of its own, in which new objects have no
    part: these appear nearer to the center.

    Parameters
    ----------
    kind : {"pes", "ppes", "npes", "ces"}
    n_components : int, or (int, int), optional
        The number of dimensions. A pair, only for "pes", is the number of positive and of negative ones. By default as
        many as hold 95 % of the sum of the positive eigenvalues, and of the negative ones, as far as the kind has them.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components_)
        The coordinates of the objects of ``fit``, from the largest |λ| to the smallest.
    eigenvalues_ : ndarray of shape (n_components_,)
        Eigenvalues of the dimensions, with their signs; with "ces" the raised ones.
    negative_share_ : float
        The sum of |λ| over the negative eigenvalues, divided by the sum over all: 0 for Euclidean distances. Beyond
        5,000 objects it is the share among the 100 eigenvalues of the largest magnitude, and only these are kept.
    n_components_ : int

    References
    ----------
    Pękalska and Duin, "The dissimilarity representation for pattern recognition", World Scientific 2005.
    Aidos, Fred and Duin, "Classification using high order dissimilarities in non-Euclidean spaces", ICPRAM 2012.

    Examples
    --------
    >>> from pluribus.increments import DissimilarityEmbedding
    >>> D = [[0, 1, 1, 2], [1, 0, 2, 1], [1, 2, 0, 1], [2, 1, 1, 0]]  # around a square, along its sides
    >>> pes = DissimilarityEmbedding("pes").fit(D)
    >>> pes.eigenvalues_.round(2).tolist(), round(pes.negative_share_, 2)
    ([2.0, 2.0, -1.0], 0.2)
    >>> pes.transform([[0, 1, 1, 2]]).shape
    (1, 3)
    """

    _parameter_constraints: dict = {
        "kind": [StrOptions({"pes", "ppes", "npes", "ces"})],
        "n_components": [Interval(Integral, 1, None, closed="left"), tuple, list, None],
    }

    embedding_: np.ndarray
    eigenvalues_: np.ndarray
    negative_share_: float
    n_components_: int

    def __init__(
        self,
        kind: Literal["pes", "ppes", "npes", "ces"] = "pes",
        n_components: int | tuple[int, int] | None = None,
    ) -> None:
        self.kind = kind
        self.n_components = n_components

    def fit(self, X: Any, y: Any = None) -> Self:
        """Embed objects.

        Parameters
        ----------
        X : array of shape (n, n)
            Symmetric dissimilarities, 0 on the diagonal.
        y : ignored
        """
        self._validate_params()
        n_components = self._checked_n_components()
        X = validate_data(self, X, dtype=[np.float64, np.float32], ensure_min_samples=2)
        X = check_distances(X)
        check_scale(X)
        self._largest = largest_number(X)
        if X.max() == 0:
            raise ValueError("All dissimilarities are 0: there is nothing to embed.")
        spectrum = spectrum_of(X, 0 if n_components is None else 2 * int(np.sum(n_components)))
        self._shift = -spectrum.lowest if self.kind == "ces" else 0.0
        values = spectrum.values + self._shift
        if not spectrum.complete:  # the eigenvalues between are not known: raised negative ones are not the next
            values = np.where(spectrum.values < 0, spectrum.values, values)
        kept = self._kept(values, n_components)
        negative = spectrum.values < 0
        self.eigenvalues_ = values[kept]
        self.embedding_ = spectrum.vectors[:, kept] * np.sqrt(np.abs(self.eigenvalues_))
        self.negative_share_ = float(np.abs(spectrum.values[negative]).sum() / np.abs(spectrum.values).sum())
        self.n_components_ = self._n_features_out = len(kept)
        self._column_means = spectrum.column_means
        return self

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Embed objects, and return their coordinates."""
        return self.fit(X).embedding_

    def transform(self, X: Any) -> np.ndarray:
        """The coordinates of new objects.

        Parameters
        ----------
        X : array of shape (n_new, n)
            Their dissimilarities to the objects of ``fit``.

        Returns
        -------
        array of shape (n_new, n_components_)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        if X.min() < 0:
            raise ValueError(f"Dissimilarities must not be negative; the lowest is {X.min():g}.")
        check_not_far(X, self._largest)
        squared = np.square(X, dtype=np.float64)
        if self._shift:
            same = X == 0  # an object is not raised above itself
            squared += 2 * self._shift
            rows = np.flatnonzero(same.any(axis=1))
            squared[rows, same[rows].argmax(axis=1)] -= 2 * self._shift
        # B_new = -½ (D_new² - 1 m') J; the last J is not needed, since the columns of the embedding sum to 0
        inner = -0.5 * (squared - self._column_means) @ self.embedding_
        return inner / self.eigenvalues_

    def __sklearn_tags__(self) -> Any:
        """Dissimilarities are split by rows and by columns in cross-validation."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        return tags

    def _checked_n_components(self) -> int | tuple[int, int] | None:
        given: Any = self.n_components
        if given is None or isinstance(given, Integral):
            return self.n_components
        if self.kind == "pes" and len(given) == 2 and all(_is_count(m) for m in given) and sum(given) > 0:
            return int(given[0]), int(given[1])
        raise ValueError(
            f"n_components={given!r}: give a number of dimensions, or, for kind='pes', a pair with the number of "
            f"positive and of negative ones; kind is {self.kind!r}."
        )

    def _kept(self, values: np.ndarray, n_components: int | tuple[int, int] | None) -> np.ndarray:
        """Places of the eigenvalues that are dimensions, in order."""
        order = np.argsort(-np.abs(values), kind="stable")
        positive, negative = order[values[order] > 0], order[values[order] < 0]
        if self.kind in ("ppes", "ces"):
            negative = negative[:0]
        elif self.kind == "npes":
            positive = positive[:0]
        if len(positive) + len(negative) == 0:
            raise ValueError(
                "kind='npes' keeps the dimensions with negative eigenvalues, and there are none: these dissimilarities "
                "are Euclidean distances. Use kind='ppes'."
            )
        if n_components is None:
            parts = [_with_most_mass(places, values) for places in (positive, negative)]
        elif isinstance(n_components, tuple):
            parts = [_first(positive, n_components[0], "positive"), _first(negative, n_components[1], "negative")]
        else:
            usable = order[np.isin(order, np.concatenate([positive, negative]))]
            parts = [_first(usable, n_components, "usable")]
        return order[np.isin(order, np.concatenate(parts))]


def _is_count(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 0


def _with_most_mass(places: np.ndarray, values: np.ndarray) -> np.ndarray:
    if len(places) == 0:
        return places
    mass = np.cumsum(np.abs(values[places]))
    return places[: int(np.searchsorted(mass, _SHARE * mass[-1])) + 1]


def _first(places: np.ndarray, m: int, kind: str) -> np.ndarray:
    if m > len(places):
        raise ValueError(f"n_components asks for {m} dimensions, but there are only {len(places)} {kind} eigenvalues.")
    return places[:m]
