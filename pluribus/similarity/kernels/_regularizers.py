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

    def scales(self, norms: np.ndarray) -> np.ndarray:
        """β with Ω(θ) = ½ Σ ‖θ_m‖² / β_m up to terms in β alone: β_m = b_m / Ω'(b_m) at the norms b.

        For ½‖b‖_q² this is (b_m / ‖b‖_q)^(2 - q), in particular b_m / Σ b if q = 1, and 1 if q = 2.
        """
        if self._power == 2 and self.name in ("lq", "l2"):
            return np.ones_like(norms)
        total = norms.sum()
        if total == 0:
            return np.zeros_like(norms)
        if self.name == "elastic":
            return norms / (self.mix * norms + (1 - self.mix) * total)
        if self.name in ("group_lasso", "sparse_group_lasso"):
            return norms.copy()
        share = norms / norms.max()
        return (share / (share**self._power).sum() ** (1 / self._power)) ** (2 - self._power)

    def kernel_weights(self, norms: np.ndarray) -> np.ndarray:
        """β scaled to the sum 1: at the optimum the classifier is that of the kernel Σ β_m k_m; 0 if all norms are."""
        if not norms.any():
            return np.zeros_like(norms)
        weights = self.scales(norms)
        return weights / weights.sum()
