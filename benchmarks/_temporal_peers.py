"""Packages for change points, hidden Markov models and simulated heartbeats, in an environment of their own.

``python -m benchmarks._temporal_peers REQUEST ANSWER`` (`make peers`), two npz files. Nothing of ours is imported.
"""

import sys
from pathlib import Path

import numpy as np

METHODS = ("PELT", "kernel", "HMM")
_MOST_STATES = 6


def changes(X: np.ndarray, method: str, seed: int) -> np.ndarray:
    """The first row of each segment but the first; features have variance 1."""
    if method == "HMM":
        states = _hidden_states(X, seed)
        return np.flatnonzero(np.diff(states)) + 1
    import ruptures

    noise = (np.median(np.abs(np.diff(X, axis=0)), axis=0) / (0.6745 * 2**0.5)) ** 2
    if method == "PELT":  # Gaussian noise, and the penalty of BIC
        found = (
            ruptures.Pelt(model="l2", min_size=3, jump=1).fit(X).predict(pen=2 * float(noise.sum()) * np.log(len(X)))
        )
    else:
        found = ruptures.KernelCPD(kernel="rbf", min_size=3).fit(X).predict(pen=float(np.log(len(X))))
    return np.array(found[:-1], dtype=np.int64)


def _hidden_states(X: np.ndarray, seed: int) -> np.ndarray:
    """Of the Gaussian hidden Markov model with the least BIC."""
    from hmmlearn.hmm import GaussianHMM

    best, least = np.zeros(len(X), dtype=np.int64), np.inf
    for k in range(1, _MOST_STATES + 1):
        try:
            model = GaussianHMM(k, covariance_type="diag", n_iter=50, random_state=seed).fit(X)
            score, states = model.bic(X), model.predict(X)
        except ValueError:  # too few rows for so many states
            continue
        if score < least:
            best, least = states, score
    return best


def simulated(seed: int, n_segments: int, seconds: float, rate: int) -> np.ndarray:
    """An electrocardiogram whose T wave and heart rate change smoothly from .35 to .65 of its length."""
    import neurokit2

    place = np.clip((np.arange(n_segments) / (n_segments - 1) - 0.35) / 0.3, 0, 1)
    share = place**2 * (3 - 2 * place)
    parts = [
        neurokit2.ecg_simulate(
            duration=seconds,
            sampling_rate=rate,
            method="ecgsyn",
            heart_rate=65 + 25 * s,
            heart_rate_std=1,
            ti=(-70, -15, 0, 15, 100 - 15 * s),
            ai=(1.2, -5, 30, -7.5, 0.75 - 0.4 * s),
            bi=(0.25, 0.1, 0.1, 0.1, 0.4),
            random_state=1000 * seed + number,
            random_state_distort=1000 * seed + number,
        )
        for number, s in enumerate(share)
    ]
    return np.concatenate([np.asarray(part)[: int(seconds * rate)] for part in parts])


def main(request: Path, answer: Path) -> None:
    with np.load(request) as asked:
        seed = int(asked["seed"])
        if "n_segments" in asked:
            found = {"signal": simulated(seed, int(asked["n_segments"]), float(asked["seconds"]), int(asked["rate"]))}
        else:
            found = {method: changes(asked["X"], method, seed) for method in METHODS}
    np.savez(answer, **found)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
