"""The ways in which constraints can be wrong."""

from collections.abc import Callable, Sequence
from typing import Any

_SHOWN = 12  # a longer chain is shortened in the message; the attribute has all of it


class ConstraintError(ValueError):
    """Constraints that cannot be understood: a bad index, weight, shape or file.

    Examples
    --------
    >>> from pluribus.constraints import Constraints
    >>> Constraints(3, must_link=[(0, 7)])
    Traceback (most recent call last):
    pluribus.constraints.errors.ConstraintError: must_link row 0 is (0, 7), but the indices of 3 objects go from 0 to 2
    """


class ContradictionError(ConstraintError):
    """Hard constraints that no partition can satisfy, whatever the number of clusters.

    Attributes
    ----------
    pair : tuple of int
        The two objects that are said to be apart and together.
    chain : tuple of int
        The objects through which hard links join them, from one to the other.
    links : tuple of str
        What joins each object of the chain to the next: ``must-link``, a group or a label.
    apart : str
        What says that they are apart: ``cannot-link`` or their labels.

    Examples
    --------
    >>> from pluribus.constraints import Constraints, ContradictionError
    >>> try:
    ...     Constraints(3, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])
    ... except ContradictionError as error:
    ...     print(error.pair, error.chain)
    (0, 2) (0, 1, 2)
    """

    def __init__(
        self,
        message: str,
        *,
        pair: tuple[int, int] = (-1, -1),
        chain: Sequence[int] = (),
        links: Sequence[str] = (),
        apart: str = "cannot-link",
    ):
        super().__init__(message)
        self.pair = pair
        self.chain = tuple(chain)
        self.links = tuple(links)
        self.apart = apart

    def renamed(self, name: Callable[[int], str]) -> "ContradictionError":
        """Return the same error with its objects called by `name`."""
        return contradiction(self.pair, self.chain, self.links, self.apart, name=name)


class InfeasibleError(ConstraintError):
    """Hard constraints that cannot be satisfied with the given number of clusters.

    Attributes
    ----------
    k : int
    reason : str
        Why, without the objects.
    witness : ndarray of int or None
        Objects that prove it, as in :class:`Feasibility`.

    Examples
    --------
    >>> from pluribus.constraints import Constraints, InfeasibleError
    >>> apart = Constraints(3, cannot_link=[(0, 1), (1, 2), (0, 2)])
    >>> try:
    ...     apart.ensure_feasible(2)
    ... except InfeasibleError as error:
    ...     print(sorted(error.witness.tolist()))
    [0, 1, 2]
    """

    def __init__(self, message: str, *, k: int = 0, reason: str = "", witness: Any = None):
        super().__init__(message)
        self.k = k
        self.reason = reason or message
        self.witness = witness


def contradiction(
    pair: tuple[int, int],
    chain: Sequence[int],
    links: Sequence[str],
    apart: str,
    *,
    name: Callable[[int], str] = str,
) -> ContradictionError:
    """Put a contradiction and the chain that makes it into words."""
    steps = [name(chain[0])] + [f"–{link}– {name(i)}" for link, i in zip(links, chain[1:], strict=True)]
    if len(steps) > _SHOWN:
        half = _SHOWN // 2
        steps = [*steps[:half], f"… {len(steps) - 2 * half} more …", *steps[-half:]]
    message = (
        f"objects {name(pair[0])} and {name(pair[1])} must be apart ({apart}), but hard links hold them together: "
        f"{' '.join(steps)}. Remove one of these statements, or give a pair a finite weight to make it a preference"
    )
    return ContradictionError(message, pair=pair, chain=chain, links=links, apart=apart)
