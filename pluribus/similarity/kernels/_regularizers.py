"""The regularizers of multiple kernel learning, as functions of the block norms b_m = ‖θ_m‖."""

from typing import NamedTuple

import numpy as np

from pluribus._kernels.proximal import shrinkage

NUMBERS = {
    "mkl": shrinkage.SQUARED_L1,
    "group_lasso": shrinkage.L1,
    "lq": shrinkage.SQUARED_LQ,
    "elastic": shrinkage.ELASTIC,
    "l2": shrinkage.SQUARED_L2,
    "sparse_group_lasso": shrinkage.SPARSE_GROUP,
}


class Regularizer(NamedTuple):
    """Ω by its name, with its parameters."""

    name: str
    q: float
    mix: float

    @property
    def number(self) -> int:
        """What the compiled passes call it."""
        return shrinkage.SQUARED_L1 if self.name == "lq" and self.q == 1 else NUMBERS[self.name]

    def value(self, norms: np.ndarray, entries: float) -> float:
        """Ω; `entries` is the sum of the absolute values of all weights of features."""
        if self.name == "group_lasso":
            return float(norms.sum())
        if self.name == "sparse_group_lasso":
            return float(self.mix * norms.sum() + (1 - self.mix) * entries)
        if self.name == "elastic":
            return float(self.mix / 2 * (norms**2).sum() + (1 - self.mix) / 2 * norms.sum() ** 2)
        return float(0.5 * (norms**self._power).sum() ** (2 / self._power))

    @property
    def _power(self) -> float:
        return {"mkl": 1.0, "l2": 2.0}.get(self.name, self.q)

    def radius(self, lam: float, most: float) -> float:
        """The optimum is in this ball, since λΩ(θ*) is at most the mean loss of θ = 0, `most`."""
        homogeneous = self.name in ("group_lasso", "sparse_group_lasso")  # Ω ≥ ‖θ‖; else Ω ≥ ½‖θ‖²
        return most / lam if homogeneous else float(np.sqrt(2 * most / lam))

    def kernel_weights(self, norms: np.ndarray) -> np.ndarray:
        """β with Σ β = 1: at the optimum θ_m is β_m times a vector that does not depend on Ω, so β_m ∝ b_m / Ω'(b_m).

        For ½‖b‖_q² this is b_m^(2 - q), in particular b_m if q = 1 and a constant if q = 2.
        """
        if not norms.any():
            return np.zeros_like(norms)
        share = norms / norms.max()
        if self.name == "elastic":
            weights = share / (self.mix * share + (1 - self.mix) * share.sum())
        elif self.name in ("lq", "l2") and self._power == 2:
            weights = np.ones_like(norms)
        elif self.name == "lq":
            weights = share ** (2 - self.q)
        else:
            weights = share
        return weights / weights.sum()
