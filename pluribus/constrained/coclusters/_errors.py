"""What can go wrong with patterns."""


class PatternExplosionError(ValueError):
    """A table has more patterns than are allowed, or than fit into memory; none was kept.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.constrained import PatternExplosionError, concepts
    >>> try:
    ...     concepts(1 - np.eye(8, dtype=int), max_patterns=100)
    ... except PatternExplosionError as error:
    ...     print(error)
    The table has more than max_patterns=100 concepts. Ask for larger ones (min_rows above 1, min_columns above 1), or
    raise max_patterns.
    """


class CoverageWarning(UserWarning):
    """Rows or columns are in no pattern that the constraints admit: they get the label -1.

    Examples
    --------
    >>> from pluribus.constrained import CoverageWarning
    >>> issubclass(CoverageWarning, UserWarning)
    True
    """
