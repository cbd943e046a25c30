"""The one check of what is given as constraints."""

from collections.abc import Sequence
from typing import Any

from pluribus._engine import Registry
from pluribus.constraints._cluster_statements import AboutClusters
from pluribus.constraints.constraints import Constraints
from pluribus.constraints.errors import ConstraintError

_PAIRS = ("pairs",)
_ROOMS = ("pluribus.constrained", "pluribus.relational")  # in which there are methods that keep more than pairs


def as_constraints(constraints: Any, n: int, keeps: Sequence[str] = _PAIRS) -> Constraints:
    """The constraints on n objects; none if None is given.

    Parameters
    ----------
    constraints : Constraints or None
    n : int
    keeps : kinds of statements that the caller keeps, see ``Constraints.kinds``
        A method declares them as its class attribute ``keeps``; by default pairs, which are also groups and known
        labels.

    Raises
    ------
    ConstraintError
        If it is something else, or about another number of objects, or has statements that are not kept; the error
        names the methods that keep them.

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
    refuse_kinds(constraints, keeps)
    return constraints


def refuse_kinds(constraints: Constraints, keeps: Sequence[str] = _PAIRS) -> None:
    """Raise ConstraintError if there are statements of other kinds than these."""
    missed = [kind for kind in constraints.kinds if kind not in keeps]
    if missed:
        able = methods_that_keep(constraints.kinds) or methods_that_keep(missed)
        are, them = ("is", "it") if missed == ["a graph"] else ("are", "them")
        raise ConstraintError(
            f"constraints state {' and '.join(missed)}, which {are} not kept here: leave {them} out, or use "
            f"{' or '.join(able) if able else 'one method for each kind, since none keeps all of them'}."
        )


def without_sizes(constraints: Constraints) -> tuple[Constraints, int | None, int | None]:
    """The other statements, and the minimum and maximum size of every cluster; None if there is none.

    Examples
    --------
    >>> from pluribus.constraints import Constraints
    >>> from pluribus.constraints._internal import without_sizes
    >>> without_sizes(Constraints(9, must_link=[(0, 1)], min_size=3))
    (<Constraints: 9 objects, 1 must-link>, 3, None)
    """
    least, most = constraints.min_size, constraints.max_size
    if named := [label for label in (*least, *most) if label is not None]:
        able = " or ".join(methods_that_keep(["allowed labels", "sizes"]))
        raise ConstraintError(f"constraints state a size of the label {named[0]!r}, which only {able} keeps: use it.")
    said, n = constraints._said, constraints.n_objects
    about = said.about._replace(sizes=AboutClusters.nothing(n, len(said.classes)).sizes)
    return Constraints._from_statements(said._replace(about=about)), least.get(None), most.get(None)


def methods_that_keep(kinds: Sequence[str]) -> list[str]:
    """The classes of methods that keep all of these kinds of statements.

    Examples
    --------
    >>> from pluribus.constraints._as_constraints import methods_that_keep
    >>> methods_that_keep(["allowed labels", "sizes"])
    ['SizeConstrainedKMeans']
    """
    methods = {entry.method for room in _ROOMS for entry in Registry(room).entries()}
    return sorted(method.__name__ for method in methods if set(kinds) <= set(getattr(method, "keeps", ())))
