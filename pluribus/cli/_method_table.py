"""What ``pluribus combine --method all`` says of the methods: a table, and what went wrong."""

from rich.table import Table as Grid

from pluribus.cli._screen import Screen
from pluribus.consensus import MethodComparison, MethodRun


def show(compared: MethodComparison, screen: Screen) -> None:
    """Print the table, and what the methods failed on or warned of."""
    grid = Grid(title=f"{len(compared.completed)} consensus functions, k = {compared.n_clusters}", title_justify="left")
    grid.add_column("method")
    for name in ("k", "seconds", "NMI with\nmembers", "ARI with\nmembers", "ARI with\nmethods"):
        grid.add_column(name, justify="right")
    grid.add_column("")
    for run in compared.runs:
        grid.add_row(*_row(run, compared), style="bold" if run.name == compared.preferred else "")
    screen.console.print(grid)
    for run in compared.runs:
        for line in ([run.problem] if run.problem else []) + list(run.notes):
            screen.line(f"  {run.name}: {line}")


def _row(run: MethodRun, compared: MethodComparison) -> tuple[str, ...]:
    if run.consensus is None:
        return run.name, "–", "–", "–", "–", "–", run.problem.partition(":")[0].lower()
    figures = (run.nmi_members, run.ari_members, run.ari_methods)
    return (
        run.name,
        str(run.n_clusters),
        f"{run.seconds:.2f}",
        *("–" if value != value else f"{value:.3f}" for value in figures),
        compared.standing(run),
    )
