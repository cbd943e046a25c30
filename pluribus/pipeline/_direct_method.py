"""One method that clusters the data directly, in place of an ensemble and its consensus."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from pluribus._engine import seeds, track
from pluribus.constraints import Constraints
from pluribus.constraints._internal import refuse_kinds
from pluribus.evidence import mean_evidence
from pluribus.partitions import Ensemble
from pluribus.partitions._internal import normalized_entropy
from pluribus.pipeline._merge_trees import merge_record
from pluribus.pipeline._methods import alternative_names, direct_method
from pluribus.pipeline._sizes import Sizes

RUNS = 10  # of the method, which the result is compared with
SHARE = 0.8  # of the objects that a run sees, if the method has no random start
OF_STARTS = (
    f"There is no ensemble: the members are {RUNS} starts of the same method without constraints. The cost of a "
    "constraint is the share of them that contradict it."
)
OF_CONNECTED = (
    "Each cluster is connected: links lead from any member to any other without leaving it. There is no ensemble: the "
    f"members are {RUNS} starts of the same method along the same links."
)
OF_OTHERS = f"There is no ensemble: the members are {RUNS} starts of the same method, other than the same partition."
OF_SAMPLES = (
    f"There is no ensemble: the members are {RUNS} runs of the same method, each on {SHARE:.0%} of the objects."
)
ON_ALL = "{} of these runs saw all objects, because the method refused their samples as too small or too uniform."
OF_UNCERTAINTY = (
    "The method gives no memberships: the uncertainty of an object is how much those runs disagree on its cluster."
)
# What methods need that has no option here, and where it is taken.
_ELSEWHERE = {
    "aggregate": ("conditions on columns, which are", "constrained.AggregateConstrainedKMeans, or anonymize"),
    "cobras": ("answers to its questions, which are", "constrained.Cobras, whose fit takes an oracle"),
}
_OF_ENSEMBLES = ("members", "noise", "engine", "constraint_level")
_OF_COUNTS = ("feedback", "condens-em", "itcc", "spectral-cocluster")
_OF_NONZEROS = ("cdk-means", "itcc", "spectral-cocluster")  # which cluster rows by the columns that are not zero
_SIZED, _LOWER_ONLY = "size-constrained", "balanced"  # methods that take sizes; the second no upper bound


class DirectMethod:
    """A method that clusters data, with further runs of it in place of the ensemble.

    The runs use no constraints. They are other starts, or for a method without chance they see samples of the objects.
    It has the attributes of a fitted ``EnsembleClusterer`` that a ``Clustering`` is made of.
    """

    k_choice_ = None
    combines = False

    def __init__(self, name: str, k: int | None, *, seed: int, verbose: bool, **how: Any) -> None:
        self.name, self.seed, self.verbose = name, seed, verbose
        given = how | {"n_clusters": k, "random_state": seed, "verbose": verbose}
        takes = parameters_of(name)
        self.method = direct_method(name)(
            **{key: value for key, value in given.items() if value is not None and key in takes}
        )

    def fit(
        self, X: Any, *, constraints: Constraints | None = None, graph: Any = None, other_than: Any = None
    ) -> "DirectMethod":
        """Cluster the rows of features, or of distances if the method's metric is "precomputed".

        Along a graph, if one is given; other than a known partition, if one is given.
        """
        known = {} if constraints is None else {"constraints": constraints}
        linked = {} if graph is None else {"graph": graph}
        other = {} if other_than is None else {"known": other_than}
        self.consensus_ = self.method.fit(X, **known, **linked, **other)
        if self._has_random_starts():
            self.ensemble_ = self._starts(X, linked | other)
            reasons = [OF_CONNECTED if linked else OF_OTHERS if other else OF_STARTS]
        else:
            self.ensemble_, n_refused = self._samples(X, linked | other)
            reasons = [OF_SAMPLES, *([ON_ALL.format(n_refused)] if n_refused else [])]
        if not hasattr(self.consensus_, "membership_"):
            self._measure(self.consensus_)
            reasons.append(OF_UNCERTAINTY)
        self.reasons_ = (*reasons, *getattr(self.consensus_, "reasons_", ()))
        self.labels_ = self.consensus_.labels_
        self.merge_record_ = merge_record(self.consensus_, X)
        self.membership_, self.uncertainty_ = self.consensus_.membership_, self.consensus_.uncertainty_
        return self

    def _has_random_starts(self) -> bool:
        """A method may take a seed for some of its forms alone."""
        again = self._again()
        return "random_state" in again.get_params(deep=False) and getattr(again, "has_random_starts", True)

    def _again(self) -> Any:
        """What the further runs repeat: the method, or the one that it has chosen."""
        return getattr(self.consensus_, "best_estimator_", self.method)

    def _starts(self, X: Any, given: Mapping[str, Any]) -> Ensemble:
        plain = self._quiet()
        if "n_init" in plain.get_params(deep=False):
            plain.set_params(n_init=1)
        return self._runs(lambda seed: clone(plain).set_params(random_state=seed).fit(X, **given).labels_, "starts")

    def _samples(self, X: Any, given: Mapping[str, Any]) -> tuple[Ensemble, int]:
        """Runs on samples, and how many of them saw all objects, since the method refused the sample."""
        n, refused = X.shape[0], []
        size = max(min(n, 3), round(SHARE * n))
        paired = getattr(self.method, "metric", None) == "precomputed"

        def run(seed: int) -> np.ndarray:
            drawn = np.sort(np.random.default_rng(seed).choice(n, size, replace=False))
            of_drawn = {
                name: value[drawn][:, drawn] if name == "graph" else value.iloc[drawn] for name, value in given.items()
            }
            try:
                model = self._quiet().fit(X[np.ix_(drawn, drawn)] if paired else X[drawn], **of_drawn)
            except ValueError:
                refused.append(seed)
                return self.consensus_.labels_
            labels = np.full(n, -1)
            labels[drawn] = model.labels_
            return labels

        return self._runs(run, "runs on samples"), len(refused)

    def _quiet(self) -> Any:
        plain = clone(self._again())
        return plain.set_params(verbose=False) if "verbose" in plain.get_params(deep=False) else plain

    def _runs(self, run: Callable[[int], np.ndarray], what: str) -> Ensemble:
        labels = [run(seed) for seed in track(seeds(self.seed, RUNS), f"{what} to compare with", verbose=self.verbose)]
        return Ensemble(labels, names=[f"{self.name} {start}" for start in range(1, RUNS + 1)])

    def _measure(self, result: Any) -> None:
        """Memberships of a hard partition: the mean evidence of the runs, as for a consensus."""
        evidence = mean_evidence(self.ensemble_, result.labels_, result.n_clusters_)
        total = evidence.sum(axis=1, keepdims=True)
        own = np.eye(result.n_clusters_)[result.labels_]
        result.membership_ = np.divide(evidence, total, out=own, where=total > 0)
        result.uncertainty_ = normalized_entropy(result.membership_)


def parameters_of(name: str) -> Mapping[str, inspect.Parameter]:
    """The parameters of a direct method."""
    return inspect.signature(direct_method(name)).parameters


def check_options(name: str, options: Mapping[str, Any], known: Constraints | None, sizes: Sizes | None) -> None:
    """Refuse options that the method has no use for, before any work."""
    if name in _ELSEWHERE:
        needs, where = _ELSEWHERE[name]
        raise ValueError(f"method={name!r} needs {needs} not taken here: use {where}.")
    given = {option: options[option] for option in _OF_ENSEMBLES if options[option] not in (None, False)}
    useless = [f"{option}={value!r}" for option, value in given.items()]
    if useless:
        raise ValueError(
            f"method={name!r} clusters without an ensemble, and has no use for {', '.join(useless)}: leave out one or "
            "the other."
        )
    _check_k(name, options["k"])
    if options["distances"] and "metric" not in parameters_of(name):
        raise ValueError(f"method={name!r} needs features, not distances: use method='sl-did', or give a table.")
    method = direct_method(name)(**({"n_clusters": 1} if needs_k(name) else {}))
    takes_constraints = "constraints" in inspect.signature(method.fit).parameters
    keeps = getattr(method, "keeps", ("pairs",)) if takes_constraints else ()
    if known is not None and "pairs" not in keeps:
        refuse_kinds(known, ("pairs", *keeps))
        raise ValueError(
            f"method={name!r} takes no pairs and no known labels: leave out must_link, cannot_link and known_labels, "
            "or choose another method."
        )
    if sizes is None or name == _SIZED:
        return
    if name != _LOWER_ONLY:
        raise ValueError(f"method={name!r} takes no sizes: use method={_SIZED!r}.")
    if sizes.most is not None or sizes.balance:
        raise ValueError(f"method={name!r} takes min_size only: for other sizes use method={_SIZED!r}.")


def needs_k(name: str) -> bool:
    """Whether a direct method has to be given the number of clusters."""
    number = parameters_of(name).get("n_clusters")
    return number is not None and number.default is not None


def _check_k(name: str, k: int | None) -> None:
    if name in alternative_names():
        if k == 1:
            raise ValueError("k=1: a partition that says something new has 2 clusters or more.")
        return
    if k is None and needs_k(name):
        raise ValueError(f"method={name!r} does not find the number of clusters: give k.")
    if k is not None and "n_clusters" not in parameters_of(name):
        raise ValueError(f"method={name!r} finds the number of clusters itself: leave out k.")


def check_data(name: str, X: Any, scale: str) -> None:
    """Refuse features that the method cannot take."""
    if name == "cdk-means" and not np.isin(X.data if sparse.issparse(X) else X, (0, 1)).all():
        raise ValueError(
            f"method={name!r} is for tables of 0 and 1: use scale='none' for such a table; "
            "pluribus.tables.boolean_table makes one from numbers and categories."
        )
    empty = np.flatnonzero(np.asarray(abs(X).sum(axis=1)).ravel() == 0) if name in _OF_NONZEROS else np.empty(0, int)
    if len(empty):
        raise ValueError(
            f"method={name!r} clusters rows by what is not zero, and {len(empty):,} of them are all zero, such as row "
            f"{empty[0] + 1:,}: leave these out."
        )
    if name in _OF_COUNTS and X.min() < 0:
        if scale == "none":
            raise ValueError(f"method={name!r} is for counts of words: the table has negative numbers.")
        raise ValueError(
            f"method={name!r} is for counts of words, and scale={scale!r} makes numbers negative: use scale='none'."
        )
