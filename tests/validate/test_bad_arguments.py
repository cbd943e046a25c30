"""What cannot be meant is refused in words."""

import numpy as np
import pytest

from pluribus.compare import agreement_with_members, lift_emd_distance, normalized_mutual_information_index
from pluribus.validate import ambiguous_pairs_cost, choose_k, silhouette_index

X, LABELS = np.arange(8.0).reshape(4, 2), [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: silhouette_index(LABELS, X, metric=np.zeros(0)), "give the name of a metric"),
        (lambda: silhouette_index(LABELS, [[1, [2]], [3, [4, 5]]]), "different lengths"),
        (lambda: silhouette_index(LABELS, X, missing=np.zeros(0)), "missing must be"),
        (lambda: silhouette_index(LABELS, X * 1e300), "whose squares"),
        (lambda: ambiguous_pairs_cost([LABELS, LABELS], low=[0]), "low="),
        (lambda: choose_k(X, criteria=1.5), "give a list of names"),
        (lambda: choose_k(X, criteria=[["dunn"]]), "No criterion is called"),
        (lambda: normalized_mutual_information_index(LABELS, LABELS, average=np.zeros(0)), "average must be"),
        (lambda: agreement_with_members(LABELS, [LABELS], index=1.5), "No index is called"),
        (lambda: lift_emd_distance(LABELS, LABELS, X, sigma=np.zeros(0)), "sigma must be"),
        (lambda: lift_emd_distance(LABELS, LABELS, X, n_features=np.zeros(0)), "n_features must be"),
    ],
)
def test_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
