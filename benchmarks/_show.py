"""Tables of what was measured."""

from collections.abc import Sequence

from rich.table import Table

from benchmarks._session import Result

COLUMNS = ("time", "CPU time", "peak memory", "above baseline", "ARI", "time, ours / peer", "memory, ours / peer")


def side_by_side(title: str, groups: Sequence[tuple[Result, Sequence[Result]]]) -> Table:
    """A table of our result and the peers', by group."""
    table = Table(title=title, title_justify="left")
    table.add_column("case")
    for column in COLUMNS:
        table.add_column(column, justify="right")
    for ours, peers in groups:
        table.add_row(ours.case, *_measured(ours), "", "")
        for peer in peers:
            ratios = ("", "")
            if ours.done and peer.done:
                ratios = (f"{ours.seconds / peer.seconds:.3f}", f"{ours.peak_mb / peer.peak_mb:.3f}")
            table.add_row(peer.case, *_measured(peer), *ratios)
        table.add_section()
    return table


def seconds(value: float) -> str:
    return f"{value:.2f} s" if value < 100 else f"{value:.0f} s"


def _measured(result: Result) -> tuple[str, ...]:
    if not result.done:
        return result.status, "", "", "", ""
    ari = result.figures.get("ari")
    return (
        seconds(result.seconds),
        seconds(result.cpu_seconds),
        f"{result.peak_mb:.0f} MB",
        f"{result.above_baseline_mb:.0f} MB",
        "" if ari is None else f"{ari:.3f}",
    )
