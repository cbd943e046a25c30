"""NrKmeans of PyPI's clustpy, in the environment of the peers: python -m benchmarks._alternative_peers IN OUT."""

import sys

import numpy as np


def main(given: str, answer: str) -> None:
    from clustpy.alternative import NrKmeans

    with np.load(given) as arrays:
        X, numbers, seed = arrays["X"], arrays["n_clusters"].tolist(), int(arrays["seed"])
    model = NrKmeans(numbers, random_state=seed).fit(X)
    np.savez(answer, labels=np.asarray(model.labels_, dtype=np.int64))


if __name__ == "__main__":
    main(*sys.argv[1:])
