"""The one check of what is given as constraints."""

from typing import Any

from pluribus.constraints.constraints import Constraints
from pluribus.constraints.errors import ConstraintError


def as_constraints(constraints: Any, n: int) -> Constraints:
    """The constraints on n objects; none if None is given.

    Raises
    ------
    ConstraintError
        If it is something else, or about another number of objects.

    Examples
    --------
    >>> from pluribus.constraints._internal import as_constraints
    >>> as_constraints(None, 3)
    <Constraints: 3 objects, nothing known>
    """
    if constraints is None:
        return Constraints(n)
    if not isinstance(constraints, Constraints):
        raise ConstraintError(
            f"constraints must be None or a pluribus.Constraints, got {type(constraints).__name__}: write "
            f"Constraints({n}, must_link=[(0, 1)], cannot_link=[(1, 2)]) with pairs of row numbers, or "
            "Constraints.read(path, ids=…) for a file of pairs."
        )
    if constraints.n_objects != n:
        raise ConstraintError(
            f"constraints are about {constraints.n_objects} objects, but there are {n}: make them with "
            f"Constraints({n}, …), or take the part for these objects by constraints.restrict(rows)."
        )
    return constraints
