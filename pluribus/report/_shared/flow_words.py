"""How a member relates to the result, in a few plain sentences."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from pluribus.report._shared.specification import on_one_line
from pluribus.report._shared.words import percent

_NEARLY = 0.9  # a share of the objects from which a relation holds
_MOSTLY = 0.8  # and from which it does with exceptions
_PART = 0.25  # a share of a cluster that is not small
_NAMED = 3  # clusters, and targets of each, that are named
_WORTH = 0.01  # a smaller share of the objects is not worth a sentence


class Streams(NamedTuple):
    """What a contingency table (clusters of a member × clusters of the result) says of each cluster of the member."""

    counts: sparse.coo_array
    sizes: np.ndarray  # objects of each cluster of the member
    target_sizes: np.ndarray  # of each cluster of the result
    main: np.ndarray  # the cluster of the result that takes the most of each
    main_size: np.ndarray  # and how many objects that is
    target_main_size: np.ndarray  # objects of each cluster of the result that come from one cluster

    @classmethod
    def of(cls, counts: sparse.coo_array) -> "Streams":
        """From the table, with work that grows with its cells that are not empty."""
        k_member, k = counts.shape
        row, column, number = counts.row, counts.col, counts.data
        main, main_size = np.zeros(k_member, dtype=np.int64), np.zeros(k_member, dtype=np.int64)
        target_main_size = np.zeros(k, dtype=np.int64)
        by_number = np.lexsort((-column, number))  # the last to be written is the largest, the first of equals
        main[row[by_number]] = column[by_number]
        main_size[row[by_number]] = number[by_number]
        target_main_size[column[by_number]] = number[by_number]
        sizes = np.bincount(row, number, minlength=k_member).astype(np.int64)
        target_sizes = np.bincount(column, number, minlength=k).astype(np.int64)
        return cls(counts, sizes, target_sizes, main, main_size, target_main_size)


def shortened(label: object, longest: int = 40) -> str:
    """A label of the user as words name it: on one line, not too long, and never nothing."""
    return on_one_line(label, longest) or "(empty)"


def in_words(streams: Streams, names: list[str], covered: float) -> str:
    """The relation of a member to the result: what its clusters are to those of the result, and which are torn.

    Examples
    --------
    >>> from scipy import sparse
    >>> from pluribus.report._shared.flow_words import Streams, in_words
    >>> streams = Streams.of(sparse.coo_array([[50, 0, 0], [2, 40, 0], [0, 10, 12]]))
    >>> print(in_words(streams, ["a", "b", "c"], 1.0).replace(". ", ".\\n"))
    Its 3 clusters follow the 3 of the result, with exceptions.
    89% of its objects go where most of their cluster goes.
    Cluster c is torn between 2 and 1.
    """
    n = int(streams.sizes.sum())
    if n == 0:
        return "It covers no object of the result."
    held, held_targets = int((streams.sizes > 0).sum()), int((streams.target_sizes > 0).sum())
    along, back = float(streams.main_size.sum() / n), float(streams.target_main_size.sum() / n)
    parts = [_relation(held, held_targets, along, back)]
    if held > 1 and held_targets > 1 and along < 1:
        parts.append(f"{percent(along)} of its objects go where most of their cluster goes.")
    if held_targets > 1 and along < 1:
        parts += _torn(streams, names, n)
    if covered < 1:
        parts.append(f"It covers {percent(covered)} of the objects.")
    return " ".join(parts)


def _relation(k: int, k_result: int, along: float, back: float) -> str:
    its = "Its one cluster" if k == 1 else f"Its {k:,} clusters"
    if along == back == 1:
        return f"{its} {'is that' if k == 1 else f'are the {k:,}'} of the result."
    if k_result == 1:
        return f"{its} divide the one cluster of the result."
    if k == 1:
        return f"Its one cluster holds all {k_result:,} of the result: it divides nothing."
    if along == 1:
        return f"{its} divide the {k_result:,} of the result further, and no cluster is torn."
    if back == 1:
        return f"{its} unite the {k_result:,} of the result."
    if along >= _NEARLY and back >= _NEARLY:
        return f"{its} match the {k_result:,} of the result almost one to one."
    if along >= _MOSTLY and back >= _MOSTLY:
        return f"{its} follow the {k_result:,} of the result, with exceptions."
    if along >= _MOSTLY:
        return f"{its} divide the {k_result:,} of the result further, with exceptions."
    if back >= _MOSTLY:
        return f"{its} unite clusters of the {k_result:,} of the result, with exceptions."
    return f"{its} cut across the {k_result:,} of the result."


def _torn(streams: Streams, names: list[str], n: int) -> list[str]:
    """The clusters of the member with large parts in several clusters of the result, most objects astray first."""
    astray = streams.sizes - streams.main_size
    candidates = np.flatnonzero((astray >= _PART * streams.sizes) & (astray >= _WORTH * n))
    found = []
    for i in candidates[np.argsort(-astray[candidates], kind="stable")]:
        here = np.flatnonzero(streams.counts.row == i)
        here = here[np.argsort(-streams.counts.data[here], kind="stable")]
        goals, numbers = streams.counts.col[here], streams.counts.data[here]
        large = numbers >= _PART * streams.sizes[i]
        whole = numbers >= (1 - _PART) * streams.target_sizes[goals]
        if whole.sum() > 1 and numbers[whole].sum() >= _MOSTLY * streams.sizes[i]:
            found.append(f"cluster {names[i]} unites {_listed(goals[whole])}")
        elif large.sum() > 1:
            found.append(f"cluster {names[i]} is torn between {_listed(goals[large])}")
        else:
            others = "another" if len(goals) == 2 else f"{len(goals) - 1:,} others"
            found.append(f"cluster {names[i]} loses {percent(float(astray[i] / streams.sizes[i]))} to {others}")
        if len(found) > _NAMED:
            break
    if not found:
        return []
    more = len(candidates) - _NAMED
    text = "; ".join(found[:_NAMED]) + (f"; and {more:,} more like that" if more > 0 else "")
    return [text[0].upper() + text[1:] + "."]


def _listed(clusters: np.ndarray) -> str:
    shown = [str(c) for c in clusters[:_NAMED]]
    if len(clusters) > _NAMED:
        return f"{', '.join(shown)} and {len(clusters) - _NAMED} more"
    return f"{', '.join(shown[:-1])} and {shown[-1]}"
