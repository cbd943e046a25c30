"""The rules of the house are checked: private modules stay private, and methods do not import methods."""

import pytest

from house_contract import HouseContract

HOUSE = HouseContract("house", {}, {"method_rooms": ["consensus"]})


@pytest.mark.parametrize(
    ("importer", "imported", "objection"),
    [
        ("validate.choose_k", "consensus.linkage._k_stability", "private"),
        ("consensus.soft.mixture", "consensus.linkage._k_stability", "private"),
        ("consensus.linkage.locally_weighted", "consensus.linkage._k_stability", ""),
        ("consensus.soft.mixture", "consensus._shared.base", ""),
        ("validate.choose_k", "consensus._shared.base", "private"),
        ("validate.choose_k", "consensus._internal", ""),
        ("consensus._internal", "consensus.linkage._k_stability", ""),
        ("consensus", "consensus.linkage._k_stability", ""),
        ("consensus.voting.medoid", "consensus.voting.voting", "a method imports helpers"),
        ("consensus.voting.medoid", "consensus.soft.mixture", "a method imports helpers"),
        ("consensus.voting._voting_merging", "consensus.soft.mixture", ""),
        ("compare.lift", "compare.pairs", ""),
    ],
)
def test_imports(importer, imported, objection):
    found = HOUSE._objection(f"pluribus.{importer}", f"pluribus.{imported}")
    assert objection in found
    assert bool(found) == bool(objection)
