"""ITML of the package ``metric-learn`` on pairs that are all different, in an environment of its own (`make peers`).

``python -m benchmarks._metric_peers REQUEST ANSWER``, two npz files. Nothing of ours is imported.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np


def main(request: Path, answer: Path) -> None:
    from metric_learn import ITML, _util

    for name in ("check_X_y", "check_array"):  # it uses a keyword that scikit-learn 1.8 no longer has
        setattr(_util, name, _renamed(getattr(_util, name)))
    with np.load(request) as given:
        X, pairs, max_iter = given["X"], given["pairs"], int(given["max_iter"])
    start = time.process_time()
    # Its default bounds are distances, but it compares squared ones with them: then no pair is too close, and the
    # metric stays Euclidean.
    bounds = np.percentile(np.square(X[pairs[:, 0]] - X[pairs[:, 1]]).sum(axis=1), (5, 95))
    model = ITML(max_iter=max_iter, random_state=0).fit(X[pairs], np.full(len(pairs), -1), bounds=bounds)
    seconds = time.process_time() - start
    np.savez(answer, Z=model.transform(X), seconds=seconds, n_iter=model.n_iter_)


def _renamed(check: Callable[..., Any]) -> Callable[..., Any]:
    def checked(*arguments: Any, force_all_finite: bool = True, **others: Any) -> Any:
        return check(*arguments, ensure_all_finite=force_all_finite, **others)

    return checked


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
