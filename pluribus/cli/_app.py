"""The commands. Each is a signature and its help; the work is done by ``run`` in the module of the same name."""

import functools
import importlib
import inspect
import signal
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperOption

from pluribus.cli import _options as o
from pluribus.cli._errors import explained

app = typer.Typer(
    help="Out of many clusterings, and what you know, one partition that you can trust.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)


class _EachOnce(TyperCommand):
    """A command that refuses an option with two values, of which the last would silently win."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        for option in given:
            if not isinstance(option, TyperOption) or option.multiple or option.is_flag:
                continue
            if (times := given.count(option)) > 1:
                all_in_one = ", with all columns separated by commas" if option.metavar == "COLUMNS" else ""
                ctx.fail(f"Option {option.opts[0]!r} is given {times} times: give it once{all_in_one}.")
        return super().parse_args(ctx, args)


def command(function: Callable[..., None]) -> Callable[..., None]:
    """A command whose options, as far as they are given, go to ``run`` in ``pluribus.cli._NAME``."""
    names = list(inspect.signature(function).parameters)

    @functools.wraps(function)
    def called(**options: Any) -> None:
        given = {name: value for name, value in options.items() if value is not None and value is not False}
        module = importlib.import_module(f"pluribus.cli._{function.__name__}")
        explained(module.run, names)(**{name: getattr(value, "value", value) for name, value in given.items()})

    app.command(cls=_EachOnce)(called)
    return function


def _version(show: bool) -> None:
    if show:
        from pluribus import __version__

        typer.echo(f"pluribus {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


@command
def cluster(
    data: o.Table,
    k: o.K = None,
    method: o.Method = None,
    members: o.Members = None,
    distances: o.Distances = False,
    seed: o.Seed = None,
    id_column: o.Id = None,
    ignore: o.Ignore = None,
    scale: o.Scaling = None,
    impute: o.Impute = False,
    metric: o.MetricName = None,
    out: o.Out = None,
    overwrite: o.Overwrite = False,
    resume: o.Resume = False,
    n_jobs: o.Jobs = None,
    memory_limit: o.MemoryLimit = None,
    engine: o.EngineName = None,
    scheduler: o.Scheduler = None,
    quiet: o.Quiet = False,
    json: o.Json = False,
    must_link: o.MustLink = None,
    cannot_link: o.CannotLink = None,
    known_labels: o.KnownLabels = None,
    constraint_level: o.Level = None,
    min_size: o.MinSize = None,
    max_size: o.MaxSize = None,
    balance: o.Balance = False,
    noise: o.Noise = False,
    graph: o.Edges = None,
    connected: o.Connected = False,
    other_than: o.OtherThan = None,
) -> None:
    """Cluster a table: many clusterings, one consensus, a report on how sure it is.

    Writes labels.csv, ensemble.parquet, model.json, model.pluribus and report.html.
    """


@command
def combine(
    labels: o.LabelFiles,
    k: o.K = None,
    method: o.Consensus = None,
    seed: o.Seed = None,
    id_column: o.Id = None,
    ignore: o.Ignore = None,
    missing: o.Gaps = None,
    out: o.Out = None,
    overwrite: o.Overwrite = False,
    memory_limit: o.MemoryLimit = None,
    quiet: o.Quiet = False,
    json: o.Json = False,
    must_link: o.MustLink = None,
    cannot_link: o.CannotLink = None,
    known_labels: o.KnownLabels = None,
    min_size: o.MinSize = None,
    max_size: o.MaxSize = None,
    balance: o.Balance = False,
) -> None:
    """Combine clusterings of the same objects into one.

    Several files are joined by their id column; without one, row by row.
    """


@command
def predict(
    model: o.Model,
    new: o.NewTable,
    id_column: o.Id = None,
    out: o.ClusterFile = None,
    quiet: o.Quiet = False,
    json: o.Json = False,
) -> None:
    """Assign new rows to the clusters of an earlier result.

    Columns are prepared as they were then. Writes a CSV file of ids, clusters and memberships.
    """


@command
def compare(
    a: o.OneLabels,
    b: o.OtherLabels,
    data: o.Data = None,
    every: o.Every = False,
    id_column: o.Ids = None,
    ignore: o.IgnoreData = None,
    scale: o.Scaling = None,
    impute: o.Impute = False,
    out: o.Out = None,
    overwrite: o.Overwrite = False,
    json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Compare two clusterings of the same objects: how far apart, and on which objects.

    Writes compare.html, compare.csv and disagreement.csv. With --data, also distances that use the positions of the
    objects, and a map.
    """


@command
def validate(
    labels: o.Candidates,
    data: o.Data = None,
    ensemble: o.EnsembleFile = None,
    id_column: o.Ids = None,
    ignore: o.IgnoreData = None,
    scale: o.Scaling = None,
    impute: o.Impute = False,
    out: o.Out = None,
    overwrite: o.Overwrite = False,
    json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Say which of several clusterings of the same objects to prefer, by several indices and a vote.

    They are compared with the data (--data), the ensemble they came from (--ensemble), or both. Writes validate.html,
    validate.csv and indices.csv.
    """


@command
def anonymize(
    data: o.Table,
    k: o.FewestAlike = None,
    quasi: o.Quasi = None,
    sensitive: o.Sensitive = None,
    l: o.LDiversity = None,  # noqa: E741
    diversity: o.DiversityKind = None,
    m: o.MRecursive = None,
    generalize: o.GeneralizeTo = None,
    seed: o.Seed = None,
    id_column: o.Id = None,
    ignore: o.Ignore = None,
    out: o.Out = None,
    overwrite: o.Overwrite = False,
    n_jobs: o.Jobs = None,
    quiet: o.Quiet = False,
    json: o.Json = False,
) -> None:
    """Publish a table so that each row looks like at least k - 1 others (k-anonymity), with little loss.

    Writes the anonymous table, in the same format and order of rows, and report.html.
    """


@command
def states(
    signal: o.Signal,
    time: o.TimeColumn = None,
    windows: o.WindowRows = None,
    surrogates: o.Surrogates = None,
    seed: o.Seed = None,
    id_column: o.Id = None,
    ignore: o.Ignore = None,
    scale: o.Scaling = None,
    impute: o.Impute = False,
    out: o.Out = None,
    overwrite: o.Overwrite = False,
    resume: o.Resume = False,
    n_jobs: o.Jobs = None,
    quiet: o.Quiet = False,
    json: o.Json = False,
) -> None:
    """Find the states of a signal and when they changed, and test whether there are any.

    Writes states.csv and states.html.
    """


@command
def resolve(
    references: o.References,
    links: o.Links = None,
    name: o.Name = None,
    alpha: o.Alpha = None,
    threshold: o.Threshold = None,
    id_column: o.Id = None,
    ignore: o.Ignore = None,
    must_link: o.MustLink = None,
    cannot_link: o.CannotLink = None,
    out: o.Out = None,
    overwrite: o.Overwrite = False,
    quiet: o.Quiet = False,
    json: o.Json = False,
) -> None:
    """Find out who is who: which rows of a table are references to the same person, paper or place.

    Writes entities.csv, merges.csv and report.html.
    """


@command
def ask(
    data: o.Table,
    questions: o.Questions = None,
    method: o.AskMethod = None,
    k: o.K = None,
    seed: o.Seed = None,
    id_column: o.Id = None,
    ignore: o.Ignore = None,
    scale: o.Scaling = None,
    impute: o.Impute = False,
    out: o.AnswerFile = None,
    json: o.Json = False,
) -> None:
    """Show two rows at a time, and ask whether they belong together.

    The answers are kept after each one, and asking goes on where it ended.
    """


@command
def studio(
    data: o.Table,
    combine: o.CombineLabels = False,
    session: o.SavedSession = None,
    k: o.K = None,
    method: o.Method = None,
    members: o.Members = None,
    seed: o.Seed = None,
    id_column: o.Id = None,
    ignore: o.Ignore = None,
    scale: o.Scaling = None,
    impute: o.Impute = False,
    graph: o.Edges = None,
    out: o.Out = None,
    port: o.Port = None,
    no_browser: o.NoBrowser = False,
    quiet: o.Quiet = False,
) -> None:
    """Open a page in the browser to look at a clustering, say what is wrong with it, and see it follow.

    The session is kept: the same command goes on with it. It serves this machine only.
    """


@command
def methods(json: o.Json = False) -> None:
    """List the methods: what each is for, and what it costs."""


@command
def demo(out: o.Out = None, quiet: o.Quiet = False, json: o.Json = False) -> None:
    """Cluster an embedded table (178 wines, 13 measurements) and write the report."""


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that knows no emoji is no reason to stop
    for name in ("SIGTERM", "SIGHUP"):  # a job that is told to end tidies up, as after Ctrl-C
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:  # nohup ignores the second
            signal.signal(number, signal.default_int_handler)
    app(prog_name="pluribus")
