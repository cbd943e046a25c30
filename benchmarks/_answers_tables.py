"""The tables of ``answers``: each set, and means, medians, wins and time by half."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from rich.table import Table

from benchmarks import _answers_sets
from benchmarks._answers_cache import mean
from benchmarks._answers_sets import HALVES
from benchmarks._show import seconds

Records = dict[str, dict[str, dict[str, Any]]]

LEAD = 0.05  # asked: mean over the best single algorithm
BELOW_MEDIAN = 0.15  # asked: on no set further below the median of the single algorithms
TIE = 0.005  # as good as the best


def each_set(title: str, records: Records, methods: Sequence[str], seeds: Sequence[int]) -> Table:
    table = Table(title=f"{title}: adjusted Rand index, mean of {len(seeds)} seeds", title_justify="left")
    for column in ("set", "n", "d", "k", "half", *methods):
        table.add_column(column, justify="left" if column in ("set", "half") else "right")
    for name in _answers_sets.sets():
        if name in records:
            about = records[name][methods[0]]
            scores = [mean(records[name][method], "ari", seeds) for method in methods]
            best = np.nanmax(scores) if not np.isnan(scores).all() else np.nan
            cells = ["–" if np.isnan(x) else f"[bold]{x:.3f}[/bold]" if x >= best - TIE else f"{x:.3f}" for x in scores]
            sizes = (f"{about['n']:,}", f"{about['d']:,}", str(about["k"]))
            table.add_row(name, *sizes, _answers_sets.half_of(name), *cells)
    return table


def summary(title: str, records: Records, methods: Sequence[str], seeds: Sequence[int]) -> Table:
    table = Table(title=f"{title}: by half", title_justify="left")
    for column in ("sets", "method", "mean", "median", "wins", "CPU time", "its own sets", "mean", "ours ahead"):
        table.add_column(column, justify="left" if column in ("sets", "method") else "right")
    table.caption = (
        "Over the sets that all finished; then over those that the method finished, and how far ours is ahead there. "
        f"Wins: the best, or within {TIE} of it, of all sets."
    )
    table.caption_justify = "left"
    for half in (None, *HALVES):
        names = [name for name in _answers_sets.sets(half) if name in records]
        if not names:
            continue
        scores = _scores(records, names, methods, seeds)
        common = ~np.isnan(scores).any(axis=1)
        best = np.nanmax(np.where(np.isnan(scores), -1, scores), axis=1)
        for place, method in enumerate(methods):
            own, shared = scores[:, place], scores[common, place]
            spent = sum(mean(records[name][method], "cpu_seconds") for name in np.array(names)[common])
            table.add_row(
                f"{half or 'all'}, {common.sum()} of {len(names)}" if place == 0 else "",
                method,
                f"{shared.mean():.3f}" if len(shared) else "–",
                f"{np.median(shared):.3f}" if len(shared) else "–",
                str(int((own >= best - TIE).sum())),
                seconds(spent),
                str(int((~np.isnan(own)).sum())),
                f"{np.nanmean(own):.3f}" if (~np.isnan(own)).any() else "–",
                "" if place == 0 else f"{_ahead(scores, place):+.3f}",
            )
        table.add_section()
    return table


def missing(records: Records, methods: Sequence[str]) -> Iterator[str]:
    """Which method did not finish which set, and why; and where it had fewer runs."""
    for method in methods:
        ends: dict[str, list[str]] = {}
        for name, by_method in records.items():
            record = by_method.get(method)
            if record is not None and record["status"] != "done":
                why = record["error"].split(":")[0] if record["status"] == "failed" else record["status"]
                ends.setdefault(why, []).append(name)
            elif record is not None and record["at_limit"]:
                ends.setdefault("fewer seeds in the time", []).append(name)
        if ends:
            yield f"{method}: " + "; ".join(f"{why}: {', '.join(names)}" for why, names in ends.items()) + "."


def verdicts(
    records: Records, ours: str, others: Sequence[str], seeds: Sequence[int], *, known_k: bool
) -> Iterator[str]:
    """What was asked, beside what is."""
    lead = LEAD if known_k else 0.0
    for half in (None, *HALVES):
        names = [name for name in _answers_sets.sets(half) if name in records]
        scores = _scores(records, names, [ours, *others], seeds)
        ahead = [_ahead(scores, place) for place in range(1, len(others) + 1)]
        if not np.isnan(ahead).all():
            nearest = int(np.nanargmin(ahead))
            met = "met" if ahead[nearest] >= lead and ahead[nearest] > 0 else "MISSED"
            yield (
                f"{half or 'all sets'}: ours {ahead[nearest]:+.3f} beside {others[nearest]}, the best other, in the "
                f"mean of the sets that both finished; asked {f'{lead:+.2f}' if lead else 'above 0'}: {met}."
            )
    if known_k:
        names = [name for name in records if any(records[name][method]["runs"] for method in others)]
        scores = _scores(records, names, [ours, *others], seeds)
        behind = scores[:, 0] - np.nanmedian(scores[:, 1:], axis=1)
        far = [f"{name} ({gap:+.2f})" for name, gap in zip(names, behind, strict=True) if gap < -BELOW_MEDIAN]
        yield f"More than {BELOW_MEDIAN} below the median of the single algorithms: {', '.join(far) or 'none'}."


def _ahead(scores: np.ndarray, place: int) -> float:
    """Mean of ours (in column 0) minus that of another, over the sets that both finished."""
    gaps = scores[:, 0] - scores[:, place]
    return float(np.nanmean(gaps)) if not np.isnan(gaps).all() else float("nan")


def _scores(records: Records, names: Sequence[str], methods: Sequence[str], seeds: Sequence[int]) -> np.ndarray:
    rows = [[mean(records[name][method], "ari", seeds) for method in methods] for name in names]
    return np.array(rows).reshape(len(names), len(methods))
