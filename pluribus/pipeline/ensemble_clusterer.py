"""From data to consensus in one estimator."""

import warnings
from collections.abc import Callable
from numbers import Integral, Real
from os import PathLike
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from pluribus._engine import EngineMixin, as_cluster, memory_budget, seeds, whole_number
from pluribus.consensus import (
    EvidenceAccumulation,
    mark_noise,
)
from pluribus.consensus._internal import accumulate, as_preferences, configured, feasible_n_clusters, name_of
from pluribus.constraints import Constraints
from pluribus.constraints._internal import as_constraints
from pluribus.generate import preset
from pluribus.pipeline._answer import find_answer
from pluribus.pipeline._defaults import default_consensus, default_generator, is_steady, with_more_members
from pluribus.pipeline._k_choice import accumulated, choose
from pluribus.pipeline._nearest_rows import NearestRows
from pluribus.pipeline._partition import Partition
from pluribus.pipeline._plan import Plan, plan_of
from pluribus.pipeline._reasons import reasons
from pluribus.pipeline._sizes import Sizes, stated_sizes
from pluribus.tables import Rows
from pluribus.tables._internal import BLOCK, METRICS, open_data, single_floats, unit_rows

LEVELS = ("members", "evidence", "consensus")  # at which constraints are used


class EnsembleClusterer(EngineMixin, ClusterMixin, BaseEstimator):
    """Cluster data many times in different ways, and return the partition that the many agree on.

    A generator makes an ensemble of partitions of X; a consensus function combines them. The result knows how sure it
    is of each object: where the members of the ensemble disagree, ``uncertainty_`` is high.

    Parameters
    ----------
    generator : Generator, mix, or name of a preset, optional
        See ``pluribus.generate``; by default ``default_generator(consensus, n_clusters, shape=X.shape)``.
    consensus : consensus function or its name, default ``default_consensus(X, n_clusters)``
        See ``pluribus.consensus``. If neither consensus nor generator is given, members are made through landmarks,
        which follow clusters of any shape, and their clusters are weighted by how consistently the other members
        reproduce them ("lwsm"). ``EvidenceAccumulation`` with average link ("eac") is used instead for more than
        100,000 rows that are not in memory, for more than 100 clusters, for wide sparse tables, with constraints or
        weights, and with a generator of your own.
    n_members : int, optional
        Number of clusterings in the ensemble; by default that of the generator. For "lwsm" and up to 2,500 rows, these
        are 80, and 200 if you give ``n_clusters`` and halves of the 80 disagree.
    n_clusters : int, optional
        Number of clusters of the result. By default it is found: with candidates, the one that they and the evidence
        speak most for (``k_ladder_``), or 1 if there is no evidence of clusters (``verdict_``). Without candidates,
        "lwsm" takes the number with the longest lifetime in the evidence that halves of the ensemble find again; for
        other functions, :func:`pluribus.validate.choose_k` decides.
    min_size, max_size : int, float or text, optional
        Bounds on the number of objects in a cluster: a number, or a share of all (0.1, "10%"). Objects are moved where
        that costs the least membership.
    balance : bool, default=False
        Clusters of equal size, up to one object.
    noise : bool, default=False
        Leave objects unclustered (-1) that the ensemble ties only weakly to any cluster: their mean evidence for their
        own cluster is less than 60 % of the median in it. ``membership_`` and ``predict`` give them a cluster.
    candidates : {"auto", None}, default="auto"
        "auto" also makes simpler partitions with the same number of clusters (Genie on a spanning tree, k-means,
        Gaussian mixtures), and takes the one that agrees best with the others and fits the neighborhoods of the
        objects; memberships are then estimates of the chance that an object is right. It applies to "lwsm" and rows in
        memory. With None, the partition is that of the consensus function.
    metric : {"euclidean", "cosine"}, default="euclidean"
        How rows are compared. "cosine" divides each row by its length once, in a copy of X; distances between such rows
        order pairs as the cosine does. It suits embeddings and texts, and needs X in memory. A row of zeros is refused.
    constraint_level : {"consensus", "evidence", "members"} or several of them
        Where the constraints given to ``fit`` are used. "consensus": when the partition is taken from the evidence.
        Hard constraints then hold, and the ensemble depends on the data alone. "evidence": the evidence of the pairs is
        moved towards 1 or 0. "members": each member satisfies them; the generator's clusterers must take constraints,
        as those of ``pluribus.constrained`` do. Without "consensus", constraints are preferences that may be violated:
        ``violations_`` lists those that were.
    checkpoint : path, optional
        A directory that keeps each finished member of the ensemble: a fit that was stopped continues there.
    memory_limit : number of bytes, or text such as "4GB" or "50%", optional
        Memory that the fit may take, by default 70 % of the free memory. It decides what is held in memory and what in
        files, and whether all pairs are looked at. A fit that cannot stay within it is refused before work starts.
        ``plan_`` holds the estimate.
    random_state : int, RandomState or None
    engine : "dask", the address of a scheduler, or a distributed.Client, optional
        A Dask cluster whose workers make the ensemble and, if evidence accumulation goes along the strongest pairs of
        each object, find these; "dask" is the client in scope. By default all work is done in this process. The labels
        are the same.
    n_jobs : int, optional
        Cores for the generation of the ensemble and for the default consensus; a consensus function that is given has
        its own. The result does not depend on it.
    verbose : bool
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters are numbered from the largest, before sizes are bounded and noise is left out.
    n_clusters_ : int
    membership_ : ndarray of shape (n, n_clusters_)
    uncertainty_ : ndarray of shape (n,)
        Normalized entropy of the memberships, 0 to 1.
    ensemble_ : Ensemble
    consensus_ : the fitted consensus function
        With the partition of the ensemble, also if another candidate was taken.
    choice_ : Choice or None
        The candidates, the terms and value of each, and which was taken; None without candidates.
    reproducibility_ : ndarray of shape (n_clusters_,) or None
        How well each cluster is found again: its mean Jaccard index with the most similar cluster in ten halves of the
        objects or, for a merge of the evidence, in halves of the ensemble. None without candidates.
    structure_ : Structure or None
        Whether there are clusters at all, by :func:`pluribus.validate.find_structure`; None if it was not asked: for
        consensus functions other than "lwea" and "lwsm", and for sparse data without candidates.
    verdict_ : {"clusters", "undecided", "none"} or None
        That of ``structure_``. With "none", all objects are in one cluster, unless you gave ``n_clusters`` or bounds on
        sizes.
    k_ladder_ : KLadder or None
        The levels that are worth a look, if the number of clusters was found among candidates; see ``cut``.
    k_choice_ : KChoice or None
        The vote on the number of clusters, if :func:`pluribus.validate.choose_k` chose it.
    plan_ : Plan
        Memory that the fit takes, and what was chosen for that.
    reasons_ : tuple of str
        Each choice that was made by default, in a sentence.
    violations_ : Violations
        The constraints that are violated; soft ones only, at the level "consensus".

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
        "n_members": [Interval(Integral, 1, None, closed="left"), None],
        "min_size": [Real, str, None],
        "max_size": [Real, str, None],
        "balance": ["boolean"],
        "noise": ["boolean"],
        "candidates": [StrOptions({"auto"}), None],
        "metric": [StrOptions(set(METRICS))],
        "constraint_level": [StrOptions(set(LEVELS)), tuple, list],
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
        n_members: int | None = None,
        min_size: float | str | None = None,
        max_size: float | str | None = None,
        balance: bool = False,
        noise: bool = False,
        candidates: str | None = "auto",
        metric: str = "euclidean",
        constraint_level: str | tuple[str, ...] = "consensus",
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
        self.n_members = n_members
        self.min_size = min_size
        self.max_size = max_size
        self.balance = balance
        self.noise = noise
        self.candidates = candidates
        self.metric = metric
        self.constraint_level = constraint_level
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
            Arrays and memory maps of float32 or float64 are not copied; float16 becomes float32. Files,
            ``pluribus.tables.Rows`` and what is in Dask (an array or a data frame) are read in parts, and may be larger
            than the memory.
        y : ignored
        constraints : Constraints, optional
            What is known about the n rows.
        sample_weight : array of shape (n,), optional
            How much each row counts when the members are made; the generator's clusterers must take it, as k-means
            does. The consensus is about the rows, each of which counts once.
        """
        return self.fit_planned(X, constraints=constraints, sample_weight=sample_weight)

    def fit_planned(
        self,
        X: Any,
        *,
        constraints: Constraints | None = None,
        sample_weight: Any = None,
        held: float = 0,
        on_plan: Callable[[Plan], None] | None = None,
    ) -> "EnsembleClusterer":
        """Cluster X as ``fit`` does, and hand over the memory plan before work starts.

        Parameters
        ----------
        X, constraints, sample_weight : see ``fit``
        held : number
            Bytes that the caller holds in addition to X; they count in the plan.
        on_plan : callable, optional
            Called with the ``Plan``.
        """
        self._validate_params()
        if on_plan is not None and not callable(on_plan):
            raise TypeError(f"on_plan={on_plan!r:.200}: give a function that takes a Plan, or None.")
        X = self._checked(open_data(X, as_cluster(self.engine), self.verbose))
        known = as_constraints(constraints, X.shape[0], keeps=("pairs", "sizes"))
        known, min_size, max_size = stated_sizes(known, self.min_size, self.max_size)
        levels = self._levels() if known.kinds else ()
        sizes = self._checked_sizes(X.shape[0], levels, min_size, max_size)
        generator_seed, consensus_seed, sample_seed, k_seed, candidate_seed = seeds(self.random_state, 5)

        chosen = self._chosen_consensus(X, levels, sample_weight)
        consensus = self._ready_consensus(chosen, consensus_seed, levels)
        method = name_of(consensus)
        self._check_fits(consensus, X, known, levels)
        generator = self._ready_generator(chosen, X.shape, generator_seed)
        side_information: dict[str, Any] = {"constraints": known} if "members" in levels else {}
        if sample_weight is not None:
            side_information["sample_weight"] = sample_weight
        with memory_budget(self.memory_limit):
            form = getattr(consensus, "evidence", "auto")
            larger = self._larger(generator)
            self.plan_ = plan_of(X, larger or generator, method, self.n_clusters, evidence=form, held=held)
            if on_plan is not None:
                on_plan(self.plan_)
            self.ensemble_ = self._generated(generator, X, side_information)
            self.consensus_ = self._combine(consensus, X, known, levels, k_seed)
            if larger is not None and not is_steady(self.consensus_):
                generator = larger  # its first members are the same
                with warnings.catch_warnings():
                    warnings.filterwarnings("ignore", message=".* have fewer clusters than requested")  # said before
                    self.ensemble_ = self._generated(generator, X, side_information)
                self.consensus_ = self._combine(consensus, X, known, levels, k_seed)
        partition = self._answer(X, sizes, (consensus_seed, candidate_seed))
        self._finish(partition, sizes, known, generator)
        self._nearest = NearestRows(X, partition.labels_, self.membership_, sample_seed)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The cluster of new rows: that of their nearest rows in the fitted data, nearer ones counting for more.

        Bounds on sizes and noise do not apply to new rows.

        If more than 100,000 rows were fitted, a sample is searched, drawn from each cluster in proportion.

        Parameters
        ----------
        X : what ``fit`` takes
            Files, ``Rows`` and what is in Dask are read in parts.
        """
        check_is_fitted(self)
        X = open_data(X)
        if isinstance(X, Rows):
            if X.shape[1] != self.n_features_in_:
                raise ValueError(f"X has {X.shape[1]} features, but {self.n_features_in_} were fitted.")
            return np.concatenate([self._nearest.predict(self._compared(block)) for _, block in X.blocks(BLOCK)])
        X = validate_data(self, single_floats(X), accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        return self._nearest.predict(self._compared(X))

    def cut(self, n_clusters: int) -> np.ndarray:
        """The labels at another number of clusters: those of the best candidate there.

        ``k_ladder_`` lists the levels that are worth a look. Only after a fit that was to find the number of clusters.

        Parameters
        ----------
        n_clusters : int

        Examples
        --------
        >>> from sklearn.datasets import make_blobs
        >>> from pluribus import EnsembleClusterer
        >>> X, _ = make_blobs(300, centers=[[0, 0], [2, 2], [9, 0], [11, 2]], cluster_std=0.4, random_state=0)
        >>> model = EnsembleClusterer(random_state=0).fit(X)
        >>> model.n_clusters_, len(set(model.cut(2).tolist()))
        (4, 2)
        """
        check_is_fitted(self)
        n_clusters = whole_number("n_clusters", n_clusters, 1)
        if n_clusters == self.n_clusters_:
            return self.labels_.copy()
        if n_clusters == 1:
            return np.zeros_like(self.labels_)
        if self.k_ladder_ is None or self._levels_of_k is None:
            raise ValueError(f"n_clusters={n_clusters}: there are no other levels here. Fit with n_clusters=None.")
        labels = self._levels_of_k.labels(n_clusters)
        if labels is None:
            most = self._levels_of_k.most
            raise ValueError(f"n_clusters={n_clusters}: there are candidates for 2 to {most} clusters. Give fewer.")
        return labels

    def _checked(self, X: Any) -> Any:
        """X as an array, csr matrix or Rows, not copied if it is one already."""
        if not isinstance(X, Rows):
            X = single_floats(X)
            X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_min_samples=2)
            return self._compared(X)
        if X.shape[0] < 2:
            raise ValueError("X has one row: give at least two to cluster.")
        self.n_features_in_ = X.shape[1]
        self.__dict__.pop("feature_names_in_", None)
        return self._compared(X)

    def _compared(self, X: Any) -> Any:
        """Rows whose Euclidean distances order pairs as the metric does."""
        return unit_rows(X) if self.metric == "cosine" else X

    def _checked_sizes(self, n: int, levels: tuple[str, ...], min_size: Any, max_size: Any) -> Sizes | None:
        """The bounds on sizes; refused if they cannot hold, or go with nothing that keeps them."""
        if self.n_clusters is not None and self.n_clusters > n:
            raise ValueError(f"n_clusters={self.n_clusters} is more than the {n} rows of X.")
        sizes = Sizes.of(min_size, max_size, self.balance)
        if sizes is None:
            return None
        if self.noise:
            raise ValueError(
                "noise=True leaves objects out of clusters whose sizes are bounded: leave out one of the two."
            )
        if levels:
            raise ValueError(
                "a consensus cannot keep both bounds on sizes and constraints: use constrained.SizeConstrainedKMeans "
                "(method='size-constrained'), which keeps both."
            )
        sizes.check(n, self.n_clusters)
        return sizes

    def _chosen_consensus(self, X: Any, levels: tuple[str, ...], sample_weight: Any) -> Any:
        """The consensus function, as it was given or by default."""
        if self.consensus is not None:
            return self.consensus
        by_default = self.generator is None and not levels and sample_weight is None
        return default_consensus(X, self.n_clusters) if by_default else "eac"

    def _ready_generator(self, consensus: Any, shape: tuple[int, int], seed: int) -> Any:
        if self.generator is None:
            generator = default_generator(consensus, self.n_clusters, shape=shape)
        elif isinstance(self.generator, str):
            generator = preset(self.generator)
        else:
            generator = clone(self.generator)
        own = generator.get_params(deep=False)
        if self.n_members is not None:
            if "n_members" not in own:
                raise ValueError(f"n_members={self.n_members}: {type(generator).__name__} has numbers of its own.")
            generator.set_params(n_members=self.n_members)
        generator.set_params(n_jobs=own["n_jobs"] if own.get("n_jobs") is not None else self.n_jobs)
        if "engine" in own and own["engine"] is None:
            generator.set_params(engine=self.engine)
        if own.get("random_state") is None:
            generator.set_params(random_state=seed)
        return generator.set_params(verbose=self.verbose)

    def _generated(self, generator: Any, X: Any, side_information: dict[str, Any]) -> Any:
        with config_context(assume_finite=True):  # it has just been looked through
            return generator.generate(X, store=self.checkpoint, **side_information)

    def _larger(self, generator: Any) -> Any:
        """The generator for a result that is not steady; None if members were asked for, or the table is not small."""
        asked = self.generator is not None or self.n_members is not None
        return None if asked or self.n_clusters is None else with_more_members(generator)

    def _levels(self) -> tuple[str, ...]:
        given = self.constraint_level
        levels = (given,) if isinstance(given, str) else tuple(given)
        if not levels or not set(levels) <= set(LEVELS):
            raise ValueError(f"constraint_level={given!r}: give one or several of {', '.join(LEVELS)}.")
        return levels

    def _ready_consensus(self, chosen: Any, seed: int, levels: tuple[str, ...]) -> Any:
        """The consensus function with all parameters that do not depend on the ensemble."""
        constrained = bool({"consensus", "evidence"} & set(levels))
        if constrained and isinstance(chosen, str) and chosen.lower() == "eac":
            chosen = "ceac"
        consensus = configured(chosen, n_clusters=self.n_clusters, random_state=seed, verbose=self.verbose)
        if not isinstance(self.consensus, BaseEstimator) and "n_jobs" in consensus.get_params(deep=False):
            consensus.set_params(n_jobs=self.n_jobs)
        if isinstance(consensus, EvidenceAccumulation) and consensus.engine is None:
            consensus.set_params(engine=self.engine)
        if constrained and not getattr(consensus, "takes_constraints", False):
            raise ValueError(
                f"{type(consensus).__name__} takes no constraints: use consensus='ceac' or 'acccs', or let only the "
                "members satisfy them, with constraint_level='members'."
            )
        return consensus

    def _check_fits(self, consensus: Any, X: Any, known: Constraints, levels: tuple[str, ...]) -> None:
        """Refuse what cannot work, before any work."""
        if isinstance(X, Rows) and getattr(consensus, "needs_data", False):
            raise ValueError(
                f"{type(consensus).__name__} compares rows and needs them in memory: give X as an array, or choose "
                "another consensus function."
            )
        if "consensus" in levels and self.n_clusters is not None:
            known.ensure_feasible(self.n_clusters, allow_empty=False)

    def _combine(self, consensus: Any, X: Any, known: Constraints, levels: tuple[str, ...], k_seed: int) -> Any:
        """Fit the consensus function; if it does not find the number of clusters by itself, choose that first."""
        how = {"engine": self.engine, "n_jobs": self.n_jobs, "verbose": self.verbose}
        self.k_choice_ = None
        constrained = bool({"consensus", "evidence"} & set(levels))
        by_default = isinstance(consensus, EvidenceAccumulation) and not isinstance(self.consensus, BaseEstimator)
        if by_default and self.n_clusters is not None:
            return accumulate(self.ensemble_, self.n_clusters, X=X, **how)
        finds_k = getattr(consensus, "finds_n_clusters", False) and not by_default
        if not finds_k and consensus.get_params(deep=False).get("n_clusters", 0) is None:
            self.k_choice_ = choose(self.ensemble_, X, random_state=k_seed, **how)
            if by_default:
                return accumulated(self.k_choice_, X)
            k = self.k_choice_.n_clusters
            consensus.set_params(n_clusters=feasible_n_clusters(known, k) if "consensus" in levels else k)
        more = {"X": X} if any(getattr(consensus, name, False) for name in ("needs_data", "takes_data")) else {}
        if constrained:
            # At the level of the consensus, preferences change the evidence too; it decides nothing about hard pairs.
            more["constraints"] = known if "consensus" in levels else as_preferences(known)
        return consensus.fit(self.ensemble_, **more)

    def _answer(self, X: Any, sizes: Sizes | None, seeds: tuple[int, int]) -> Partition:
        """Whether there are clusters, how many, and which partition; what led to it is kept."""
        answer = find_answer(
            self.consensus_,
            self.ensemble_,
            X,
            finds_k=self.n_clusters is None,
            may_be_one=sizes is None,
            with_candidates=self.candidates is not None,
            seeds=seeds,
            n_jobs=self.n_jobs,
        )
        self.structure_, self.k_ladder_, self.choice_ = answer.structure, answer.ladder, answer.choice
        self.verdict_ = None if answer.structure is None else answer.structure.verdict
        self.reproducibility_, self._levels_of_k = answer.reproducibility, answer.levels
        return answer.partition

    def _finish(self, partition: Partition, sizes: Sizes | None, known: Constraints, generator: Any) -> None:
        """Set the result: sizes within bounds, noise left out, and the reasons."""
        self.labels_, changed = partition.labels_, []
        if sizes is not None:
            self.labels_, sentence = sizes.keep(partition)
            changed = [sentence]
        if self.noise:
            before, self.labels_ = self.labels_, mark_noise(self.ensemble_, self.labels_)
            n_noise = int((before != self.labels_).sum())
            changed = [f"{n_noise:,} of {len(before):,} objects are left unclustered (-1): their evidence is weak."]
        self.n_clusters_ = partition.n_clusters_
        self.membership_, self.uncertainty_ = partition.membership_, partition.uncertainty_
        self.reasons_ = (*reasons(self, generator), *changed)
        self.violations_ = known.violations(self.labels_)
        if self.violations_.n_hard:
            warnings.warn(
                f"{self.violations_.n_hard} hard constraints are violated, because "
                f"constraint_level={self.constraint_level!r} takes them as preferences; violations_ lists them. Add "
                "'consensus' to make them hold.",
                UserWarning,
                stacklevel=3,
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
