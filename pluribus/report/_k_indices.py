"""Why so many clusters: indices for each number, beside the one that the result has."""

from dataclasses import dataclass

import numpy as np

from pluribus.partitions import Ensemble, stratified_sample
from pluribus.report._specification import Figure
from pluribus.report._validation import Index, indices
from pluribus.report._validation_figures import index_by_k
from pluribus.validate import CRITERIA, choose_k

_OBJECTS = 5000  # whose dendrogram is cut
_SAMPLE = 1000  # objects that slow indices look at
_UP_TO = 12  # clusters at least are looked at


@dataclass(frozen=True, eq=False)
class KIndices:
    """Indices by number of clusters, and what ``choose_k`` says of them."""

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


def k_indices(
    ensemble: Ensemble,
    labels: np.ndarray,
    X: np.ndarray | None = None,
    *,
    random_state: int | None = 0,
    verbose: bool = True,
) -> KIndices | None:
    """Ask ``choose_k`` about an ensemble whose result is known, on at most 5,000 objects; None below 4 objects.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus import Ensemble
    >>> from pluribus.report._k_indices import k_indices
    >>> labels = np.repeat([0, 1, 2], 4)
    >>> found = k_indices(Ensemble([labels, labels, np.minimum(labels, 1)]), labels)
    >>> found.preferred, found.k.tolist()
    (3, [2, 3])
    """
    objects = stratified_sample(labels, _OBJECTS)
    part = ensemble.take_objects(objects)
    chosen = int(labels.max(initial=0)) + 1
    finest = int(part.n_clusters.max())
    ks = list(range(2, min(max(_UP_TO, chosen + 3), finest, len(objects) - 1) + 1))
    if len(ks) > 3 * _UP_TO:  # near the result, and few clusters
        ks = [k for k in ks if k <= _UP_TO or abs(k - chosen) <= _UP_TO]
    if len(objects) < 4 or len(ks) < 2:
        return None
    data = part if X is None else np.asarray(X)[objects]
    found = choose_k(
        data,
        ks,
        ensemble=None if X is None else part,
        sample_size=_SAMPLE,
        random_state=random_state,
        n_jobs=-1,
        verbose=verbose,
    )
    names = [f"k = {k}" for k in ks]
    voting = [str(name) for name in found.frame.columns if name in CRITERIA]
    judged = indices(found.details, names, set(voting))
    return KIndices(
        k=np.array(ks),
        votes=found.frame["votes"].to_numpy(),
        indices=tuple(sorted(judged, key=lambda index: voting.index(index.criterion.name))),
        preferred=found.n_clusters,
        sentence=found.sentence,
        notes=found.notes,
        n_sampled=len(objects),
    )
