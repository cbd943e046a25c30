"""Partitions and ensembles: labels, memberships, contingency tables, reading and writing them.

Labels that are coded already, as those of an ``Ensemble`` are, need not be coded again to be counted:

>>> import numpy as np
>>> from pluribus.partitions._internal import contingency_of_codes
>>> contingency_of_codes(np.array([0, 0, 1, -1]), np.array([0, 1, 1, 0]), 2, 2)
array([[1, 1],
       [0, 1]])
"""

from pluribus.partitions._memberships import harden
from pluribus.partitions._sizes import SizedAssignment, SizeError, assign_sizes
from pluribus.partitions.contingency import contingency
from pluribus.partitions.ensemble import Ensemble, as_ensemble

__all__ = [
    "Ensemble",
    "SizeError",
    "SizedAssignment",
    "as_ensemble",
    "assign_sizes",
    "contingency",
    "harden",
]
