"""What a partition tells: information with features, rows and the known groups, and how sure each row is."""

from typing import Any

import numpy as np

from pluribus.alternative._shared.annealing import information_with_rows, soft_assignment
from pluribus.alternative._shared.families import BERNOULLI, MULTINOMIAL, row_totals
from pluribus.alternative._shared.group_scores import GroupScores

_LN2 = np.log(2)
_LEAST_VARIANCE = 1e-300
_ROUNDING = 1e-12  # of the mean square: variance that clusters of equal rows leave


def informations(data: Any, q: np.ndarray) -> tuple[dict[str, float], float]:
    """Information in bits by name, and the weight λ* above which the known groups score higher than the clusters.

    With the clusters equal to the known groups, I(C;F|Z) is 0 and I(C;F) is I(Z;F). So they win once
    λ > I(C;F|Z) / (I(Z;F) - I(C;F)).
    """
    within, overall = data.informations(q)
    between = data.known_information()
    out = {
        "I(C;F|Z)": within / _LN2,
        "I(C;F)": overall / _LN2,
        "I(C;X)": information_with_rows(q, data.weights) / _LN2,
        "I(Z;F)": between / _LN2,
        "H(C)": _entropy(data.weights @ q),
        "I(C;Z)": np.nan,
        "H(Z)": np.nan,
    }
    if isinstance(data, GroupScores):
        joint = data.rows.group_weights(data.weights[:, None] * q)
        out["H(Z)"] = _entropy(joint.sum(axis=1))
        out["I(C;Z)"] = out["H(C)"] + out["H(Z)"] - _entropy(joint.ravel())
    values = {name: float(np.maximum(value, 0.0)) for name, value in out.items()}  # below 0 by rounding; NaN stays
    return values, float(within / (between - overall)) if between > overall else np.inf


def posterior(X: Any, data: Any, labels: np.ndarray, inverse: np.ndarray, coordination: float) -> np.ndarray:
    """P(c | x, z) of a mixture with the profiles of the clusters, for each row of X.

    A row of counts stands for as many draws, one of answers for as many questions, and numbers have the variance that
    the clusters leave within the known groups. A row between two clusters may have a higher posterior in the other one;
    then the two are exchanged, so that ``labels`` are the most probable clusters.
    """
    k = int(labels.max()) + 1
    q = np.eye(k)[labels]
    scores = data.scores(q, coordination) / (1 + coordination)
    sizes = np.log(data.weights @ q)
    if data.family is MULTINOMIAL:
        draws = row_totals(X)
    elif data.family is BERNOULLI:
        draws = np.full(len(inverse), float(data.d))
    else:
        least = max(_ROUNDING * data.mean_square(), _LEAST_VARIANCE)
        draws = np.full(len(inverse), 1 / max(_variance_left(data, q), least))
    out = soft_assignment(sizes + draws[:, None] * scores[inverse])
    rows, own = np.arange(len(inverse)), labels[inverse]
    first = out.argmax(axis=1)
    out[rows, own], out[rows, first] = out[rows, first], out[rows, own]
    return out


def _variance_left(data: Any, q: np.ndarray) -> float:
    """Of one feature, within clusters and known groups."""
    explained = data.informations(q)[0] - data.entropies[0]
    return (data.mean_square() - 2 * explained) / data.d


def _entropy(p: np.ndarray) -> float:
    p = p[p > 0]
    return float(-(p * np.log2(p)).sum()) if len(p) > 1 else 0.0
