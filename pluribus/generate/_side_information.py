"""Side information about the rows: constraints and sample weights."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.validation import has_fit_parameter

from pluribus._engine import check_summable
from pluribus.constraints import ConstraintError, Constraints
from pluribus.constraints._internal import refuse_kinds
from pluribus.generate._base_clusterers import kept_kinds, takes_constraints

if TYPE_CHECKING:
    from pluribus.generate._members import Member


class SideInformation(NamedTuple):
    """Constraints and weights of the rows; None if not given."""

    constraints: Constraints | None = None
    weights: np.ndarray | None = None

    def of(self, rows: np.ndarray | None) -> "SideInformation":
        """The side information about some rows; None stands for all."""
        if rows is None:
            return self
        return SideInformation(
            None if self.constraints is None else self.constraints.restrict(rows),
            None if self.weights is None else self.weights[rows],
        )

    @property
    def parts(self) -> tuple[Any, ...]:
        """The arrays that the labels of a member can depend on."""
        known, weights = self.constraints, () if self.weights is None else (self.weights,)
        if known is None:
            return weights
        pairs = known.must_link, known.must_weight, known.cannot_link, known.cannot_weight
        about_clusters = () if set(known.kinds) <= {"pairs"} else known.about_clusters
        return *pairs, known.groups, known.labels, *about_clusters, *weights


def check_side_information(
    constraints: Constraints | None, sample_weight: Any, members: Sequence["Member"], n: int
) -> SideInformation:
    """Refuse side information that does not fit the rows, or that some member cannot use or satisfy."""
    if constraints is not None:
        _check_constraints(constraints, members, n)
    return SideInformation(constraints, None if sample_weight is None else _checked_weights(sample_weight, members, n))


def _check_constraints(constraints: Constraints, members: Sequence["Member"], n: int) -> None:
    if not isinstance(constraints, Constraints):
        raise ConstraintError(f"constraints must be a pluribus.Constraints, got {type(constraints).__name__}.")
    if constraints.n_objects != n:
        raise ConstraintError(f"constraints are about {constraints.n_objects} objects, but X has {n} rows.")
    unable = sorted({member.algorithm for member in members if not takes_constraints(member.clusterer)})
    if unable:
        raise ValueError(
            f"The clusterer {', '.join(map(repr, unable))} does not support constraints: use one that does, for "
            "example Generator(pluribus.constrained.CopKMeans(n_init=1)), or PairwiseKMeans for weighted pairs."
        )
    for member in members:
        refuse_kinds(constraints, kept_kinds(member.clusterer))
    fewest = min((member.n_clusters for member in members if member.n_clusters is not None), default=None)
    if fewest is not None:
        constraints.ensure_feasible(fewest)


def _checked_weights(sample_weight: Any, members: Sequence["Member"], n: int) -> np.ndarray:
    weights = check_array(sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight")
    check_summable("sample_weight", weights)
    if weights.shape != (n,):
        raise ValueError(f"sample_weight has shape {weights.shape}: give one number for each of the {n} rows of X.")
    if (weights < 0).any() or not weights.any():
        raise ValueError("sample_weight is below 0 for some rows or 0 for all: give 0 or more, and not only zeros.")
    unable = sorted({member.algorithm for member in members if not _takes_weights(member.clusterer)})
    if unable:
        raise ValueError(
            f"The clusterer {', '.join(map(repr, unable))} does not support sample_weight: use 'kmeans', or one whose "
            "fit takes it."
        )
    return weights


def _takes_weights(clusterer: Any) -> bool:
    return clusterer == "kmeans" if isinstance(clusterer, str) else has_fit_parameter(clusterer, "sample_weight")
