import numpy as np
import pytest
from scipy import sparse

from benchmarks import alternative_choice
from benchmarks._alternative_families import CHECK, DESIGN, FAMILIES, drawn


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_has_two_partitions_and_follows_its_seed(name):
    X, known, wanted = drawn(name, 1)
    assert X.shape[0] == len(known) == len(wanted)
    assert len(np.unique(known)) >= 2
    assert 2 <= len(np.unique(wanted)) <= 6
    again, other = drawn(name, 1), drawn(name, 2)
    assert again.wanted.tolist() == wanted.tolist()
    assert abs(again.X - X).max() == 0
    assert other.wanted.tolist() != wanted.tolist()
    if not sparse.issparse(X):
        assert np.abs(X.mean(axis=0)).max() < 1e-9
        assert X.std(axis=0) == pytest.approx(np.ones(X.shape[1]))


def test_the_halves_have_no_family_in_common():
    assert len(DESIGN) == len(CHECK) == 8
    assert not DESIGN.keys() & CHECK.keys()


def test_the_wanted_partition_depends_on_the_known_one_where_it_should():
    from sklearn.metrics import normalized_mutual_info_score

    tied, free = (np.mean([normalized_mutual_info_score(*drawn(name, seed)[1:]) for seed in range(5)])
                  for name in ("tied partitions", "even views"))  # fmt: skip
    assert tied > 0.1 > 0.05 > free


def test_the_gain_is_a_mean_over_families_with_its_error():
    means = {"one": {"chosen": 0.8, "condens": 0.6}, "two": {"chosen": 0.9, "condens": 0.8}, "three": {"chosen": 0.5}}
    assert alternative_choice.gain(means, "condens") == "+0.150 ± 0.050"
    sets = [{"chosen": 1.0, "ccib": 0.5}, {"chosen": 0.5}]
    assert alternative_choice.mean(sets) == {"chosen": 0.75}
    assert [column.header for column in alternative_choice.table("", means).columns] == ["family", "condens", "chosen"]
    assert list(alternative_choice.sentences("check", means)) == [
        "check: gain of the choice over each method, mean of the families and its standard error: "
        "condens +0.150 ± 0.050."
    ]


def test_a_family_is_measured_by_the_choice_and_its_candidates():
    task = alternative_choice.agreements("binomials", 1)
    (found,) = task.score(task.work())["sets"]
    assert found["chosen"] <= found["best of them"] == max(found.values())
    assert found["chosen"] in [value for title, value in found.items() if title not in ("chosen", "best of them")]
