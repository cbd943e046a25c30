"""What a result says next to the partitions that were known: cross tables, and what each one is about."""

from dataclasses import replace

import numpy as np
import pandas as pd

from pluribus.compare import adjusted_rand_index, normalized_mutual_information_index
from pluribus.partitions._internal import encode_labels, number_by_size, order_by_size
from pluribus.report.result._profiles import profiles
from pluribus.report.result.case import Case
from pluribus.report.result.summary import KnownGroup, KnownPartition

_GROUPS = 30  # of a known partition that are shown
_CLUSTERS = 20  # of the result, in the cross table


def other_partitions(case: Case) -> tuple[KnownPartition, ...]:
    """The known partitions that the result is to differ from.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from pluribus import Ensemble
    >>> from pluribus.report import Case
    >>> from pluribus.report.result._other_than import other_partitions
    >>> labels = np.array([0, 0, 1, 1])
    >>> case = Case(
    ...     "t", Ensemble([labels]), labels, np.eye(2)[labels], np.zeros(4), np.array(list("abcd")),
    ...     other_than=pd.DataFrame({"site": ["x", "y", "x", "y"]}),
    ... )
    >>> [(group.name, group.counts) for group in other_partitions(case)[0].groups]
    [('x', (1, 1)), ('y', (1, 1))]
    """
    if case.other_than is None:
        return ()
    return tuple(_compared(case, str(name), column) for name, column in case.other_than.items())


def _compared(case: Case, name: str, column: pd.Series) -> KnownPartition:
    first, classes = encode_labels(column, name)
    codes, names = number_by_size(first, len(classes)), classes[order_by_size(first, len(classes))]
    n_groups, n = len(names), len(codes)
    both = (codes >= 0) & (case.labels >= 0)
    n_columns = min(case.n_clusters, _CLUSTERS)
    table = np.zeros((n_groups, case.n_clusters), dtype=np.int64)
    np.add.at(table, (codes[both], case.labels[both]), 1)
    described, n_described = np.minimum(codes, _GROUPS), min(n_groups, _GROUPS + 1)  # groups not shown are one
    membership = np.broadcast_to(0.0, (n, n_described))
    traits = profiles(replace(case, labels=described, membership=membership, linkage=None))
    sizes = np.bincount(codes[codes >= 0], minlength=n_groups)
    groups = [
        KnownGroup(str(names[g]), int(sizes[g]), tuple(table[g, :n_columns].tolist()), traits[g])
        for g in range(min(n_groups, _GROUPS))
    ]
    nmi = normalized_mutual_information_index(codes[both], case.labels[both]) if both.any() else 0.0
    ari = adjusted_rand_index(codes[both], case.labels[both]) if both.any() else 0.0
    shown = tuple(range(n_columns))
    missing = int((codes < 0).sum())
    return KnownPartition(name, nmi, ari, n_groups, missing, tuple(groups), shown, case.n_clusters - n_columns)
