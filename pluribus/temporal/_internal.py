"""What other rooms may use of this one, and users need not know."""

from pluribus.temporal._majority import majority
from pluribus.temporal.null_test import LEAST_ROWS

__all__ = ["LEAST_ROWS", "majority"]
