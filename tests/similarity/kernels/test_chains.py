from itertools import pairwise, product

import numpy as np
import pytest

from pluribus._kernels.proximal.chains import best_path, pair_hinge, pair_log, path_marginals, path_score


@pytest.mark.parametrize("length", [1, 2, 4])
def test_all_paths_by_hand(length):
    rng = np.random.default_rng(length)
    unary, steps = rng.normal(size=(length, 3)), rng.normal(size=(3, 3))
    paths = [np.array(path) for path in product(range(3), repeat=length)]
    scores = np.array([path_score(unary, steps, path) for path in paths])
    by_hand = [
        sum(unary[p, c] for p, c in enumerate(path)) + sum(steps[a, b] for a, b in pairwise(path)) for path in paths
    ]
    np.testing.assert_allclose(scores, by_hand)
    found = np.empty(length, np.int64)
    assert best_path(unary, steps, found) == pytest.approx(scores.max())
    assert found.tolist() == paths[scores.argmax()].tolist()
    marginals, counts = np.empty_like(unary), np.empty((3, 3))
    total = path_marginals(unary, steps, marginals, counts)
    shares = np.exp(scores - total)
    assert shares.sum() == pytest.approx(1)
    expected, expected_counts = np.zeros_like(unary), np.zeros((3, 3))
    for share, path in zip(shares, paths, strict=True):
        for p, c in enumerate(path):
            expected[p, c] += share
            if p:
                expected_counts[path[p - 1], c] += share
    np.testing.assert_allclose(marginals, expected)
    np.testing.assert_allclose(counts, expected_counts)


@pytest.mark.parametrize("together", [True, False])
def test_losses_of_pairs(together):
    rng = np.random.default_rng(3)
    for _ in range(20):
        unary = rng.normal(size=(2, 3))
        difference = np.empty((2, 3))
        right = [unary[0, a] + unary[1, b] for a, b in product(range(3), repeat=2) if (a == b) == together]
        wrong = [unary[0, a] + unary[1, b] for a, b in product(range(3), repeat=2) if (a == b) != together]
        loss = pair_hinge(unary, together, difference)
        assert loss == pytest.approx(max(max(wrong) + 1 - max(right), 0))
        numeric = _gradient(lambda u: pair_hinge(u, together, np.empty((2, 3))), unary)
        np.testing.assert_allclose(difference, numeric, atol=1e-6)
        loss = pair_log(unary, together, difference)
        assert loss == pytest.approx(-np.log(np.exp(right).sum() / (np.exp(right).sum() + np.exp(wrong).sum())))
        numeric = _gradient(lambda u: pair_log(u, together, np.empty((2, 3))), unary)
        np.testing.assert_allclose(difference, numeric, atol=1e-6)


def _gradient(function, at):
    """By finite differences."""
    found = np.empty_like(at)
    for place in np.ndindex(at.shape):
        step = np.zeros_like(at)
        step[place] = 1e-6
        found[place] = (function(at + step) - function(at - step)) / 2e-6
    return found
