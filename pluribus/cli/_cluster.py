"""``pluribus cluster``: a table -> an ensemble -> a consensus -> a report."""

import copy
import shutil
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from rich.console import Console

from pluribus._engine import as_cluster, memory_budget, seeds
from pluribus.cli import _direct, _input, _large, _number, _output, _sizes
from pluribus.cli._errors import Interrupted
from pluribus.cli._known import check_feasible, read_known
from pluribus.consensus import by_name, without_weak
from pluribus.consensus._internal import configured
from pluribus.constraints import Constraints
from pluribus.partitions import Ensemble
from pluribus.pipeline import EnsembleClusterer, plan_of, suitable_consensus, suitable_generator
from pluribus.report._internal import KIndices, k_indices
from pluribus.tables import Rows
from pluribus.validate import KChoice

KEPT = "members"  # the directory of finished members, while the job is not done


@dataclass(frozen=True)
class ClusterJob:
    """The options of the command."""

    data: Path
    k: str = "auto"
    consensus: str | None = None
    members: int | None = None
    seed: int = 0
    id_column: str | None = None
    ignore: str = ""
    scale: Literal["standard", "robust", "none"] = "standard"
    impute: bool = False
    out: Path | None = None
    resume: bool = False
    jobs: int = -1
    memory_limit: str | None = None
    engine: Literal["local", "dask"] = "local"
    scheduler: str | None = None
    quiet: bool = False
    must_link: Path | None = None
    cannot_link: Path | None = None
    known_labels: Path | None = None
    min_size: str | None = None
    max_size: str | None = None
    balance: bool = False
    noise: bool = False
    constrained_method: str | None = None
    constraints_at: Literal["extracting", "accumulating"] | None = None


def run(job: ClusterJob) -> _output.Written:
    """Do the job and write its results."""
    with memory_budget(job.memory_limit):
        return _run(job)


def _run(job: ClusterJob) -> _output.Written:
    console = Console(quiet=job.quiet)
    start = time.perf_counter()
    k = _input.number_of_clusters(job.k)
    if job.consensus is not None:
        _input.check_consensus(job.consensus, "--consensus")
    _input.check_jobs(job.jobs)
    sizes = _sizes.read(job.min_size, job.max_size, job.balance)
    direct = None if job.constrained_method is None else _direct.check_options(job.constrained_method, k, _given(job))
    engine = _input.engine(job.engine, job.scheduler)
    cluster = as_cluster(engine)  # refuses what does not answer
    data = _large.read(job.data, job.id_column, _input.columns(job.ignore), job.scale, job.impute, cluster)
    _input.check_fits(k, data.X.shape[0])
    known, not_used = read_known(job.must_link, job.cannot_link, job.known_labels, data.ids)
    check_feasible(known, k, data.ids)
    _sizes.check(sizes, direct, known, data.X.shape[0], k)
    if job.noise and sizes is not None:
        raise ValueError("--noise leaves objects out of clusters whose sizes are bounded: leave out one of the two.")
    told = known is not None and known != Constraints(data.X.shape[0])
    consensus = (job.consensus or ("eac" if told else suitable_consensus(data.X, k))).lower()
    generator = suitable_generator(consensus, k, job.members, shape=data.X.shape)
    if job.constraints_at is not None and known is None:
        raise ValueError("--constraints-at is for constraints: give --must-link, --cannot-link or --known-labels too.")
    if data.array is None and (direct is not None or by_name(consensus)().needs_data):
        what = "--constrained-method" if direct is not None else f"--consensus {consensus}"
        raise ValueError(f"{what} needs the whole table in memory, and it is too large: choose another.")
    if direct is not None and data.array is not None:
        _direct.check_known(direct, known)
        _direct.check_data(direct, data.array, job.scale)
    notes = [*data.notes, *not_used]
    console.print(f"{job.data.name}: {data.X.shape[0]:,} objects, {data.X.shape[1]} features", markup=False)
    for note in notes:
        console.print(f"  {note}", markup=False, highlight=False)
    if direct is None:
        plan = plan_of(data.X, generator, consensus, k, beside=data.beside)
        notes += _output.say_plan(console, plan, data.X.shape[0], asked=job.memory_limit is not None)

    out = _input.ready_directory(job.out or Path(f"{data.name}-pluribus"))
    kept = out / KEPT
    _check_kept(kept, job.resume)
    choice: KChoice | None = None
    model: Any = None
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            if k is None and known is None and _number.is_chosen(consensus):
                choice = choose(job, engine, generator, data.X, kept)
                ensemble, fitted = choice.ensemble, combined(job, consensus, choice, data.array)
            else:
                bounds = {} if sizes is None or k is None else sizes.bounds(data.X.shape[0], k)
                model = clusterer(job, engine, direct, consensus, generator, k, kept, **bounds)
                model.fit(data.X, constraints=known)
                ensemble, fitted = model.ensemble_, model.consensus_
        notes += _output.say_warnings(console, caught)
        if isinstance(model, _direct.DirectMethod):
            notes += _output.say(console, model.notes)
        elif model is not None:
            notes += _output.say(console, list(model.reasons_))
        if sizes is not None and direct is None:
            fitted, said = sizes.kept_by(fitted)
            notes += _output.say(console, said)
        if job.noise:
            fitted, said = _without_weak(fitted, ensemble)
            notes += _output.say(console, said)
        judged: KIndices | None = None
        if choice is not None:
            notes += _number.say(console, choice)
            judged = k_indices(choice, choice.n_clusters)
        elif k is None:
            judged, said = _number.second_opinion(fitted.labels_, ensemble, data.array, job.seed, verbose=not job.quiet)
            notes += said
        case = _output.case_of(
            fitted,
            Ensemble(ensemble, ids=data.ids),
            k=k,
            title=job.data.name,
            ids=data.ids,
            X=data.array,
            feature_names=data.feature_names,
            frame=data.frame,
            notes=notes,
            k_indices=judged,
            known=known,
            combined=direct is None,
            parameters={
                "data": job.data.name,
                "k": job.k,
                **({"consensus": consensus, "members": generator.n_members} if direct is None else {}),
                **_told(job),
                "id": data.id_column,
                "ignore": job.ignore,
                "scale": job.scale,
                "impute": job.impute,
            },
            seed=job.seed,
        )
        written = _output.write(
            case, out, {"seconds": round(time.perf_counter() - start, 2), **_number.figures(choice)}
        )
    except KeyboardInterrupt:
        if direct is not None:
            raise
        done = len(list(kept.glob("task-[0-9]*.npz")))
        raise Interrupted(
            f"Stopped. {done} of {generator.n_members} members are kept in {kept}; run the same command with --resume "
            "to go on."
        ) from None
    shutil.rmtree(kept, ignore_errors=True)
    _output.summarize(console, case, written)
    return written


