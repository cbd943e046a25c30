"""What cannot be meant is refused in words."""

import pytest

from pluribus.constraints import Answers
from pluribus.evidence import CoAssociation, DividedPairs, mean_evidence

LABELS = [[0, 0, 1], [0, 1, 1]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: CoAssociation(LABELS).matmat({"a": 1}), "give numbers"),
        (lambda: CoAssociation(LABELS).matmat([[1, 2], [3]]), "give numbers"),
        (lambda: CoAssociation(LABELS).pairs([0, 1], [0, 1, 2]), "got 2 and 3"),
        (lambda: CoAssociation(LABELS).pairs([0, 1], []), "got 2 and 0"),
        (lambda: CoAssociation(LABELS).rows([[0], [1, 2]]), "whole numbers"),
        (lambda: mean_evidence(LABELS, [0, 0, 1], 2.0), "n_clusters=2.0"),
        (lambda: mean_evidence(LABELS, [[0], [0, 1]], 2), "3 whole numbers"),
        (lambda: mean_evidence(LABELS, [0, 0, 1], 2, cluster_weights=[1, 2]), "4 finite numbers"),
        (lambda: DividedPairs(LABELS).next_pair(None), "got NoneType"),
        (lambda: DividedPairs(LABELS).next_pair(Answers(2)), "about 2 objects"),
    ],
)
def test_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_one_object_against_several():
    assert CoAssociation(LABELS).pairs(0, [1, 2]).tolist() == [0.5, 0.0]
