import numpy as np
import pytest


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ids": np.array(["a"])}, "ids has 1 rows, but the ensemble has 4"),
        ({"X": np.zeros((3, 2))}, "X has 3 rows"),
        ({"membership": np.ones((4, 1))}, "one column for each cluster"),
        ({"membership": np.ones(4)}, "one column for each cluster"),
        ({"linkage": np.zeros((4, 4))}, r"shape \(3, 4\)"),
        ({"X": np.zeros((4, 2)), "feature_names": ["a"]}, "1 names, but X has 2 columns"),
    ],
)
def test_a_case_that_does_not_fit_together_is_refused(plain_case, changes, message):
    with pytest.raises(ValueError, match=message):
        plain_case([[0, 0, 1, 1]], [0, 0, 1, 1], **changes)
