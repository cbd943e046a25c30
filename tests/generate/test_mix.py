import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris

from pluribus.generate import Generator, mix

X = load_iris().data


def test_without_a_seed_of_its_own_a_mix_is_its_parts_side_by_side():
    a = Generator(n_members=3, n_clusters=6, random_state=0)
    b = Generator("mixture", n_members=2, n_clusters=(2, 4), subsample=0.7, random_state=1)
    both = mix(a, b)
    ensemble = both.generate(X)
    assert both.n_members == ensemble.n_partitions == 5
    np.testing.assert_array_equal(ensemble.labels[:, :3], a.generate(X).labels)
    np.testing.assert_array_equal(ensemble.labels[:, 3:], b.generate(X).labels)
    assert ensemble.names[3].startswith("mixture-3 k=")


def test_its_seed_rules_over_those_of_the_parts():
    first = mix(Generator(n_members=3), Generator(n_members=3), random_state=0)
    second = mix(Generator(n_members=3, random_state=8), Generator(n_members=3), random_state=0, n_jobs=2)
    assert first.generate(X) == second.generate(X)
    assert first.generate(X) != clone(first).set_params(random_state=1).generate(X)
    labels = first.generate(X).labels
    assert not np.array_equal(labels[:, :3], labels[:, 3:])  # equal parts, seeds of their own


def test_mixes_can_be_mixed():
    inner = mix(Generator(n_members=2), Generator("agglomerative", n_members=2))
    outer = mix(inner, Generator("mixture", n_members=1, n_clusters=3), random_state=4)
    assert outer.n_members == 5
    assert outer.generate(X) == clone(outer).generate(X)


def test_parts_are_not_changed():
    part = Generator(n_members=2)
    mix(part, random_state=0).generate(X)
    assert part.random_state is None


def test_bad_parts():
    with pytest.raises(ValueError, match="at least one generator"):
        mix().generate(X)
    with pytest.raises(ValueError, match="'kmeans' is not a generator"):
        mix(Generator(), "kmeans").generate(X)
    with pytest.raises(ValueError, match="n_members"):
        mix(Generator(), Generator(n_members=0)).generate(X)
