"""What increments cannot be fitted to."""


class DegenerateIncrementsError(ValueError):
    """All distances, or all their increments, are 0: no distribution fits them.

    Examples
    --------
    >>> from pluribus.increments import DegenerateIncrementsError, IncrementsDistribution
    >>> try:
    ...     IncrementsDistribution.fit([0, 0, 0])
    ... except DegenerateIncrementsError as error:
    ...     print(error)
    All 3 increments are 0, as between duplicates or on a lattice: no distribution fits them. Give a floor for the mean.
    """
