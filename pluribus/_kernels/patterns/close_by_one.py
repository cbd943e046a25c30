"""Formal concepts of a 0/1 table by Close-by-One, as bit sets.

A concept is a set of rows and the set of all columns that these rows share, such that no other row has all of these
columns. The search adds one column after another. A node is visited only if the columns that its rows share begin with
those of its parent (the canonicity test): each concept is then visited once. The state of the search is in arrays, so a
call does a part of the work and the next call goes on.
"""

import numpy as np
from numba import njit

_M1 = np.uint64(0x5555555555555555)
_M2 = np.uint64(0x3333333333333333)
_M4 = np.uint64(0x0F0F0F0F0F0F0F0F)
_H01 = np.uint64(0x0101010101010101)
_ONE, _TWO, _FOUR, _TOP = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)
_ZERO = np.uint64(0)


@njit(cache=True, nogil=True, inline="always")
def ones_of(word):
    """The number of ones in a word."""
    word = word - ((word >> _ONE) & _M1)
    word = (word & _M2) + ((word >> _TWO) & _M2)
    word = (word + (word >> _FOUR)) & _M4
    return np.int64((word * _H01) >> _TOP)


@njit(cache=True, nogil=True)
def close_by_one(
    columns, planes, apart, spacing, bounds, extents, intents, following, depth, found_extents, found_intents, n_visits
):
    """Search on from the given state; returns how many concepts were found, and the depth of the search (-1: done).

    ``columns`` (n, w) has the rows of each column, ``planes`` (p, w) the binary digits of how often each row counts,
    ``apart`` (n, v) the columns that no concept may have together with each column. ``spacing`` has the places of the
    columns, in rising order, how many places a concept must skip between two, and the length of the circle that they
    are on, or 0. ``bounds`` are the fewest rows and the fewest columns of a concept. ``extents``, ``intents`` and
    ``following`` are the stack: rows, columns, and the next column to add; its node at the depth was not reported yet
    if that is 0 and following[0] is -1. The call ends when the places for concepts are full or after n_visits nodes.
    """
    n, n_words = columns.shape
    min_rows, min_columns = bounds
    found = 0
    if depth == 0 and following[0] == -1:  # the root: what all rows share
        following[0] = 0
        sound = _close(columns, apart, spacing, extents[0], intents[0], intents[0], 0)
        if not sound or _count(extents[0], planes) < min_rows:
            return 0, -1
        if _size(intents[0]) >= min_columns:
            found_extents[0], found_intents[0] = extents[0], intents[0]
            found = 1
    visits = 0
    while depth >= 0:
        if found == len(found_extents) or visits == n_visits:
            return found, depth
        j = following[depth]
        if j >= n or _size_before(intents[depth], j) + n - j < min_columns:
            depth -= 1
            continue
        following[depth] = j + 1
        if _has(intents[depth], j):
            continue
        visits += 1
        for w in range(n_words):
            extents[depth + 1, w] = extents[depth, w] & columns[j, w]
        if _count(extents[depth + 1], planes) < min_rows:
            continue
        if not _close(columns, apart, spacing, extents[depth + 1], intents[depth], intents[depth + 1], j):
            continue
        depth += 1
        following[depth] = j + 1
        if _size(intents[depth]) >= min_columns:
            found_extents[found], found_intents[found] = extents[depth], intents[depth]
            found += 1
    return found, -1


@njit(cache=True, nogil=True)
def _close(columns, apart, spacing, extent, parent, intent, j):
    """Put the columns that all rows share into intent; false if a new one is before j, or two cannot be together."""
    n = len(columns)
    for q in range(j):
        if not _has(parent, q) and _within(extent, columns[q]):
            return False
    for v in range(len(intent)):
        intent[v] = parent[v]
    for q in range(j, n):
        if not _has(parent, q) and _within(extent, columns[q]):
            intent[q >> 6] |= _ONE << np.uint64(q & 63)
    if len(apart):
        for q in range(n):
            if _has(intent, q):
                for v in range(len(intent)):
                    if apart[q, v] & intent[v] != _ZERO:
                        return False
    return spacing[1] == 0 or _spaced(intent, spacing)


@njit(cache=True, nogil=True)
def _spaced(intent, spacing):
    """Whether the columns skip enough places."""
    places, least, around = spacing
    first = last = -1
    for q in range(len(places)):
        if _has(intent, q):
            if last >= 0 and places[q] - last <= least:
                return False
            if first < 0:
                first = places[q]
            last = places[q]
    return around == 0 or first == last or first + around - last > least


@njit(cache=True, nogil=True, inline="always")
def _has(bits, q):
    return (bits[q >> 6] >> np.uint64(q & 63)) & _ONE != _ZERO


@njit(cache=True, nogil=True)
def _within(extent, column):
    for w in range(len(extent)):  # noqa: SIM110, compiled
        if extent[w] & ~column[w] != _ZERO:
            return False
    return True


@njit(cache=True, nogil=True)
def _count(extent, planes):
    """The number of rows: each counts as often as its binary digits say."""
    total = 0
    for p in range(len(planes)):
        ones = 0
        for w in range(len(extent)):
            ones += ones_of(extent[w] & planes[p, w])
        total += ones << p
    return total


@njit(cache=True, nogil=True)
def _size(intent):
    total = 0
    for v in range(len(intent)):
        total += ones_of(intent[v])
    return total


@njit(cache=True, nogil=True)
def _size_before(intent, j):
    total = 0
    for v in range(j >> 6):
        total += ones_of(intent[v])
    if j & 63:
        total += ones_of(intent[j >> 6] & ((_ONE << np.uint64(j & 63)) - _ONE))
    return total


@njit(cache=True, nogil=True)
def set_sizes(bits):
    """The number of ones of each row of words."""
    sizes = np.zeros(len(bits), np.int64)
    for b in range(len(bits)):
        sizes[b] = _size(bits[b])
    return sizes


@njit(cache=True, nogil=True)
def set_members(bits, starts):
    """The places of the ones of each row of words, one row after another; ``starts`` says where each begins."""
    members = np.empty(starts[-1], np.int32)
    for b in range(len(bits)):
        place = starts[b]
        for w in range(bits.shape[1]):
            word = bits[b, w]
            while word != _ZERO:
                lowest = word & (~word + _ONE)
                members[place] = 64 * w + ones_of(lowest - _ONE)
                place += 1
                word ^= lowest
    return members


@njit(cache=True, nogil=True)
def pack_sets(starts, members, n):
    """Sets of places below n as rows of words: the reverse of `set_members`."""
    bits = np.zeros((len(starts) - 1, (n + 63) // 64), np.uint64)
    for b in range(len(starts) - 1):
        for p in range(starts[b], starts[b + 1]):
            bits[b, members[p] >> 6] |= _ONE << np.uint64(members[p] & 63)
    return bits
