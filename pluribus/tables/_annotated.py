"""AnnData, the usual container of single-cell data: it looks like a sequence, but an array is not made of it."""

from typing import Any

EMBEDDING = "X_pca"  # the coordinates that cells are usually clustered by


def is_annotated(data: Any) -> bool:
    """Whether it is an AnnData, or has what is used of one."""
    return all(hasattr(data, name) for name in ("X", "obsm", "obs_names", "var_names"))


def refuse_annotated(data: Any) -> None:
    """Say which of its arrays to hand over: numpy would take the whole for a sequence of sequences, without an end.

    Examples
    --------
    >>> from pluribus.tables._internal import refuse_annotated
    >>> refuse_annotated([[1.0, 2.0]])
    """
    if is_annotated(data):
        raise TypeError(
            f'X is a {type(data).__name__}: give one of its arrays, usually adata.obsm["{EMBEDDING}"], or adata.X. '
            "pluribus.cluster takes all of it."
        )
