"""Why so many clusters: indices for each number, beside the one that the result has."""

from dataclasses import dataclass

import numpy as np

from pluribus.pipeline._internal import KOpinion
from pluribus.report._shared.index_figures import index_by_k
from pluribus.report._shared.specification import Figure
from pluribus.report.validation.validation import Index, indices
from pluribus.validate import CRITERIA, KChoice

_UP_TO = 12  # clusters, and so many around the result, are shown


@dataclass(frozen=True, eq=False)
class KIndices:
    """Indices by number of clusters, and what ``choose_k`` says of them: what ``k_indices`` makes.

    Examples
    --------
    >>> from pluribus import Ensemble
    >>> from pluribus.report._internal import k_indices
    >>> from pluribus.validate import choose_k
    >>> found = k_indices(choose_k(Ensemble([[0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2]])), 3)
    >>> found.preferred, [index.criterion.title for index in found.indices]
    (3, ['lifetime', 'similarity Dunn'])
    """

    k: np.ndarray
    votes: np.ndarray
    indices: tuple[Index, ...]
    preferred: int
    sentence: str
    notes: tuple[str, ...]
    n_sampled: int

    def figures(self, chosen: int) -> dict[str, Figure]:
        """A picture of each index but the lifetime, which has its own."""
        names = [f"k = {k}" for k in self.k]
        return {
            f"k-{index.criterion.name}": index_by_k(index, self.k, self.k == chosen, names)
            for index in self.indices
            if index.criterion.name != "lifetime"
        }


def k_indices(choice: KChoice | KOpinion, n_clusters: int) -> KIndices | None:
    """What ``choose_k`` found, for the report on a result with so many clusters; None if there was no choice.

    Of many numbers, those are shown that are small, near to the result, or have a vote.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus import Ensemble
    >>> from pluribus.report._internal import k_indices
    >>> from pluribus.validate import choose_k
    >>> labels = np.repeat([0, 1, 2], 4)
    >>> found = k_indices(choose_k(Ensemble([labels, labels, np.minimum(labels, 1)])), 3)
    >>> found.preferred, found.k.tolist()
    (3, [2, 3])
    """
    frame = choice.frame
    if len(frame) < 2:
        return None
    k = frame["k"]
    near = (k >= n_clusters - _UP_TO) & (k <= n_clusters + 3)
    frame = frame[(k <= _UP_TO) | near | (frame["votes"] > 0)]
    ks = frame["k"].tolist()
    voting = [str(name) for name in frame.columns if name in CRITERIA]
    judged = indices(choice.details, [f"k = {k}" for k in ks], set(voting))
    return KIndices(
        k=np.array(ks),
        votes=frame["votes"].to_numpy(),
        indices=tuple(sorted(judged, key=lambda index: voting.index(index.criterion.name))),
        preferred=choice.n_clusters,
        sentence=choice.sentence,
        notes=choice.notes,
        n_sampled=choice.n_objects,
    )
