"""The commands and their options. The work is done in one module for each command, loaded when it is called."""

import enum
import sys
from pathlib import Path
from typing import Annotated

import typer

from pluribus.cli._errors import explained

app = typer.Typer(
    help="Out of many clusterings, and what you know, one partition that you can trust.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)


class Scale(enum.StrEnum):
    """How numeric columns are scaled."""

    standard = "standard"
    robust = "robust"
    none = "none"


class ConstraintsAt(enum.StrEnum):
    """Where what is known is heeded."""

    extracting = "extracting"
    accumulating = "accumulating"


class Engine(enum.StrEnum):
    """Where the work is done."""

    local = "local"
    dask = "dask"


class Unobserved(enum.StrEnum):
    """What to do with pairs that no partition covers."""

    error = "error"
    zero = "zero"


class Diversity(enum.StrEnum):
    """How the values of a sensitive column must be spread."""

    distinct = "distinct"
    entropy = "entropy"
    recursive = "recursive"


class Generalize(enum.StrEnum):
    """What the numbers of a group become."""

    mean = "mean"
    range = "range"
    median = "median"


_CONSENSUS = (
    "Consensus function: acccs, ceac, cspa, eac, embedding, hbgf, hgpa, lifthac, liftkm, lwea, lwgp, lwsm, mcla, "
    "medoid, mmec, penca, ppc, qmi, scec or voting; by default lwsm, or eac for large tables, more than 20 clusters "
    "and with constraints."
)

K = Annotated[str, typer.Option("--k", help="Number of clusters, or 'auto' to find it.", metavar="K|auto")]
Seed = Annotated[int, typer.Option("--seed", help="Same seed, same result.", min=0, max=2**32 - 1)]
Id = Annotated[str | None, typer.Option("--id", help="Column that names the rows (default: one called 'id').")]
Ignore = Annotated[str, typer.Option("--ignore", help="Columns to leave out, separated by commas.", metavar="COLUMNS")]
Out = Annotated[
    Path | None,
    typer.Option("--out", help="Directory for the results (default: the file's name and -pluribus).", metavar="DIR"),
]
MustLink = Annotated[
    Path | None,
    typer.Option("--must-link", help="CSV of pairs of ids that belong together; a column 'weight' makes preferences."),
]
CannotLink = Annotated[
    Path | None, typer.Option("--cannot-link", help="CSV of pairs of ids that belong apart; weights as above.")
]
KnownLabels = Annotated[
    Path | None, typer.Option("--known-labels", help="CSV of ids and labels: equal ones together, others apart.")
]
MemoryLimit = Annotated[
    str | None,
    typer.Option(
        "--memory-limit",
        help="What the job may take, such as 4GB or 50% of what is free (default: 70%). It decides what is held in "
        "memory, in files, or not at all; what cannot fit is refused before work starts.",
        metavar="SIZE",
    ),
]
MinSize = Annotated[
    str | None,
    typer.Option(help="The fewest objects of a cluster: a number, or a share (0.1, 10%).", metavar="SIZE"),
]
MaxSize = Annotated[str | None, typer.Option(help="The most objects of a cluster; as above.", metavar="SIZE")]
Balance = Annotated[bool, typer.Option("--balance", help="Clusters of equal size, but for one object.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")]
Ids = Annotated[str | None, typer.Option("--id", help="Column that names the objects (default: one called 'id').")]
Data = Annotated[Path | None, typer.Option("--data", help="The table of the objects.", metavar="FILE")]
IgnoreData = Annotated[
    str, typer.Option("--ignore", help="Columns of the data to leave out, separated by commas.", metavar="COLUMNS")
]
Scaling = Annotated[Scale, typer.Option("--scale", help="How numeric columns are scaled.")]
Impute = Annotated[bool, typer.Option("--impute", help="Fill missing values (median, most frequent).")]
Json = Annotated[
    bool, typer.Option("--json", help="Print JSON and nothing else; files are written only if --out is given.")
]


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


@app.command()
@explained
def cluster(
    data: Annotated[Path, typer.Argument(help="A table: CSV (any delimiter), Parquet or NPZ.")],
    k: K = "auto",
    consensus: Annotated[str | None, typer.Option(help=_CONSENSUS, metavar="NAME")] = None,
    members: Annotated[
        int | None,
        typer.Option(help="Number of clusterings in the ensemble; by default 20 to 80 good or 100 simple ones.", min=1),
    ] = None,
    seed: Seed = 0,
    id_column: Id = None,
    ignore: Ignore = "",
    scale: Scaling = Scale.standard,
    impute: Impute = False,
    out: Out = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue a job that was stopped.")] = False,
    jobs: Annotated[int, typer.Option(help="Cores; -1 is all. The result does not depend on it.")] = -1,
    memory_limit: MemoryLimit = None,
    engine: Annotated[
        Engine, typer.Option(help="Work on this machine, or on a Dask cluster: needs --scheduler. Same result.")
    ] = Engine.local,
    scheduler: Annotated[
        str | None,
        typer.Option(
            help="Where the scheduler of the Dask cluster is, such as tcp://10.0.0.1:8786.", metavar="ADDRESS"
        ),
    ] = None,
    quiet: Quiet = False,
    must_link: MustLink = None,
    cannot_link: CannotLink = None,
    known_labels: KnownLabels = None,
    min_size: MinSize = None,
    max_size: MaxSize = None,
    balance: Balance = False,
    noise: Annotated[
        bool, typer.Option("--noise", help="Leave objects unclustered (-1) whose evidence for any cluster is weak.")
    ] = False,
    constrained_method: Annotated[
        str | None,
        typer.Option(
            help="Cluster by this method directly, without an ensemble: cop-kmeans, pckmeans, mpckmeans, gmm, "
            "penalized, mean-field, size-constrained, balanced …; needs --k.",
            metavar="NAME",
        ),
    ] = None,
    constraints_at: Annotated[
        ConstraintsAt | None,
        typer.Option(
            help="Heed constraints when the partition is taken from the evidence (they hold), or as advice, in the "
            "evidence itself. Default: extracting.",
        ),
    ] = None,
) -> None:
    """Cluster a table: many clusterings, one consensus, a report on how sure it is.

    Writes labels.csv, ensemble.parquet, model.json and report.html.
    """
    from pluribus.cli._cluster import ClusterJob, run

    run(
        ClusterJob(
            data=data,
            k=k,
            consensus=consensus,
            members=members,
            seed=seed,
            id_column=id_column,
            ignore=ignore,
            scale=scale.value,
            impute=impute,
            out=out,
            resume=resume,
            jobs=jobs,
            memory_limit=memory_limit,
            engine=engine.value,
            scheduler=scheduler,
            quiet=quiet,
            must_link=must_link,
            cannot_link=cannot_link,
            known_labels=known_labels,
            min_size=min_size,
            max_size=max_size,
            balance=balance,
            noise=noise,
            constrained_method=constrained_method,
            constraints_at=None if constraints_at is None else constraints_at.value,
        )
    )


@app.command()
@explained
def combine(
    labels: Annotated[list[Path], typer.Argument(help="Files of labels: a column for each clustering.")],
    k: K = "auto",
    method: Annotated[
        str, typer.Option(help=f"{_CONSENSUS} Or all: a table of them, and which to prefer.", metavar="NAME|all")
    ] = "eac",
    seed: Seed = 0,
    id_column: Id = None,
    ignore: Ignore = "",
    unobserved: Annotated[
        Unobserved, typer.Option(help="Pairs of objects that no clustering covers: refuse, or count as apart.")
    ] = Unobserved.error,
    out: Out = None,
    memory_limit: MemoryLimit = None,
    quiet: Quiet = False,
    must_link: MustLink = None,
    cannot_link: CannotLink = None,
    known_labels: KnownLabels = None,
    min_size: MinSize = None,
    max_size: MaxSize = None,
    balance: Balance = False,
) -> None:
    """Combine clusterings of the same objects into one.

    Several files are joined by their id column; without one, row by row.
    """
    from pluribus.cli._combine import CombineJob, run

    run(
        CombineJob(
            labels=labels,
            k=k,
            method=method,
            seed=seed,
            id_column=id_column,
            ignore=ignore,
            unobserved=unobserved.value,
            out=out,
            memory_limit=memory_limit,
            quiet=quiet,
            must_link=must_link,
            cannot_link=cannot_link,
            known_labels=known_labels,
            min_size=min_size,
            max_size=max_size,
            balance=balance,
        )
    )


@app.command()
@explained
def compare(
    a: Annotated[str, typer.Argument(help="A file of labels, or FILE:COLUMN.", metavar="A")],
    b: Annotated[str, typer.Argument(help="Another one; it may be the same file.", metavar="B")],
    data: Data = None,
    every: Annotated[bool, typer.Option("--all", help="Every measure, with its range.")] = False,
    id_column: Ids = None,
    ignore: IgnoreData = "",
    scale: Scaling = Scale.standard,
    impute: Impute = False,
    out: Out = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare two clusterings of the same objects: how far apart, and on which objects.

    Writes compare.html, compare.csv and disagreement.csv. With --data, also distances that know where the objects are,
    and a map.
    """
    from pluribus.cli._compare import CompareJob, run
    from pluribus.cli._data import DataOptions

    run(
        CompareJob(
            a=a,
            b=b,
            data=None if data is None else DataOptions(data, ignore, scale.value, impute),
            every=every,
            id_column=id_column,
            out=out,
            as_json=json,
            quiet=quiet,
        )
    )


@app.command()
@explained
def validate(
    labels: Annotated[
        list[str], typer.Argument(help="Files of labels, each column a candidate; or FILE:COLUMN.", metavar="LABELS...")
    ],
    data: Data = None,
    ensemble: Annotated[
        Path | None,
        typer.Option("--ensemble", help="Clusterings that the candidates came from.", metavar="FILE"),
    ] = None,
    id_column: Ids = None,
    ignore: IgnoreData = "",
    scale: Scaling = Scale.standard,
    impute: Impute = False,
    out: Out = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say which of several clusterings of the same objects to prefer, by several indices and a vote.

    They are held against the data (--data), the ensemble they came from (--ensemble), or both. Writes validate.html,
    validate.csv and indices.csv.
    """
    from pluribus.cli._data import DataOptions
    from pluribus.cli._validate import ValidateJob, run

    run(
        ValidateJob(
            labels=labels,
            data=None if data is None else DataOptions(data, ignore, scale.value, impute),
            ensemble=ensemble,
            id_column=id_column,
            out=out,
            as_json=json,
            quiet=quiet,
        )
    )


@app.command()
@explained
def anonymize(
    data: Annotated[Path, typer.Argument(help="A table: CSV (any delimiter), Parquet or NPZ.")],
    k: Annotated[int, typer.Option("--k", help="The fewest rows that must look alike.", min=1)] = 10,
    quasi: Annotated[
        str,
        typer.Option(
            help="Columns by which somebody could be found, separated by commas (default: all but the id and the "
            "sensitive one).",
            metavar="COLUMNS",
        ),
    ] = "",
    sensitive: Annotated[
        str | None, typer.Option(help="Column that is published as it is, such as a diagnosis.", metavar="COLUMN")
    ] = None,
    l: Annotated[  # noqa: E741
        float | None, typer.Option("--l", help="How diverse the sensitive column must be in each group.", min=1)
    ] = None,
    diversity: Annotated[
        Diversity,
        typer.Option(
            help="At least l different values; an entropy of at least log(l); or a most frequent value that is less "
            "than m times as frequent as the l-th and all rarer ones."
        ),
    ] = Diversity.distinct,
    m: Annotated[float, typer.Option("--m", help="For --diversity recursive.", min=0)] = 2.0,
    generalize: Annotated[
        Generalize, typer.Option(help="What numbers of a group become; categories: most frequent, or set of values.")
    ] = Generalize.mean,
    seed: Seed = 0,
    id_column: Id = None,
    ignore: Ignore = "",
    out: Out = None,
    jobs: Annotated[int, typer.Option(help="Cores; -1 is all. The result does not depend on it.")] = -1,
    quiet: Quiet = False,
) -> None:
    """Publish a table so that each row looks like at least k - 1 others (k-anonymity), with little loss.

    Writes the anonymous table, in the same format and order of rows, and report.html.
    """
    from pluribus.cli._anonymize import AnonymizeJob, run

    run(
        AnonymizeJob(
            data=data,
            k=k,
            quasi=quasi,
            sensitive=sensitive,
            l=l,
            diversity=diversity.value,
            m=m,
            generalize=generalize.value,
            seed=seed,
            id_column=id_column,
            ignore=ignore,
            out=out,
            jobs=jobs,
            quiet=quiet,
        )
    )


@app.command()
@explained
def ask(
    data: Annotated[Path, typer.Argument(help="A table: CSV (any delimiter), Parquet or NPZ.")],
    questions: Annotated[int, typer.Option(help="How many questions to ask.", min=1)] = 20,
    method: Annotated[
        str,
        typer.Option(
            help="Which rows to ask about: minmax (those least like all asked about), evidence (those on which "
            "clusterings are divided), farthest or npu.",
            metavar="NAME",
        ),
    ] = "minmax",
    k: K = "auto",
    seed: Seed = 0,
    id_column: Id = None,
    ignore: Ignore = "",
    scale: Scaling = Scale.standard,
    impute: Impute = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="CSV file for the answers (default: NAME-answers.csv).", metavar="FILE"),
    ] = None,
) -> None:
    """Show two rows at a time, and ask whether they belong together.

    The answers are kept after each one, and asking goes on where it ended.
    """
    from pluribus.cli._ask import AskJob, run

    run(
        AskJob(
            data=data,
            questions=questions,
            method=method,
            k=k,
            seed=seed,
            id_column=id_column,
            ignore=ignore,
            scale=scale.value,
            impute=impute,
            out=out,
        )
    )


@app.command()
@explained
def demo(out: Out = None, quiet: Quiet = False) -> None:
    """Cluster an embedded table (178 wines, 13 measurements) and write the report."""
    from pluribus.cli._demo import run

    run(out, quiet)


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that knows no emoji is no reason to stop
    app(prog_name="pluribus")
