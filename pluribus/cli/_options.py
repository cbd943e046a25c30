"""The options, each written once: type, name on the command line, help. Without a default they are "not given", and the
function that does the work has the default."""

import enum
from pathlib import Path
from typing import Annotated

import typer


class Scale(enum.StrEnum):
    """How numeric columns are scaled."""

    standard = "standard"
    robust = "robust"
    none = "none"


class Metric(enum.StrEnum):
    """How rows are compared."""

    euclidean = "euclidean"
    cosine = "cosine"


class ConstraintLevel(enum.StrEnum):
    """Where constraints are used."""

    consensus = "consensus"
    evidence = "evidence"


class Engine(enum.StrEnum):
    """Where the work is done."""

    local = "local"
    dask = "dask"


class Missing(enum.StrEnum):
    """How pairs that no partition covers count."""

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


def _columns(text: str) -> list[str]:
    """Column names from a comma-separated list."""
    return [name.strip() for name in text.split(",") if name.strip()]


def _number(text: str) -> int | str:
    """A whole number of clusters, or "auto"."""
    word = text.strip().lower()
    if word == "auto":
        return word
    try:
        return int(word)
    except ValueError:
        raise typer.BadParameter(f"{text!r}: give a whole number, such as 3, or 'auto'.") from None


Table = Annotated[Path, typer.Argument(help="A table: CSV (any delimiter), Parquet or NPZ.", metavar="DATA")]
LabelFiles = Annotated[
    list[Path], typer.Argument(help="Files of labels: a column for each clustering.", metavar="LABELS...")
]
K = Annotated[
    object, typer.Option("--k", parser=_number, help="Number of clusters; by default it is found.", metavar="K|auto")
]
Method = Annotated[
    str | None,
    typer.Option(
        help="A consensus function, such as lwsm or eac, or a method that clusters without an ensemble, such as "
        "cop-kmeans or sl-did: `pluribus methods` lists them. Default: the one that suits the table.",
        metavar="NAME",
    ),
]
Consensus = Annotated[
    str | None,
    typer.Option(
        help="A consensus function: `pluribus methods` lists them. Or all: a table of them, and which to prefer. "
        "Default: the best of three linkages of the evidence, or of the clusterings.",
        metavar="NAME|all",
    ),
]
Members = Annotated[
    int | None, typer.Option(help="Number of clusterings in the ensemble; by default 20 to 100.", min=1)
]
Seed = Annotated[int | None, typer.Option("--seed", help="Same seed, same result. Default: 0.", min=0, max=2**32 - 1)]
Id = Annotated[str | None, typer.Option("--id", help="Column that names the rows (default: one called 'id').")]
Ignore = Annotated[
    object, typer.Option(parser=_columns, help="Columns to leave out, separated by commas.", metavar="COLUMNS")
]
Out = Annotated[
    Path | None,
    typer.Option("--out", help="Directory for the results (default: named after the file).", metavar="DIR"),
]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace files of the same names that are not results of pluribus.")
]
MustLink = Annotated[
    Path | None,
    typer.Option(help="CSV of pairs of ids that belong together; a column 'weight' makes preferences."),
]
CannotLink = Annotated[Path | None, typer.Option(help="CSV of pairs of ids that belong apart; weights as above.")]
KnownLabels = Annotated[
    Path | None, typer.Option(help="CSV of ids and labels: equal labels belong together, different ones apart.")
]
Level = Annotated[
    ConstraintLevel | None,
    typer.Option(
        help="Constraints hold in the result (consensus, the default), or they only change the evidence.",
    ),
]
MemoryLimit = Annotated[
    str | None,
    typer.Option(
        help="Memory that the job may take, such as 4GB or 50% of what is free (default: 70%). It decides what is held "
        "in memory and what in files; a job that cannot stay within it is refused before work starts.",
        metavar="SIZE",
    ),
]
MinSize = Annotated[
    str | None,
    typer.Option(help="The fewest objects of a cluster: a number, or a share (0.1, 10%).", metavar="SIZE"),
]
MaxSize = Annotated[str | None, typer.Option(help="The most objects of a cluster; as above.", metavar="SIZE")]
Balance = Annotated[bool, typer.Option("--balance", help="Clusters of equal size, up to one object.")]
Noise = Annotated[
    bool, typer.Option("--noise", help="Leave objects unclustered (-1) whose evidence for any cluster is weak.")
]
Distances = Annotated[
    bool, typer.Option("--distances", help="The table is square: distances between the rows, not features.")
]
Edges = Annotated[
    Path | None,
    typer.Option(
        "--graph",
        help="CSV or Parquet of links between the rows, by their ids; used with --connected.",
        metavar="EDGES",
    ),
]
Connected = Annotated[
    bool,
    typer.Option(
        "--connected",
        help="Each cluster is connected along the links of --graph. Methods: connected-kmeans (default), netscan, ckc.",
    ),
]
OtherThan = Annotated[
    list[str] | None,
    typer.Option(
        "--other-than",
        help="A file of labels that you know, or FILE:COLUMN: the result is to say something new. May be given several "
        "times. Methods: best-alternative (default), condens and others.",
        metavar="LABELS",
    ),
]
Resume = Annotated[bool, typer.Option("--resume", help="Continue a job that was stopped.")]
Jobs = Annotated[
    int | None, typer.Option("--jobs", help="Cores; -1 is all. The result does not depend on it. Default: -1.")
]
EngineName = Annotated[
    Engine | None, typer.Option(help="Work on this machine, or on a Dask cluster (needs --scheduler). Same result.")
]
Scheduler = Annotated[
    str | None,
    typer.Option(help="The scheduler of the Dask cluster, such as tcp://10.0.0.1:8786.", metavar="ADDRESS"),
]
Gaps = Annotated[
    Missing | None,
    typer.Option("--missing", help="Pairs of objects that no clustering covers: refused (default), or count as apart."),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")]
Ids = Annotated[str | None, typer.Option("--id", help="Column that names the objects (default: one called 'id').")]
Data = Annotated[Path | None, typer.Option("--data", help="The table of the objects.", metavar="FILE")]
IgnoreData = Annotated[
    object,
    typer.Option(
        "--ignore", parser=_columns, help="Columns of the data to leave out, separated by commas.", metavar="COLUMNS"
    ),
]
Scaling = Annotated[Scale | None, typer.Option("--scale", help="How numeric columns are scaled. Default: standard.")]
MetricName = Annotated[
    Metric | None,
    typer.Option(
        "--metric", help="How rows are compared. Default: euclidean. With cosine, columns are not scaled by default."
    ),
]
Impute = Annotated[bool, typer.Option("--impute", help="Fill missing values (median, most frequent).")]
Json = Annotated[
    bool, typer.Option("--json", help="Print JSON and nothing else; files are written only if --out is given.")
]
OneLabels = Annotated[str, typer.Argument(help="A file of labels, or FILE:COLUMN.", metavar="A")]
OtherLabels = Annotated[str, typer.Argument(help="Another one; it may be the same file.", metavar="B")]
Every = Annotated[bool, typer.Option("--all", help="Every measure, with its range.")]
Candidates = Annotated[
    list[str], typer.Argument(help="Files of labels, each column a candidate; or FILE:COLUMN.", metavar="LABELS...")
]
EnsembleFile = Annotated[
    Path | None, typer.Option("--ensemble", help="Clusterings that the candidates came from.", metavar="FILE")
]
FewestAlike = Annotated[
    int | None, typer.Option("--k", help="The fewest rows that must look alike. Default: 10.", min=1)
]
Quasi = Annotated[
    object,
    typer.Option(
        parser=_columns,
        help="Columns by which somebody could be found, separated by commas (default: all but the id and the sensitive "
        "one).",
        metavar="COLUMNS",
    ),
]
Sensitive = Annotated[
    str | None, typer.Option(help="Column that is published as it is, such as a diagnosis.", metavar="COLUMN")
]
LDiversity = Annotated[
    float | None, typer.Option("--l", help="How diverse the sensitive column must be in each group.", min=1)
]
DiversityKind = Annotated[
    Diversity | None,
    typer.Option(
        help="At least l different values (distinct, the default); an entropy of at least log(l); or a most frequent "
        "value that is less than m times as frequent as the l-th and all rarer ones."
    ),
]
MRecursive = Annotated[float | None, typer.Option("--m", help="For --diversity recursive. Default: 2.", min=0)]
GeneralizeTo = Annotated[
    Generalize | None,
    typer.Option(help="What numbers of a group become (mean); categories: most frequent, or set of values."),
]
Signal = Annotated[
    Path,
    typer.Argument(help="A table with a row for each time: CSV (any delimiter), Parquet or NPZ.", metavar="SIGNAL"),
]
TimeColumn = Annotated[
    str | None,
    typer.Option(
        "--time", help="Column with the time of each row (default: rows are in order, and numbered).", metavar="COLUMN"
    ),
]
WindowRows = Annotated[int | None, typer.Option(help="Rows of a window. Default: 10.", min=1)]
Surrogates = Annotated[
    int | None, typer.Option(help="Drifting signals that the test compares with. Default: 99.", min=1)
]
References = Annotated[Path, typer.Argument(help="A table with one row for each reference.", metavar="REFERENCES")]
Links = Annotated[
    str | None,
    typer.Option(
        help="References that occur together: a column with the name of what they occur in, or a CSV file of two "
        "columns, that name and the id of a reference.",
        metavar="COLUMN|FILE",
    ),
]
Name = Annotated[
    object,
    typer.Option(
        parser=_columns,
        help="Columns to compare references by, separated by commas (default: all).",
        metavar="COLUMNS",
    ),
]
Alpha = Annotated[
    float | None,
    typer.Option(help="Weight of the links against the columns. Default: 0.5.", min=0, max=1),
]
Threshold = Annotated[
    float | None,
    typer.Option(help="Lowest similarity at which references are merged (default: where the entities change least)."),
]
Questions = Annotated[int | None, typer.Option(help="How many questions to ask. Default: 20.", min=1)]
AskMethod = Annotated[
    str | None,
    typer.Option(
        help="Which rows to ask about: minmax (least like all rows asked about before; the default), evidence (on "
        "which clusterings disagree), farthest or npu.",
        metavar="NAME",
    ),
]
AnswerFile = Annotated[
    Path | None, typer.Option("--out", help="CSV file for the answers (default: NAME-answers.csv).", metavar="FILE")
]
Model = Annotated[
    Path, typer.Argument(help="The directory of results of pluribus cluster, or its model.pluribus.", metavar="MODEL")
]
NewTable = Annotated[Path, typer.Argument(help="A table with the same columns.", metavar="NEW")]
ClusterFile = Annotated[
    Path | None, typer.Option("--out", help="CSV file for the clusters (default: NEW-clusters.csv).", metavar="FILE")
]
CombineLabels = Annotated[
    bool, typer.Option("--combine", help="DATA has labels, a column for each clustering, in place of features.")
]
SavedSession = Annotated[
    Path | None, typer.Option("--session", help="A session.json that the studio exported, to go on with.")
]
Port = Annotated[int | None, typer.Option(help="Port of the page; by default any free one.", min=1, max=65535)]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Print the address, and open no browser.")]