def clusterer(
    job: ClusterJob,
    engine: str | None,
    direct: str | None,
    consensus: str,
    generator: Any,
    k: int | None,
    kept: Path,
    **bounds: Any,
) -> Any:
    """What clusters the rows: an ensemble and its consensus, or one method without an ensemble."""
    if direct is not None and k is not None:
        asked = {name: bound for name, bound in bounds.items() if bound is not None}
        return _direct.DirectMethod(direct, k, seed=job.seed, jobs=job.jobs, verbose=not job.quiet, **asked)
    by_default = job.consensus is None and job.members is None  # it then chooses the same, and says why
    return EnsembleClusterer(
        None if by_default else generator,
        None if by_default else consensus,
        k,
        constraints_at=job.constraints_at or "extracting",
        checkpoint=kept,
        random_state=job.seed,
        engine=engine,
        n_jobs=job.jobs,
        verbose=not job.quiet,
    )


def _without_weak(fitted: Any, ensemble: Ensemble) -> tuple[Any, list[str]]:
    """The consensus without the objects that the ensemble ties to no cluster, and how many they are."""
    kept = copy.copy(fitted)
    kept.labels_ = without_weak(ensemble, fitted.labels_)
    n_weak = int((kept.labels_ != fitted.labels_).sum())
    return kept, [f"{n_weak:,} of {len(kept.labels_):,} objects are left unclustered (-1): their evidence is weak."]


def choose(job: ClusterJob, engine: str | None, generator: Any, X: np.ndarray | Rows, kept: Path) -> KChoice:
    """Make the ensemble that ``EnsembleClusterer`` would make, and choose the number of clusters."""
    generator.set_params(random_state=seeds(job.seed, 2)[0], engine=engine, n_jobs=job.jobs, verbose=not job.quiet)
    ensemble = generator.generate(X, store=kept)
    in_memory = X if isinstance(X, np.ndarray) else None
    return _number.choose(ensemble, in_memory, seed=job.seed, engine=engine, jobs=job.jobs, verbose=not job.quiet)


def combined(job: ClusterJob, consensus: str, choice: KChoice, X: np.ndarray | None) -> Any:
    """The consensus function, fitted with the number that was chosen."""
    if consensus == "eac":
        return _number.accumulated(choice)
    seed = seeds(job.seed, 2)[1]
    function = configured(consensus, n_clusters=choice.n_clusters, random_state=seed, verbose=not job.quiet)
    return function.fit(choice.ensemble, **({"X": X} if function.needs_data else {}))


def _told(job: ClusterJob) -> dict[str, object]:
    """What is known and how it is heeded, for the report."""
    names = ("must_link", "cannot_link", "known_labels")
    files = {name.replace("_", "-"): path.name for name in names if (path := getattr(job, name)) is not None}
    how = {"constrained-method": job.constrained_method, "constraints-at": job.constraints_at}
    asked = _sizes.told(job.min_size, job.max_size, job.balance) | ({"noise": True} if job.noise else {})
    return files | {option: value for option, value in how.items() if value is not None} | asked


def _given(job: ClusterJob) -> dict[str, bool]:
    """Which options are given that concern ensembles."""
    return {
        "--consensus": job.consensus != ClusterJob.consensus,
        "--members": job.members != ClusterJob.members,
        "--resume": job.resume,
        "--noise": job.noise,
        "--engine": job.engine != ClusterJob.engine,
        "--constraints-at": job.constraints_at is not None,
    }


def _check_kept(kept: Path, resume: bool) -> None:
    """Refuse to start anew over the remains of a stopped job, unless it is to be continued."""
    found = len(list(kept.glob("task-[0-9]*.npz")))
    if found and not resume:
        raise ValueError(
            f"{kept} keeps {found} finished members of a job that was stopped. Add --resume to go on with it, remove "
            "that directory to start anew, or give another --out."
        )
