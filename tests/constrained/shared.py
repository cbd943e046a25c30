"""What several test files of this room share."""

import numpy as np
from scipy import sparse
from sklearn.datasets import load_iris

from pluribus.constrained import ConstrainedMixin
from pluribus.constrained._registry import METHODS
from pluribus.constrained.mixtures._linked_data import LinkedData

QUIET = dict(verbose=False, random_state=0)
CLUSTERERS = [
    entry.name
    for entry in METHODS.entries()
    if issubclass(entry.method, ConstrainedMixin) and "n_clusters" in entry.method().get_params()
]
IRIS, SPECIES = load_iris(return_X_y=True)


def column(*values):
    """A table of one feature."""
    return np.array(values, dtype=float)[:, None]


def documents(shares, n, n_terms):
    """Sparse counts of n documents with 40 words each, about as many topics as there are shares."""
    rng = np.random.default_rng(0)
    topic_of = rng.choice(len(shares), n, p=shares)
    topics = rng.dirichlet(np.full(n_terms, 0.1), len(shares))
    counts = np.stack([rng.multinomial(40, topics[topic]) for topic in topic_of])
    return sparse.csr_array(counts.astype(float))


def linked_data(X, known, k, **options):
    """Rows with their constraints, as the mixtures use them."""
    return LinkedData(X, known, np.ones(len(X)), k, known.check(k).witness, **options)
