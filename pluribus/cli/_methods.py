"""What ``pluribus combine --method all`` says of the methods: a table, and which to prefer."""

from rich.console import Console
from rich.table import Table as Grid

from pluribus.consensus import MethodComparison, MethodRun


def say(console: Console, compared: MethodComparison) -> list[str]:
    """Print the table, what went wrong, and the verdict; return what the methods warned of, for the report."""
    grid = Grid(title=f"{len(compared.completed)} consensus functions, k = {compared.n_clusters}", title_justify="left")
    grid.add_column("method")
    for name in ("k", "seconds", "NMI with\nmembers", "ARI with\nmembers", "ARI with\nmethods"):
        grid.add_column(name, justify="right")
    grid.add_column("")
    for run in compared.runs:
        grid.add_row(*_row(run, compared), style="bold" if run.name == compared.preferred else "")
    console.print(grid)
    notes = [f"{run.name}: {note}" for run in compared.runs for note in run.notes]
    problems = [f"{run.name}: {run.problem}" for run in compared.runs if run.problem]
    for line in (*problems, *notes):
        console.print(f"  {line}", markup=False, highlight=False)
    console.print(f"Preferred: {compared.preferred}. {compared.verdict}", markup=False, highlight=False)
    return notes


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
