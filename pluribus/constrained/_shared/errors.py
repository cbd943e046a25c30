"""What can go wrong while clusters are sought."""


class NoFeasibleAssignmentError(RuntimeError):
    """No assignment that satisfies the hard constraints was found, although none was proven impossible.

    Examples
    --------
    >>> from pluribus.constrained import NoFeasibleAssignmentError
    >>> issubclass(NoFeasibleAssignmentError, RuntimeError)
    True
    """
