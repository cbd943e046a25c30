"""A number that knows how it was found: from all objects, or from a sample and then with an interval."""

from typing import Any


class Estimate(float):
    """The value of an index: a float, with an interval if it was estimated from a sample.

    Parameters
    ----------
    value : float
    low, high : float, default value
        The 95 % confidence interval. Where extremes are sought it holds bounds instead: see ``dunn_index``.
    n_sampled : int, optional
        Objects (or pairs) that were drawn; None if all were used and the value is exact.

    Examples
    --------
    >>> from pluribus.validate import Estimate
    >>> value = Estimate(0.5, low=0.48, high=0.52, n_sampled=5000)
    >>> value + 1, value.exact, str(value)
    (1.5, False, '0.5 (0.48 to 0.52)')
    """

    low: float
    high: float
    n_sampled: int | None

    def __new__(
        cls, value: float, *, low: float | None = None, high: float | None = None, n_sampled: int | None = None
    ) -> "Estimate":
        """Make the float, then add what is known of it."""
        self = super().__new__(cls, value)
        self.low = float(value if low is None else low)
        self.high = float(value if high is None else high)
        self.n_sampled = n_sampled
        return self

    @property
    def exact(self) -> bool:
        """Whether all objects were used."""
        return self.n_sampled is None

    def __str__(self) -> str:
        value = f"{float(self):.4g}"
        return value if self.exact else f"{value} ({self.low:.4g} to {self.high:.4g})"

    def __reduce__(self) -> Any:
        return _restored, (type(self), float(self), self.__dict__)


def _restored(kind: type[Estimate], value: float, state: dict[str, Any]) -> Estimate:
    self = float.__new__(kind, value)
    self.__dict__.update(state)
    return self
