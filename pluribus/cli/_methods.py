"""``pluribus methods``: the methods there are, what each is for, and what it costs."""

from rich.table import Table as Grid

from pluribus.cli._screen import Screen, print_json
from pluribus.pipeline._internal import method_list


def run(*, json: bool = False) -> None:
    """Print the lists."""
    methods = method_list()
    if json:
        print_json([method._asdict() for method in methods])
        return
    screen = Screen()
    for kind in dict.fromkeys(method.kind for method in methods):
        grid = Grid(title=kind, title_justify="left")
        for name in ("name", "suits", "cost", "for"):
            grid.add_column(name)
        for method in methods:
            if method.kind == kind:
                grid.add_row(method.name, method.suits, method.cost, method.calls)
        screen.console.print(grid)
    screen.line(
        "Use a name with --method of the command in the last column, or by_name of the room in Python; each has a page "
        "in the documentation, under Methods."
    )
