"""Clustering by questions about pairs, with an answer at any time (COBRAS)."""

import warnings
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from pluribus._engine import seeds, whole_number
from pluribus.constrained._shared.base import ConstrainedMixin
from pluribus.constrained.pairs._interview import Interview, OutOfQuestionsError
from pluribus.constrained.pairs._super_instances import Stage, SuperInstances
from pluribus.constraints import Answers, Constraints
from pluribus.constraints._internal import as_reply


class Cobras(ConstrainedMixin, BaseEstimator):
    """Ask which objects belong together, and refine the clusters with each answer.

    The rows are divided into super-instances, regions whose rows are assumed to belong together. At first there is
    one. Each round splits the largest by k-means, then asks about the medoids of super-instances, the nearest first,
    and merges those that belong together. Answers that follow from earlier ones are not asked for. The number of
    clusters follows from the answers.

    A split needs a level, found by questions too: the super-instance is halved, and the smaller half again, as long as
    the medoids of the halves belong apart. After h halvings, it is split into 2^h parts, or 2 if the first answer was
    "together".

    Prefer it if you can answer some tens of questions and do not know k. Without an oracle, only `constraints` answer,
    and the first question that they leave open ends the work: use :class:`PairwiseKMeans` for a given set of pairs.

    Parameters
    ----------
    max_questions : int or None, default=100
        How many questions to ask at most. With None, it ends when each super-instance is a single row, or has equal
        rows only.
    random_state : int, RandomState, Generator or None
        The same integer asks the same questions if the answers are the same.
    verbose : bool, default=True
        Show progress (only on a terminal). Use False if the oracle asks at the same terminal.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters are numbered from the largest.
    n_clusters_ : int
    answers_ : Answers
        All answers. It is there from the first question on: if the oracle raises an error, the answers before it are
        kept here.
    questions_ : tuple of Answer
        The questions with their answers, each ``(one, other, answer)``.
    history_ : tuple of (int, int)
        After how many questions the clusters changed, and the number of clusters from then on.
    super_instances_ : ndarray of shape (n,)
        The super-instance of each row, numbered from 0.
    medoids_ : ndarray of shape (n_super_instances,)
        The row that speaks for each super-instance.
    violations_ : Violations
        Answers and constraints that the result breaks. A medoid's answer counts for its whole super-instance, and after
        a split other medoids speak for its parts: earlier answers may be broken then.

    References
    ----------
    Van Craenendonck, Dumančić, Van Wolputte and Blockeel, "COBRAS: interactive clustering with pairwise queries", IDA
    2018.
    Van Craenendonck, Dumančić and Blockeel, "COBRA: a fast and simple method for active clustering with pairwise
    constraints", IJCAI 2017.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.metrics import adjusted_rand_score
    >>> from pluribus.constrained import Cobras
    >>> X, y = load_iris(return_X_y=True)
    >>> model = Cobras(max_questions=50, random_state=0).fit(X, oracle=y)
    >>> model.n_clusters_, len(model.questions_)
    (3, 50)
    >>> [round(float(adjusted_rand_score(y, model.labels_after(q))), 2) for q in (0, 10, 25, 50)]
    [0.0, 0.64, 0.71, 0.92]
    >>> model.questions_[0]
    Answer(one=7, other=123, answer='apart')
    """

    known_as = {"cobras": {}}
    suits = "Answers of a person to some tens of questions; finds the number of clusters."

    _parameter_constraints: dict = {
        "max_questions": [Interval(Integral, 0, None, closed="left"), None],
        "random_state": ["random_state", np.random.Generator],
        "verbose": ["verbose"],
    }

    def __init__(self, *, max_questions: int | None = 100, random_state: Any = None, verbose: bool = True) -> None:
        self.max_questions = max_questions
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        oracle: Any = None,
        constraints: Constraints | None = None,
        sample_weight: Any = None,
    ) -> "Cobras":
        """Cluster X, asking the oracle.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
        y : ignored
        oracle : callable or sequence of length n, optional
            A function that takes the numbers of two rows and returns "together", "apart" or "unsure". Or the true
            labels, to find out how much questions would help (-1, None or NaN where unknown: "unsure"). An unsure
            answer ends the search for the level of a split, and keeps two clusters apart.
        constraints : Constraints, optional
            Known answers, which are not asked for again, for example ``answers_.constraints`` of an earlier fit, to go
            on with it. They only answer questions about medoids: the result may break others, with a warning.
        sample_weight : array of shape (n,), optional
            How much each row counts, in k-means and in the size of super-instances.
        """
        given = self._check_given(X, constraints, sample_weight)
        n = given.X.shape[0]
        reply = None if oracle is None else as_reply(oracle, n)
        self.answers_ = Answers(n, given.constraints)
        tree = SuperInstances(given.X, given.weights, seeds(self.random_state, 1)[0])
        clusters = {0: 0}  # of each super-instance
        stages = [_stage(clusters, 0)]
        with Interview(self.answers_, reply, self.max_questions, bool(self.verbose)) as interview:
            try:
                while (largest := tree.largest()) is not None:
                    k = _split_level(tree, largest, interview)
                    if k is None:
                        tree.keep_whole(largest)
                        continue
                    new = tree.split(largest, k)
                    del clusters[largest]
                    clusters |= {number: number for number in new.tolist()}  # a cluster of its own for each
                    _merge(tree, new, clusters, interview)
                    stages.append(_stage(clusters, len(self.answers_)))
            except OutOfQuestionsError:
                pass  # the last round is not finished: the clusters before it are the answer
        self._set_cobras_result(tree, stages)
        self._warn_of_broken(given.constraints)
        return self

    def fit_predict(
        self, X: Any, y: Any = None, *, oracle: Any = None, constraints: Any = None, sample_weight: Any = None
    ) -> np.ndarray:
        """Cluster X, and return the cluster of each row; the parameters are those of ``fit``."""
        return self.fit(X, oracle=oracle, constraints=constraints, sample_weight=sample_weight).labels_

    def labels_after(self, n_questions: int) -> np.ndarray:
        """The cluster of each row as it was after some questions: those of the last round that was finished by then.

        Examples
        --------
        >>> from pluribus.constrained import Cobras
        >>> model = Cobras(random_state=0).fit([[0], [1], [8], [9]], oracle=["a", "a", "b", "b"])
        >>> model.labels_after(0).tolist(), model.labels_.tolist()
        ([0, 0, 0, 0], [0, 0, 1, 1])
        """
        check_is_fitted(self, "labels_")
        n_questions = whole_number("n_questions", n_questions, 0)
        asked = np.array([stage.n_questions for stage in self._stages])
        return self._tree.labels(self._stages[int(np.searchsorted(asked, n_questions, side="right")) - 1])

    def predict(self, X: Any) -> np.ndarray:
        """The cluster of new rows: that of the super-instance whose center is nearest, split by split."""
        X = self._check_new(X)
        return self._cluster_of_node[self._tree.find(X, self._stages[-1])]

    def _set_cobras_result(self, tree: SuperInstances, stages: list[Stage]) -> None:
        last = stages[-1]
        labels = tree.labels(last)
        self._finish(self.answers_.constraints, labels, last.n_clusters)
        self.questions_ = self.answers_.given
        self.history_ = tuple((stage.n_questions, stage.n_clusters) for stage in stages)
        node_of = tree.whole_of(last)[tree.leaf_of]
        _, first, self.super_instances_ = np.unique(node_of, return_index=True, return_inverse=True)
        self.medoids_ = np.array(tree.medoids)[last.super_instances]
        self._cluster_of_node = np.full(int(last.super_instances.max()) + 1, -1, dtype=np.int32)
        self._cluster_of_node[last.super_instances] = self.labels_[first]
        tree.forget()
        self._tree, self._stages = tree, stages

    def _warn_of_broken(self, constraints: Constraints) -> None:
        n_broken = constraints.violations(self.labels_).n_hard
        if n_broken:
            warnings.warn(
                f"{n_broken} hard constraints are broken, because Cobras uses them only to answer its own questions; "
                "see violations_. Use PairwiseKMeans or CopKMeans to enforce constraints.",
                UserWarning,
                stacklevel=3,
            )


