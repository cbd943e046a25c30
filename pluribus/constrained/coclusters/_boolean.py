"""Checked 0/1 tables, and their kinds of rows."""

from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.utils.validation import check_array

from pluribus._engine import only_numbers
from pluribus.tables._internal import without_repeats


def as_boolean(table: Any, name: str) -> sparse.csr_array:
    """A table of zeros and ones as a sparse matrix of its ones; raises if it has other values.

    Examples
    --------
    >>> from pluribus.constrained.coclusters._boolean import as_boolean
    >>> as_boolean([[0, 1], [1, 1]], "X").indices.tolist()
    [1, 0, 1]
    """
    table = check_array(table, accept_sparse="csr", dtype="numeric", input_name=name)
    table = without_repeats(only_numbers(name, table))
    values = table.data if sparse.issparse(table) else table
    wrong = (values != 0) & (values != 1)
    if wrong.any():
        raise ValueError(
            f"{name} has the value {values[wrong].flat[0]!s}, but only 0 and 1 are possible here: make a 0/1 table by "
            "pluribus.tables.boolean_table."
        )
    return sparse.csr_array(table != 0, dtype=np.float64)


def row_kinds(table: sparse.csr_array) -> tuple[np.ndarray, np.ndarray]:
    """The kind of each row, numbered by first appearance, and the first row of each: equal rows are of one kind.

    Examples
    --------
    >>> from scipy import sparse
    >>> from pluribus.constrained.coclusters._boolean import row_kinds
    >>> kind_of, first = row_kinds(sparse.csr_array([[0, 1], [1, 1], [0, 1]]))
    >>> kind_of.tolist(), first.tolist()
    ([0, 1, 0], [0, 1])
    """
    hashes = np.random.default_rng(0).integers(0, 2**63, table.shape[1], dtype=np.uint64)
    sums = sparse.csr_array((np.ones(table.nnz, np.uint64), table.indices, table.indptr), shape=table.shape) @ hashes
    kind_of, distinct = pd.factorize(sums)
    first = np.full(len(distinct), table.shape[0])
    np.minimum.at(first, kind_of, np.arange(table.shape[0]))
    if (table != table[first[kind_of]]).nnz:  # two different rows with one hash: each row is a kind of its own
        kind_of = first = np.arange(table.shape[0])
    return kind_of, first
