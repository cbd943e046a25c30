"""What the consensus functions that take constraints share."""

from typing import Any

from pluribus.constraints import ConstraintError, Constraints


def check_constraints(constraints: Any, n: int) -> Constraints:
    """The constraints on n objects; none if None was given."""
    if constraints is None:
        return Constraints(n)
    if not isinstance(constraints, Constraints):
        raise ConstraintError(
            f"constraints must be None or a pluribus.Constraints, got {type(constraints).__name__}: write "
            f"Constraints({n}, must_link=[(0, 1)], cannot_link=[(1, 2)]) with pairs of indices, or "
            "Constraints.read(path, ids=…) for a file of pairs."
        )
    if constraints.n_objects != n:
        raise ConstraintError(
            f"constraints are about {constraints.n_objects} objects, but there are {n}: make them with "
            f"Constraints({n}, …), or take the part for these objects by constraints.restrict(index)."
        )
    return constraints