def _split_level(tree: SuperInstances, node: int, interview: Interview) -> int | None:
    """Into how many parts to split a super-instance: 2^h after h halvings apart; None if its rows are all equal."""
    rows = tree.rows_of(node)
    n, halvings = len(rows), 0
    while len(halves := tree.parts_of(rows, 2)) == 2:
        if interview.relation(halves[0].medoid, halves[1].medoid) != "apart":
            return min(2 ** max(halvings, 1), n)
        halvings += 1
        several = [half.rows for half in halves if len(half.rows) > 1]
        if not several:
            break
        rows = min(several, key=len)
    return min(2**halvings, n) if halvings else None


def _merge(tree: SuperInstances, new: np.ndarray, clusters: dict[int, int], interview: Interview) -> None:
    """Merge the closest clusters of which the answers say so, until all of them are known to be apart.

    The distance of two clusters is that of their closest super-instances. One pass over pairs of super-instances, the
    nearest first, merges the same clusters as a new search for the closest ones after each merge: pairs that were
    passed over are of one cluster, or their answer is known. The clusters before the split are apart from each other.
    """
    leaves = tree.leaves
    distances = tree.distances(new, leaves)
    for place in np.argsort(distances, axis=None, kind="stable").tolist():
        one, other = int(new[place // len(leaves)]), int(leaves[place % len(leaves)])
        if clusters[one] == clusters[other]:
            continue
        if interview.relation(tree.medoids[one], tree.medoids[other]) == "together":
            left = clusters[other]
            clusters |= {node: clusters[one] for node, cluster in clusters.items() if cluster == left}


def _stage(clusters: dict[int, int], n_questions: int) -> Stage:
    numbers = np.unique(list(clusters.values()), return_inverse=True)[1]
    return Stage(n_questions, np.array(list(clusters)), numbers)
