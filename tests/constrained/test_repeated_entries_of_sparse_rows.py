import numpy as np
import pytest
from scipy import sparse

from pluribus.constrained import by_name


@pytest.mark.parametrize("name", ["pckmeans", "cop-kmeans", "balanced", "frequency-sensitive", "size-constrained"])
def test_an_entry_stored_in_parts_is_one_entry(name):
    whole = sparse.csr_array(np.random.default_rng(3).integers(0, 3, (40, 8)).astype(float))
    halves = sparse.csr_array(
        (np.repeat(whole.data / 2, 2), np.repeat(whole.indices, 2), 2 * whole.indptr), shape=whole.shape
    )
    one, other = (by_name(name)(n_clusters=3, random_state=0, verbose=False).fit(X).labels_ for X in (whole, halves))
    assert other.tolist() == one.tolist()
    assert halves.nnz == 2 * whole.nnz  # the given rows stay
