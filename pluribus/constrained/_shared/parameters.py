"""Declarations of parameters that several methods share, by meaning; each class adds its own."""

from numbers import Integral, Real

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

AT_LEAST_ONE = Interval(Integral, 1, None, closed="left")
POSITIVE = Interval(Real, 0, None, closed="neither")
NOT_NEGATIVE = Interval(Real, 0, None, closed="left")
SHARE = Interval(Real, 0, 1, closed="both")

# Of methods that iterate from several starts.
STARTS: dict = {
    "n_clusters": [AT_LEAST_ONE],
    "n_init": [AT_LEAST_ONE],
    "max_iter": [AT_LEAST_ONE],
    "tol": [NOT_NEGATIVE],
    "random_state": ["random_state", np.random.Generator],
    "n_jobs": [Integral, None],
    "verbose": ["verbose"],
}

# The first centers of k-means: drawn or given; with pairs, also the means of linked objects.
FIRST_CENTERS: dict = {"init": [StrOptions({"k-means++"}), "array-like", "sparse matrix"]}
FIRST_CENTERS_WITH_PAIRS: dict = {
    "init": [StrOptions({"neighborhoods", "k-means++"}), "array-like", "sparse matrix"],
}
