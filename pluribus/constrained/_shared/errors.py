"""Errors during the search for clusters."""


class NoFeasibleAssignmentError(RuntimeError):
    """No assignment was found that satisfies the hard constraints, although one may exist.

    Examples
    --------
    >>> from pluribus.constrained import NoFeasibleAssignmentError
    >>> issubclass(NoFeasibleAssignmentError, RuntimeError)
    True
    """
