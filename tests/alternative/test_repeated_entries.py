import numpy as np
import pytest
from scipy import sparse

from pluribus.alternative import ConditionalBottleneck, ConditionalEnsemble, ResidualClusterer, alternatives


@pytest.fixture
def tables():
    """A sparse table, and the same with each entry stored as two halves, and with indices of 64 bits."""
    rng = np.random.default_rng(3)
    whole = sparse.csr_array(rng.integers(0, 3, (60, 6)) + np.eye(6)[rng.integers(0, 6, 60)])
    halves = sparse.csr_array(
        (np.repeat(whole.data / 2, 2), np.repeat(whole.indices, 2).astype(np.int64), 2 * whole.indptr.astype(np.int64)),
        shape=whole.shape,
    )
    return whole, halves, rng.integers(0, 2, 60)


@pytest.mark.parametrize(
    "model",
    [
        ConditionalBottleneck(3, likelihood="multinomial", coordination=0.3),
        ConditionalBottleneck(3, likelihood="gaussian", coordination=0.3),
        ResidualClusterer(3, random_state=0),
        ConditionalEnsemble(3, random_state=0),
        ConditionalEnsemble(3, base="em-multinomial", random_state=0),
    ],
)
def test_an_entry_stored_in_parts_is_one_entry(model, tables):
    whole, halves, known = tables
    expected = model.fit(whole, known=known).labels_
    assert model.fit(halves, known=known).labels_.tolist() == expected.tolist()
    assert halves.nnz == 2 * whole.nnz  # the given table stays


def test_quality_of_alternatives_with_entries_in_parts(tables):
    whole, halves, known = tables
    how = dict(methods=["residual-kmeans"], n_starts=1, random_state=0, verbose=False)
    one, other = (alternatives(X, known, 3, **how) for X in (whole, halves))
    assert [a.quality for a in one.found] == pytest.approx([a.quality for a in other.found])
