"""The distribution of dissimilarity increments (DID)."""

import math
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from scipy.optimize import minimize_scalar

from pluribus._engine import number_array
from pluribus.increments._shared.errors import DegenerateIncrementsError
from pluribus.increments._shared.families import Family, family_of

Model = Literal["did", "exponential"]
_MODELS = ("did", "exponential")
_AROUND = 3.0  # the maximum likelihood estimate is searched this far, in logarithms, around the mean and the rms


class IncrementsDistribution:
    """How dissimilarity increments are distributed inside one cluster.

    An increment is the absolute difference of two consecutive distances along nearest neighbors. The model takes the
    two distances as independent distances between Gaussian points in ``dim`` dimensions. Everything but the mean
    cancels, so the family has one parameter, ``scale``, which is the mean increment. The methods are those of a
    distribution of scipy.stats.

    The default, two dimensions, serves data of any dimension: the Jensen-Shannon divergence to the law of any other
    number of dimensions is below 1e-4. In two dimensions, nearest-neighbor increments of Gaussian data have a heavier
    tail than the model and the exponential fits better; from four dimensions on, and wherever the local density is
    constant, the model fits better.

    Parameters
    ----------
    scale : float
        The mean increment.
    dim : int or inf
        Dimensions of the model "did"; inf is its limit, the half-normal distribution.
    model : {"did", "exponential"}
        The distribution of dissimilarity increments, or the simpler one of 2003.

    References
    ----------
    Aidos and Fred, "On the distribution of dissimilarity increments", IbPRIA 2011.
    Fred and Leitão, "A new cluster isolation criterion based on dissimilarity increments", TPAMI 2003.

    Examples
    --------
    >>> from pluribus.increments import IncrementsDistribution, dissimilarity_increments
    >>> law = IncrementsDistribution.fit(dissimilarity_increments([[0], [1], [3], [7]]))
    >>> law
    IncrementsDistribution(scale=1.5)
    >>> round(float(law.sf(7 * 1.5)), 9)  # the chance of an increment beyond seven times the mean
    1.16e-07
    """

    scale: float
    dim: float
    model: Model

    def __init__(self, scale: float = 1.0, dim: float = 2, *, model: Model = "did") -> None:
        self.scale = _positive("scale", scale, "the mean increment")
        self.dim, self.model = _checked_dim(dim), _checked_model(model)

    @property
    def _family(self) -> Family:
        return family_of(self.model, self.dim)

    def __repr__(self) -> str:
        other = f", dim={self.dim}" * (self.dim != 2) + f", model={self.model!r}" * (self.model != "did")
        return f"IncrementsDistribution(scale={self.scale:g}{other})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IncrementsDistribution) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((self.scale, self.dim, self.model))

    def logpdf(self, increments: Any) -> np.ndarray:
        """Logarithm of the density; -inf for negative increments.

        Examples
        --------
        >>> from pluribus.increments import IncrementsDistribution
        >>> IncrementsDistribution(1.5).logpdf([1, 2, 1, 2]).sum().round(6)
        np.float64(-4.890491)
        """
        return self._at(increments, self._family.log_density, -math.inf, -math.inf) - math.log(self.scale)

    def pdf(self, increments: Any) -> np.ndarray:
        """The density.

        Examples
        --------
        >>> from pluribus.increments import IncrementsDistribution
        >>> IncrementsDistribution(1).pdf([0, 1, 2]).round(4).tolist()
        [0.6506, 0.4566, 0.1745]
        """
        return np.exp(self.logpdf(increments))

    def logsf(self, increments: Any) -> np.ndarray:
        """Logarithm of the chance of a larger increment.

        Examples
        --------
        >>> from pluribus.increments import IncrementsDistribution
        >>> IncrementsDistribution(1).logsf([7, 1000]).round(2).tolist()
        [-15.97, -269518.55]
        """
        return self._at(increments, self._family.log_survival, 0.0, -math.inf)

    def sf(self, increments: Any) -> np.ndarray:
        """The chance of a larger increment.

        Examples
        --------
        >>> from pluribus.increments import IncrementsDistribution
        >>> IncrementsDistribution(1).sf([0, 1, 3]).round(4).tolist()
        [1.0, 0.4205, 0.0191]
        """
        return np.exp(self.logsf(increments))

    def cdf(self, increments: Any) -> np.ndarray:
        """The chance of an increment that is not larger.

        Examples
        --------
        >>> from pluribus.increments import IncrementsDistribution
        >>> IncrementsDistribution(1).cdf([-1, 0, 1, 3]).round(4).tolist()
        [0.0, 0.0, 0.5795, 0.9809]
        """
        return self._at(increments, self._family.distribution_function, 0.0, 1.0)

    def ppf(self, share: Any) -> np.ndarray:
        """The increment that a share of all does not exceed: the inverse of ``cdf``; nan outside of [0, 1].

        Examples
        --------
        >>> from pluribus.increments import IncrementsDistribution
        >>> IncrementsDistribution(1).ppf([0, 0.5, 0.99]).round(4).tolist()
        [0.0, 0.8349, 3.3106]
        """
        share = number_array("share", share)
        return self._inverse(share, 1 - share)

    def isf(self, share: Any) -> np.ndarray:
        """The increment that a share of all exceeds: the inverse of ``sf``; nan outside of [0, 1].

        Examples
        --------
        >>> from pluribus.increments import IncrementsDistribution
        >>> IncrementsDistribution(1).isf([0.05, 1e-100]).round(4).tolist()
        [2.493, 28.883]
        """
        share = number_array("share", share)
        return self._inverse(1 - share, share)

    def rvs(self, size: int | tuple[int, ...] | None = None, random_state: Any = None) -> np.ndarray:
        """Random increments.

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the result; without it, one number.
        random_state : int, Generator or None

        Examples
        --------
        >>> from pluribus.increments import IncrementsDistribution
        >>> round(float(IncrementsDistribution(2.0).rvs(100_000, random_state=0).mean()), 1)
        2.0
        """
        try:
            return self.scale * self._family.draw(size, np.random.default_rng(random_state))
        except (TypeError, ValueError, MemoryError) as error:
            raise ValueError(f"size={size!r}, random_state={random_state!r}: {error}") from None

    def mean(self) -> float:
        """The mean, which is ``scale``.

        Examples
        --------
        >>> from pluribus.increments import IncrementsDistribution
        >>> IncrementsDistribution(1.5).mean()
        1.5
        """
        return self.scale

    def var(self) -> float:
        """The variance.

        Examples
        --------
        >>> from pluribus.increments import IncrementsDistribution
        >>> round(IncrementsDistribution(1).var(), 6)
        0.592557
        """
        return self.scale * self.scale * (self._family.second_moment - 1)

    def std(self) -> float:
        """The standard deviation.

        Examples
        --------
        >>> from pluribus.increments import IncrementsDistribution
        >>> round(IncrementsDistribution(1).std(), 6)
        0.769777
        """
        return math.sqrt(self.var())

    def entropy(self) -> float:
        """The differential entropy, in nats.

        Examples
        --------
        >>> from pluribus.increments import IncrementsDistribution
        >>> round(IncrementsDistribution(1).entropy(), 6)
        0.958104
        """
        return self._family.entropy() + math.log(self.scale)

    def fisher_information(self, n: int = 1) -> float:
        """The Fisher information of n increments about ``scale``.

        Examples
        --------
        >>> from pluribus.increments import IncrementsDistribution
        >>> round(IncrementsDistribution(1).fisher_information(), 6)
        1.886954
        """
        if not isinstance(n, Integral) or isinstance(n, bool) or n < 0:
            raise ValueError(f"n={n!r}: give a number of increments.")
        return int(n) * self._family.information() / self.scale / self.scale

    @classmethod
    def fit(
        cls,
        increments: Any,
        dim: float = 2,
        *,
        model: Model = "did",
        method: Literal["mean", "mle"] = "mean",
        floor: float | None = None,
    ) -> "IncrementsDistribution":
        """The distribution that fits increments.

        Parameters
        ----------
        increments : array of numbers that are not negative
        dim, model : see the class
        method : {"mean", "mle"}
            The mean of the increments, as in the source, or the maximum of the likelihood, which needs 11 % fewer
            increments for the same precision.
        floor : float, optional
            The least scale. Without it, increments that are all 0 raise ``DegenerateIncrementsError``.

        Examples
        --------
        >>> from pluribus.increments import IncrementsDistribution
        >>> IncrementsDistribution.fit([1, 2, 1, 2], method="mle")
        IncrementsDistribution(scale=1.27448)
        """
        w = checked_increments(increments)
        if not isinstance(method, str) or method not in ("mean", "mle"):
            raise ValueError(f"method must be 'mean' or 'mle'; got {method!r}.")
        if floor is not None:
            floor = _positive("floor", floor, "the least mean increment")
        family = family_of(_checked_model(model), _checked_dim(dim))
        most = w.max() or 1.0  # sums of very large numbers overflow
        mean = float(np.mean(w / most) * most)
        if mean == 0 and floor is None:
            raise DegenerateIncrementsError(
                f"All {len(w)} increments are 0, as between duplicates or on a lattice: no distribution fits them. "
                "Give a floor for the mean."
            )
        if method == "mle" and mean > 0:
            u = w / mean
            cost = lambda log_scale: len(u) * log_scale - family.log_density(u / math.exp(log_scale)).sum()  # noqa: E731
            bounds = (-_AROUND, 0.5 * math.log(float(np.mean(u * u))) + _AROUND)  # few outliers: far above the mean
            mean *= math.exp(minimize_scalar(cost, bounds=bounds, method="bounded", options={"xatol": 1e-10}).x)
        return cls(max(mean, floor or 0.0), dim, model=model)

    def _at(self, increments: Any, function: Any, below: float, beyond: float) -> np.ndarray:
        """A function of u = w / scale; ``below`` for negative and ``beyond`` for infinite increments."""
        w = number_array("increments", increments)
        with np.errstate(over="ignore", divide="ignore"):  # beyond 1e150 means, logarithms are -inf
            u = np.atleast_1d(w) / self.scale
            out = np.where(np.isnan(u), np.nan, np.where(u < 0, below, beyond))
            inside = (u >= 0) & (u < math.inf)
            out[inside] = function(u[inside])
        return out.reshape(w.shape)

    def _inverse(self, below: np.ndarray, above: np.ndarray) -> np.ndarray:
        """The increments with these shares below and above; the smaller share is the exact one."""
        low, high = np.atleast_1d(below), np.atleast_1d(above)
        out = np.full(low.shape, np.nan)
        out[low == 0], out[high == 0] = 0.0, math.inf
        left, right = (low > 0) & (low <= 0.5), (high > 0) & (low > 0.5)
        left, right = left & (low <= 1), right & (high <= 1)
        out[left] = self._family.quantile(low[left])
        out[right] = self._family.tail_quantile(np.log(high[right]))
        return self.scale * out.reshape(np.shape(below))


def checked_increments(increments: Any) -> np.ndarray:
    """Increments as an array; raises if there are none, or if some are negative or not finite."""
    w = number_array("increments", increments)
    if w.ndim != 1 or len(w) == 0:
        raise ValueError(f"increments must be a list of at least one number; got shape {w.shape}.")
    if not np.isfinite(w).all() or w.min() < 0:
        raise ValueError("increments must be finite and not negative.")
    return w


def _positive(name: str, value: Any, what: str) -> float:
    try:
        number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    except OverflowError:
        number = math.inf
    if not 0 < number < math.inf:
        raise ValueError(f"{name}={value!r}: give {what}, a positive number.")
    return number


def _checked_dim(dim: Any) -> float:
    whole = isinstance(dim, Integral) and not isinstance(dim, bool) and int(dim) >= 1
    if not whole and not (isinstance(dim, Real) and dim == math.inf):
        raise ValueError(f"dim={dim!r}: give a whole number of dimensions, 1 or more, or inf.")
    return int(dim) if whole else math.inf


def _checked_model(model: Any) -> Model:
    if not isinstance(model, str) or model not in _MODELS:
        raise ValueError(f"model must be 'did' or 'exponential'; got {model!r}.")
    return model  # type: ignore[return-value]
