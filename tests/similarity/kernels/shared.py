"""What several test files of this folder share."""

import numpy as np
from sklearn.datasets import load_digits

QUIET = dict(verbose=False, random_state=0)


def digits(n=150, n_class=4):
    X, y = load_digits(n_class=n_class, return_X_y=True)
    return X[:n] / 16, y[:n]


def unit(K):
    """A kernel with 1 on the diagonal."""
    scale = np.sqrt(np.diag(K))
    return K / np.outer(scale, scale)


def three_kernels(X):
    G = X @ X.T
    squares = np.diag(G)
    return [unit(G), unit((1 + G) ** 2), np.exp(-(squares[:, None] + squares - 2 * G))]


def words(n_words=40, n_labels=4, seed=0):
    """Chains whose labels follow each other, with features that tell them apart badly."""
    rng = np.random.default_rng(seed)
    labels, sequences, start = [], [], 0
    for _ in range(n_words):
        length = int(rng.integers(1, 6))
        first = int(rng.integers(n_labels))
        labels += [(first + p) % n_labels for p in range(length)]
        sequences.append(range(start, start + length))
        start += length
    y = np.array(labels)
    X = np.eye(n_labels)[y] + rng.normal(0, 0.7, (len(y), n_labels))
    return X, y, sequences
