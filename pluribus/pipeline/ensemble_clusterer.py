"""From data to consensus in one estimator."""

import warnings
from numbers import Integral, Real
from os import PathLike
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from pluribus._engine import EngineMixin, as_cluster, memory_budget, seeds
from pluribus.consensus import ConstrainedEvidenceAccumulation, EvidenceAccumulation, LocallyWeightedConsensus
from pluribus.consensus._internal import accumulate, as_preferences, configured, enough_clusters, name_of
from pluribus.consensus.refine.mark_noise import without_weak
from pluribus.constraints import Constraints
from pluribus.constraints._internal import as_constraints
from pluribus.generate import preset
from pluribus.generate._internal import looked_through
from pluribus.pipeline._defaults import accumulates, suitable_consensus, suitable_generator
from pluribus.pipeline._nearest_rows import NearestRows
from pluribus.pipeline._plan import plan_of
from pluribus.tables import Rows
from pluribus.tables._internal import BLOCK

LEVELS = ("generating", "accumulating", "extracting")  # where constraints can be heeded


class EnsembleClusterer(EngineMixin, ClusterMixin, BaseEstimator):
    """Cluster data many times in different ways, and return the partition that the many agree on.

    A generator makes an ensemble of partitions of X; a consensus function combines them. The result knows how sure it
    is of each object: where the members of the ensemble disagree, ``uncertainty_`` is high.

    Parameters
    ----------
    generator : Generator, mix, or name of a preset, optional
        See ``pluribus.generate``; by default ``suitable_generator(consensus, n_clusters, shape=X.shape)``.
    consensus : consensus function or its name, default ``suitable_consensus(X, n_clusters)``
        See ``pluribus.consensus``. By default, if no generator is given either: members through landmarks, which see
        clusters of any shape, and evidence in which each of their clusters counts by how far the other members keep it
        together ("lwsm"). Where that does not apply (a table of more than 100,000 rows or 100,000,000 numbers, more
        than 20 clusters, constraints, weights, or a generator of your own): ``EvidenceAccumulation`` with average link
        ("eac").
    n_clusters : int, optional
        Number of clusters of the result. By default the one with the longest lifetime in the evidence: where the mean
        evidence between the clusters that would be merged next falls by the largest factor; of "lwsm", one that halves
        of the ensemble find again. It is sought from 2 to the number of clusters of the coarsest member; if some
        members have fewer than 10, of the finest.
    noise : bool, default=False
        Leave objects unclustered (-1) that the ensemble ties only weakly to any cluster: their mean evidence for their
        own is less than 60 % of what half of its objects have. ``membership_`` and ``predict`` give them a cluster.
    constraints_at : {"extracting", "accumulating", "generating"} or several of them
        Where the constraints given to ``fit`` are heeded. "extracting": when the partition is taken from the evidence.
        Hard constraints then hold, and the ensemble stays what the data say. "accumulating": the evidence of the pairs
        is changed, towards 1 or 0. "generating": each member keeps to them; the generator's clusterers must take
        constraints, as those of ``pluribus.constrained`` do. Without "extracting" constraints are advice that may be
        broken: ``violations_`` has what was.
    checkpoint : path, optional
        A directory that keeps each finished member of the ensemble: a fit that was stopped continues there.
    memory_limit : number of bytes, or text such as "4GB" or "50%", optional
        What the fit may take, by default 70 % of the free memory. It decides what is held in memory and what in files,
        and whether all pairs are looked at; what cannot fit is refused before work starts. ``plan_`` says what was
        chosen.
    random_state : int, RandomState or None
    engine : "dask", the address of a scheduler, or a distributed.Client, optional
        A Dask cluster whose workers make the ensemble and, if evidence accumulation goes along the strongest pairs of
        each object, find these; "dask" is the client in scope. By default all is done in this process. The labels are
        the same.
    n_jobs : int, optional
        Cores for the generation of the ensemble, and for the consensus by default; a consensus function that is given
        has its own. The result does not depend on it.
    verbose : bool
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters are numbered from the largest, before noise is left out.
    n_clusters_ : int
    membership_ : ndarray of shape (n, n_clusters_)
    uncertainty_ : ndarray of shape (n,)
        Normalized entropy of the memberships, 0 to 1.
    ensemble_ : Ensemble
    consensus_ : the fitted consensus function
    plan_ : Plan
        What it takes of memory, and what was chosen for that.
    reasons_ : tuple of str
        What was chosen where nothing was said, a sentence for each choice.
    violations_ : Violations
        The constraints that are broken; soft ones only, if they are heeded while extracting.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from pluribus import EnsembleClusterer
    >>> X, _ = make_blobs(300, centers=[[0, 0], [8, 0], [0, 8]], random_state=0)
    >>> model = EnsembleClusterer(random_state=0).fit(X)
    >>> model.n_clusters_
    3
    >>> len(set(model.predict([[0.1, 0.2], [7.5, 0.5], [-0.3, 8.1]]).tolist()))
    3
    >>> from pluribus import Constraints
    >>> known = Constraints(300, must_link=[(0, 1)], cannot_link=[(2, 3)])
    >>> EnsembleClusterer(n_clusters=3, random_state=0).fit(X, constraints=known).violations_.count
    0
    """

    _parameter_constraints: dict = {
        "generator": [HasMethods("generate"), str, None],
        "consensus": [HasMethods("fit"), str, None],
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "noise": ["boolean"],
        "constraints_at": [StrOptions(set(LEVELS)), tuple, list],
        "checkpoint": [str, PathLike, None],
        "memory_limit": [Real, str, None],
        "random_state": ["random_state"],
        "engine": "no_validation",
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        generator: Any = None,
        consensus: Any = None,
        n_clusters: int | None = None,
        *,
        noise: bool = False,
        constraints_at: str | tuple[str, ...] = "extracting",
        checkpoint: str | PathLike | None = None,
        memory_limit: float | str | None = None,
        random_state: Any = None,
        engine: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.generator = generator
        self.consensus = consensus
        self.n_clusters = n_clusters
        self.noise = noise
        self.constraints_at = constraints_at
        self.checkpoint = checkpoint
        self.memory_limit = memory_limit
        self.random_state = random_state
        self.engine = engine
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self, X: Any, y: Any = None, *, constraints: Constraints | None = None, sample_weight: Any = None
    ) -> "EnsembleClusterer":
        """Cluster X.

        Parameters
        ----------
        X : array, memory map, sparse matrix, data frame, Rows, or path of a Parquet or .npy file; shape (n, d)
            Arrays and memory maps of float32 or float64 are not copied; files, ``pluribus.tables.Rows`` and what is in
            Dask (an array or a data frame) are read in parts, and may be larger than the memory.
        y : ignored
        constraints : Constraints, optional
            What is known about the n rows.
        sample_weight : array of shape (n,), optional
            How much each row counts when the members are made; the generator's clusterers must take it, as k-means
            does. The consensus is about the rows, each of which counts once.
        """
        self._validate_params()
        X = self._checked(looked_through(X, as_cluster(self.engine), self.verbose))
        n = X.shape[0]
        if self.n_clusters is not None and self.n_clusters > n:
            raise ValueError(f"n_clusters={self.n_clusters} is more than the {n} rows of X.")
        known = as_constraints(constraints, n)
        levels = self._levels() if known != Constraints(n) else ()
        generator_seed, consensus_seed, sample_seed = seeds(self.random_state, 3)
        chosen = self.consensus
        if chosen is None and self.generator is None and not levels and sample_weight is None:
            chosen = suitable_consensus(X, self.n_clusters)
        generator = self._ready_generator(chosen, X.shape, generator_seed)
        consensus = self._ready_consensus(chosen, consensus_seed, levels)
        if isinstance(X, Rows) and getattr(consensus, "needs_data", False):
            raise ValueError(
                f"{type(consensus).__name__} compares rows and needs them in memory: give X as an array, or another "
                "consensus function."
            )
        if "extracting" in levels and self.n_clusters is not None:
            known.ensure_feasible(self.n_clusters, allow_empty=False)
        told: dict[str, Any] = {"constraints": known} if "generating" in levels else {}
        if sample_weight is not None:
            told["sample_weight"] = sample_weight
        with memory_budget(self.memory_limit):
            method = "eac" if consensus is None else name_of(consensus)
            form = getattr(consensus, "evidence", "auto")
            self.plan_ = plan_of(X, generator, method, self.n_clusters, evidence=form)
            with config_context(assume_finite=True):  # it has just been looked through
                self.ensemble_ = generator.generate(X, store=self.checkpoint, **told)
            self.consensus_ = self._combine(consensus, X, known, levels)
        self.labels_ = self.consensus_.labels_
        if self.noise:
            self.labels_ = without_weak(self.ensemble_, self.labels_)
        self.n_clusters_ = self.consensus_.n_clusters_
        self.membership_ = self.consensus_.membership_
        self.uncertainty_ = self.consensus_.uncertainty_
        self.violations_ = known.violations(self.labels_)
        self.reasons_ = self._reasons(generator)
        if self.violations_.n_hard:
            warnings.warn(
                f"{self.violations_.n_hard} hard constraints are broken, since constraints_at={self.constraints_at!r} "
                "takes them as advice; violations_ has them. Add 'extracting' to make them hold.",
                UserWarning,
                stacklevel=2,
            )
        self._nearest = NearestRows(X, self.consensus_.labels_, sample_seed)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The cluster of new rows: that of their nearest rows in the fitted data, nearer ones counting for more.

        Of more than 100,000 rows a sample is kept to be searched, from each cluster in proportion.

        Parameters
        ----------
        X : what ``fit`` takes
            Files, ``Rows`` and what is in Dask are read in parts.
        """
        check_is_fitted(self)
        X = looked_through(X)
        if isinstance(X, Rows):
            if X.shape[1] != self.n_features_in_:
                raise ValueError(f"X has {X.shape[1]} features, but {self.n_features_in_} were fitted.")
            return np.concatenate([self._nearest.predict(block) for _, block in X.blocks(BLOCK)])
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        return self._nearest.predict(X)

    def _checked(self, X: Any) -> Any:
        """X as an array, csr matrix or Rows, not copied if it is one already."""
        if not isinstance(X, Rows):
            return validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_min_samples=2)
        if X.shape[0] < 2:
            raise ValueError("X has one row: give at least two to cluster.")
        self.n_features_in_ = X.shape[1]
        self.__dict__.pop("feature_names_in_", None)
        return X

    def _ready_generator(self, consensus: Any, shape: tuple[int, int], seed: int) -> Any:
        if self.generator is None:
            generator = suitable_generator(consensus, self.n_clusters, shape=shape)
        elif isinstance(self.generator, str):
            generator = preset(self.generator)
        else:
            generator = clone(self.generator)
        own = generator.get_params(deep=False)
        generator.set_params(n_jobs=own["n_jobs"] if own.get("n_jobs") is not None else self.n_jobs)
        if "engine" in own and own["engine"] is None:
            generator.set_params(engine=self.engine)
        if own.get("random_state") is None:
            generator.set_params(random_state=seed)
        return generator.set_params(verbose=self.verbose)

    def _levels(self) -> tuple[str, ...]:
        levels = (self.constraints_at,) if isinstance(self.constraints_at, str) else tuple(self.constraints_at)
        if not levels or not set(levels) <= set(LEVELS):
            raise ValueError(f"constraints_at={self.constraints_at!r}: give one or several of {', '.join(LEVELS)}.")
        return levels

    def _ready_consensus(self, chosen: Any, seed: int, levels: tuple[str, ...]) -> Any:
        """The consensus function with all but what depends on the ensemble; None stands for evidence accumulation."""
        told = bool({"extracting", "accumulating"} & set(levels))
        if accumulates(chosen) and not told:
            return None
        chosen = ConstrainedEvidenceAccumulation() if accumulates(chosen) else chosen
        consensus = configured(chosen, n_clusters=self.n_clusters, random_state=seed, verbose=self.verbose)
        if self.consensus is None and isinstance(consensus, LocallyWeightedConsensus):
            consensus.set_params(n_jobs=self.n_jobs)
        if isinstance(consensus, EvidenceAccumulation) and consensus.engine is None:
            consensus.set_params(engine=self.engine)
        if told and not getattr(consensus, "takes_constraints", False):
            raise ValueError(
                f"{type(consensus).__name__} takes no constraints: use consensus='ceac' or 'acccs', or let only the "
                "members keep to them, with constraints_at='generating'."
            )
        return consensus

    def _combine(self, consensus: Any, X: Any, known: Constraints, levels: tuple[str, ...]) -> Any:
        how = {"engine": self.engine, "n_jobs": self.n_jobs, "verbose": self.verbose}
        if consensus is None:
            return accumulate(self.ensemble_, self.n_clusters, **how)
        finds_k = getattr(consensus, "finds_n_clusters", False)
        if not finds_k and consensus.get_params(deep=False).get("n_clusters", 0) is None:
            found = accumulate(self.ensemble_, None, **how).n_clusters_
            consensus.set_params(n_clusters=enough_clusters(known, found) if "extracting" in levels else found)
        looks = any(getattr(consensus, name, False) for name in ("needs_data", "takes_data"))
        more = {"X": X} if looks else {}
        if "extracting" in levels:
            more["constraints"] = (
                known  # preferences change the evidence here too, and of hard pairs it decides nothing
            )
        elif "accumulating" in levels:
            more["constraints"] = as_preferences(known)
        return consensus.fit(self.ensemble_, **more)

    def _reasons(self, generator: Any) -> tuple[str, ...]:
        """What was chosen, and why."""
        reasons = []
        weighted = isinstance(self.consensus_, LocallyWeightedConsensus)
        if self.generator is None:
            if generator.clusterer == "landmarks":
                seen = f", each of {generator.subspace:.0%} of the features" if generator.subspace < 1 else ""
                kind = f"spectral clustering through landmarks{seen}: they follow clusters of any shape"
            elif generator.n_clusters == "auto":
                kind = "k-means with many clusters: their pieces make up clusters of any shape"
            else:
                kind = "k-means with about as many clusters as the result: the consensus function fits them to it"
            reasons.append(f"{len(self.ensemble_)} members by {kind}.")
        if self.consensus is None:
            reasons.append(
                "Evidence: each of their clusters counts by how far the other members keep it together."
                if weighted
                else "Average link: objects belong together that are often in one cluster of a member."
            )
        if self.n_clusters is None and hasattr(self.consensus_, "reproduced_"):
            reasons.append(self.consensus_.reproduced_.sentence)
        if hasattr(self.consensus_, "merging_"):
            reasons.append(self.consensus_.merging_.sentence)
        return tuple(reasons)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
