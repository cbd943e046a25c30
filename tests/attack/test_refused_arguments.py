"""Arguments that once ended in an error from inside numpy, pandas or scipy: each is refused in words."""

import io
import zipfile

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.cluster import hierarchy
from sklearn.exceptions import ConvergenceWarning

import pluribus
from pluribus import (
    Constraints,
    Ensemble,
    alternative,
    compare,
    consensus,
    constrained,
    constraints,
    evidence,
    generate,
    increments,
    pipeline,
    relational,
    report,
    similarity,
    temporal,
)
from pluribus import tables as t
from pluribus import validate as v

A, B = [0, 0, 1, 1, 2], [0, 0, 1, 2, 2]
X = np.arange(10.0).reshape(5, 2) ** 2
TREE = hierarchy.linkage(X, "average")
FRAME = pd.DataFrame({"a": [1, 2]})
SCALAR = np.array(5)
RAGGED = [[1, 2], [3]]
DATES = np.arange(10).reshape(5, 2).astype("datetime64[D]")
RECORDS = np.zeros(5, dtype=[("a", int), ("b", float)])
SPARSE = sparse.eye_array(5, format="dia")
BIG_ENDIAN = np.array(A, dtype=">i8")


def embedded():
    return consensus.EmbeddedEvidence(2, random_state=0, verbose=False).fit([A, B, A])


def feedback():
    return constrained.FeedbackClusterer(2, random_state=0, verbose=False).fit(X)


def fitted():
    return constrained.CopKMeans(2, random_state=0, verbose=False).fit(X)


def far_mixture(means=None, precisions=None):
    start = dict(covariance_type="diag", means_init=means, precisions_init=precisions, n_init=1)
    return constrained.ConstrainedGaussianMixture(2, **start, random_state=0, verbose=False).fit(X)


WORDS = [
    (lambda: v.find_structure(X, TREE, lifetimes="word", stability=[0.5]), "lifetimes='word': give numbers"),
    (lambda: v.find_structure(X, TREE, lifetimes=[0.5], stability=DATES[0]), "stability=.*: give numbers"),
    (lambda: v.find_structure(X, TREE, lifetimes=[0.5], stability=[0.5, 1]), "lifetimes of shape"),
    (lambda: far_mixture(means=np.full((2, 2), 1e308)), "row 0 of X is so far from all clusters"),
    (lambda: far_mixture(precisions=np.full((2, 2), 1e308)), "of X is so far from all clusters"),
    (lambda: far_mixture(precisions=np.full((2, 2), 1e-320)), "precisions_init must be positive numbers"),
    (lambda: far_mixture().predict_proba([[1e152, 1e152]]), "row 0 of X is so far from all clusters"),
    (lambda: compare.lift_emd_distance(A, [0, 1], X, X2=RAGGED), "X2 has rows of different lengths"),
    (lambda: Constraints(3, allowed=np.array("a")), "allowed must be a mapping"),
    (lambda: constrained.MeanFieldMixture(2, model=np.array(["a", "b"])).fit(X), "model"),
    (lambda: pluribus.combine([A, B], 2, must_link=sparse.bsr_array(np.eye(4)), verbose=False), "pairs of ids"),
    (lambda: similarity.OnlineMultipleKernel().fit(X, A, sequences=np.array(3)), "sequences must be a list"),
    (lambda: Constraints(3, graph=np.array("a")), "graph: "),
    (lambda: Constraints(3, labels=np.array("a")), "labels"),
    (lambda: pluribus.cluster(MANY, 2, other_than=np.array("a"), verbose=False), "a label for each row"),
    (lambda: constrained.MetricPairwiseKMeans(2, metric=np.zeros(0)).fit(X), "metric"),
    (lambda: compare.consistency_index(A, B, weighting=FRAME), "weighting must be"),
    (lambda: compare.cdistance(A, B, X, sample=True), "sample must be a whole number"),
    (lambda: similarity.majority_vote(RAGGED, tracks=[0, 0]), "one label for each row"),
    (
        lambda: similarity.majority_vote(np.array([[1], [2], None], dtype=object)[:2], tracks=[0, 0]),
        "one label for each",
    ),
    (lambda: similarity.PairwiseKernelClassifier().fit(X, [0.5, 1.5, 0.25, 0.75, 0.1]), "Unknown label type"),
    (lambda: compare.cc_distance(A, B, X, representation=np.zeros(0)), "representation must be"),
    (lambda: compare.normalized_variation_of_information_distance(A, B, by=np.zeros(2)), "by must be"),
    (lambda: compare.lift_emd_distance(A, B, X, normalize=FRAME), "normalize must be one of"),
    (lambda: consensus.select([A, B], [A, B], criterion=FRAME), "criterion must be one of"),
    (lambda: consensus.select([A, B], [A, B], missing=np.zeros(0)), "missing must be"),
    (lambda: consensus.select_members([A, B], 1, criterion=FRAME), "criterion must be one of"),
    (lambda: constrained.Aggregate(np.zeros(2), "x", "<", 1), "no function is called"),
    (lambda: constrained.Aggregate("sum", "x", FRAME, 1), "is not a comparison"),
    (lambda: constrained.ConstrainedGaussianMixture(2, covariance_type=np.zeros(2)).fit(X), "covariance_type"),
    (lambda: evidence.CoAssociation([A], form=np.zeros(0)), "form must be one of"),
    (lambda: generate.preset([]), "no preset is called"),
    (lambda: pluribus.combine([A, B], 2, missing=np.zeros(2), verbose=False), "missing=.*give 'error' or 'zero'"),
    (lambda: pluribus.cluster(X, 2, constraint_level=np.zeros(2), verbose=False), "constraint_level"),
    (lambda: t.prepare(t.as_table(FRAME), scale=SPARSE), "scale is"),
    (lambda: v.davies_bouldin_cost(A, X, between=FRAME), "between"),
    (lambda: v.dunn_index(A, X, within=np.zeros(0)), "within"),
    (lambda: v.description_lengths([A], X, model=np.zeros(0)), "model must be"),
]
LISTS = [
    (lambda: v.choose_partition([A, B], X, criteria=SPARSE), "criteria=.*give a list of names"),
    (lambda: consensus.compare_methods([A, B], 2, methods=SCALAR), "methods=.*give a list of names"),
    (lambda: constrained.satisfied(SCALAR, A), "conditions=.*give a list of conditions"),
    (lambda: constrained.satisfied(SPARSE, A), "conditions=.*give a list of conditions"),
    (lambda: Ensemble([A, B], names=SCALAR), "names=.*give a list of 2 names"),
    (lambda: Ensemble([A, B], names=SPARSE), "names=.*give a list of 2 names"),
    (lambda: Ensemble([A, B]).take_partitions(SPARSE), "which=.*give a list of partitions"),
    (lambda: Ensemble.from_memberships(SCALAR), "memberships"),
    (lambda: Ensemble([A, B], weights=iter([1, 2])), "weights=.*give numbers"),
    (lambda: pluribus.combine([A, B], 2, ignore=1.5, verbose=False), "ignore=1.5: give a list of names"),
    (lambda: pluribus.combine([A, B], 2, must_link=SPARSE, verbose=False), "must_link=.*give a list of pairs"),
    (lambda: pluribus.combine([A, B], 2, must_link=[None], verbose=False), "must_link holds None"),
    (lambda: pluribus.cluster(X, 2, known_labels=object(), verbose=False), "known_labels=.*give a list of labels"),
    (lambda: t.open_rows(FRAME.astype(float), columns=SCALAR), "columns"),
    (lambda: t.as_table(FRAME, ignore=SCALAR), "columns=.*: give a list of names"),
    (lambda: v.choose_k(X, k_range=SCALAR), "k_range=.*: give a list of numbers"),
    (lambda: embedded().compare_extractors(None), "clusterers=None: give a list"),
    (lambda: embedded().compare_extractors([]), "clusterers is empty"),
    (
        lambda: feedback().top_terms(names=SPARSE),
        "give a list of 2 terms",
    ),
    (lambda: Constraints(5, labels=SPARSE), "labels must be a sequence"),
]
ARRAYS = [
    (lambda: similarity.PairwiseKernelClassifier().fit(X, RECORDS), "y holds records"),
    (lambda: similarity.OnlineMultipleKernel().fit(X, RECORDS), "neither numbers nor texts"),
    (lambda: similarity.OnlineMultipleKernel().fit(X, [0, None, 1, 1, 0]), "or are missing"),
    (lambda: compare.adco_index(A, B, DATES), "X is of type datetime64.*: give numbers"),
    (lambda: compare.cdistance(A, B, DATES), "X is of type datetime64"),
    (lambda: compare.lift_emd_distance(A, B, DATES), "X is of type datetime64"),
    (lambda: consensus.LiftedConsensus(2, verbose=False).fit([A, B], X=DATES), "X is of type datetime64"),
    (lambda: constrained.concepts(np.zeros((2, 2), "datetime64[D]")), "X is of type datetime64"),
    (
        lambda: alternative.ConditionalBottleneck(2, knowledge="continuous").fit(X, known=X * 1j),
        "known must hold numbers",
    ),
    (lambda: Constraints(5, labels=list(RECORDS)), "labels holds arrays or records"),
    (lambda: Constraints(5, groups=list(RECORDS)), "groups holds arrays or records"),
    (lambda: pluribus.combine([A, B], 2, known_labels=RECORDS, verbose=False), "arrays or records"),
    (lambda: pluribus.partitions.assign_sizes(X, max_size=RAGGED), "max_size=.*different lengths"),
    (lambda: consensus.PairwiseProbabilistic(2, pair_weights=["auto"]).fit([A, B]), "pair_weights"),
    (lambda: constrained.satisfied([constrained.AtLeast(1)], RAGGED), "labels=.*different lengths"),
    (lambda: Constraints(2, labels=[np.zeros(2), np.zeros(3)]), "labels"),
    (lambda: v.choose_partition(sparse.dok_array((2, 5), dtype=int), X), "sparse matrix"),
    (lambda: consensus.correspondence(RAGGED, A), "source=.*different lengths"),
    (lambda: Constraints.from_matrix(RAGGED), "matrix=.*different lengths"),
    (lambda: Constraints(5).restrict(RAGGED), "idx=.*different lengths"),
    (lambda: t.open_rows(RAGGED), "source=.*different lengths"),
    (lambda: t.Table(FRAME, RAGGED, "two"), "ids=.*different lengths"),
    (lambda: t.Table(FRAME, np.zeros(2, dtype=[("a", int)]), "two"), "give one id for each row"),
    (lambda: constrained.PairwiseKMeans(2, init={1}).fit(X), "init"),
    (lambda: constrained.PenalizedMixture(2, means_init={"a": 1}).fit(X), "means_init"),
    (lambda: constrained.MeanFieldMixture(2, eta_grid={"a": 1}).fit(X), "eta_grid"),
    (lambda: pluribus.cluster(X, 2, members=3, verbose=False).predict_proba(RAGGED), "different lengths"),
    (lambda: pluribus.cluster(FRAME, 1, members=2, verbose=False).predict(pd.DataFrame({"a": [[1]]})), "holds lists"),
]
NUMBERS = [
    (lambda: alternative.alternatives(X, A, 2, n_starts=2**63, verbose=False), "9223372036854775808 independent runs"),
    (lambda: constrained.CopKMeans(2, n_init=2**63, verbose=False).fit(X), "independent runs"),
    (lambda: consensus.MixtureConsensus(2, epsilon=1e308).fit([A, B]), "epsilon"),
    (lambda: constrained.FeedbackClusterer(2, smoothing=1e308).fit(X), "smoothing"),
    (lambda: increments.MessageLengthMixture(ridge=1e308).fit(np.vstack([X, X + 1])), "ridge"),
    (lambda: similarity.CannotLinkMetric(prior=1e160).fit(X, constraints=[(0, 4)]), "prior=1e.160: give a number"),
    (lambda: similarity.CannotLinkMetric(prior=1e160 * np.eye(2)).fit(X, constraints=[(0, 4)]), "prior has values"),
    (lambda: similarity.OnlineMultipleKernel(C=1e308).fit(X, A), "C=.*: give a number from 1e-100 to"),
    (lambda: similarity.OnlineMultipleKernel(C=5e-324).fit(X, A), "C=.*: give a number from 1e-100 to"),
    (lambda: v.description_length_cost(A, X, penalty=1e308), "penalty=1e.308: give a number from 0"),
    (lambda: evidence.mean_evidence([A], A, 3, cluster_weights=[1e308] * 3), "cluster_weights has values as large as"),
    (
        lambda: evidence.mean_evidence(Ensemble([A], weights=[1e-200]), A, 3, cluster_weights=[1e200] * 3),
        "overflow: scale the cluster_weights",
    ),
    (lambda: consensus.SoftCorrespondence(2, alpha=1e308, verbose=False).fit([A, B]), "penalties of up to"),
    (lambda: consensus.SoftCorrespondence(2, alpha_rel=1e308, verbose=False).fit([A, B]), "penalties of up to"),
    (lambda: consensus.SoftCorrespondence(2, theta=5e-324, verbose=False).fit([A, B]), "penalties of up to inf"),
    (lambda: consensus.LiftedConsensus(2, sigma=1e-200, verbose=False).fit([A, B], X=X), "sigma=1e-200 is too small"),
    (lambda: consensus.LiftedConsensus(2, sigma=1e200, verbose=False).fit([A, B], X=X), "sigma=1e.200 is too large"),
    (
        lambda: similarity.MultipleKernelKMeans(2, kernels=[("gaussian", {"sigma": 1e-200})], verbose=False).fit(X),
        "sigma=1e-200 is too small",
    ),
    (lambda: similarity.MultipleKernelKMeans(2, verbose=False).fit(X * 1e160), "whose squares float64 cannot hold"),
    (lambda: similarity.OnlineMultipleKernel(verbose=False).fit(X, A).predict(X * 1e160), "float64 cannot hold"),
    (lambda: compare.cc_distance(A, B, X, p=1e5), "p=100000.0: give a number from 1 to 100"),
    (lambda: constrained.FeedbackClusterer(2).fit(X * 1e160), "whose squares float64 cannot hold"),
    (lambda: consensus.EvidenceAccumulation(2, verbose=False).fit([A, B]).cut(threshold=float("nan")), "not a number"),
    (lambda: evidence.CoAssociation([A]).matmat(np.full(5, 1e308)), "too large to be added up"),
    (lambda: evidence.mean_evidence([A], A, 2**64), "The mean evidence of 5 objects in 18446744073709551616"),
    (lambda: fitted().score(X, sample_weight=float("nan")), "sample_weight holds NaN or infinite"),
    (lambda: consensus.mark_noise([A], SCALAR), r"labels has shape \(\)"),
    (lambda: consensus.with_sizes(embedded(), min_size=np.int8(100)), "min_size asks for"),
    (lambda: Constraints(5).check(True), "k=True"),
    (lambda: constraints.Answers(np.zeros(0)), "n_objects=.*give a whole number"),
    (lambda: evidence.CoAssociation([A]).to_sparse({"a": 1}), "min_count=.*give a number"),
    (lambda: feedback().run_oracle(A, 1.5), "n_rounds=1.5: give a whole number"),
    (lambda: feedback().run_oracle(A, -1), "n_rounds=-1: give a whole number"),
    (lambda: feedback().top_terms(1.5), "n_terms=1.5: give a whole number"),
    (lambda: consensus.DyadicAspect(2, verbose=False).fit([A, B, A]).bic([]), "effective_n=.*give a number"),
    (lambda: consensus.DyadicAspect(2, verbose=False).fit([A, B, A]).bic(-3), "effective_n=-3: give a number"),
    (lambda: pipeline.default_consensus((1, 2)), "X is a tuple: give a table"),
    (lambda: pipeline.default_consensus(X, int), "n_clusters=.*give a whole number"),
    (lambda: pipeline.default_generator("ppc", object()), "n_clusters=.*give a whole number"),
    (lambda: pipeline.default_generator("lwsm", shape=(3,)), "shape=.*give the number of rows"),
    (lambda: pipeline.plan_of(X, generate.Generator(), held=None), "held=None: give a number"),
    (lambda: consensus.with_sizes(embedded(), min_size=1e308), "min_size asks for"),
    (lambda: consensus.mark_noise([A], [2**62, 0, 0, 0, 0]), "would take"),
    (lambda: compare.adco_index(A, B, X, n_bins=2**31), "n_bins=2147483648: give a whole number"),
    (lambda: compare.lift_hausdorff_distance(A, B, X, n_features=True), "n_features must be"),
    (lambda: compare.lift_kernel_distance(A, B, SCALAR), "X has 1 rows"),
    (lambda: generate.Generator(n_members=2, random_state=0, verbose=False).generate(X, store=5), "5 is no path"),
    (lambda: embedded().extract(5), "clusterer must be an estimator"),
    (lambda: fitted().score(X * 1e160), "whose squares float64 cannot hold"),
    (lambda: fitted().predict(X * 1e160), "whose squares float64 cannot hold"),
    (lambda: constrained.BalancedKMeans(2).fit(X).predict(X * 1e160), "whose squares float64 cannot hold"),
    (lambda: pluribus.cluster(X, 2, members=3, verbose=False, scale="none").predict(X * 1e160), "cannot hold"),
    (lambda: evidence.CoAssociation([A], X=X * 1e160, n_neighbors=2), "whose squares float64 cannot hold"),
]


@pytest.mark.parametrize(("call", "message"), WORDS + LISTS + ARRAYS + NUMBERS)
@pytest.mark.filterwarnings("ignore")
def test_refused_in_words(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_calls_back_must_be_functions():
    with pytest.raises(TypeError, match="on_note=1.5: give a function"):
        pluribus.cluster(X, 2, on_note=1.5, verbose=False)
    with pytest.raises(TypeError, match="on_plan="):
        pluribus.EnsembleClusterer(verbose=False).fit_planned(X, on_plan=FRAME)
    with pytest.raises(ValueError, match="must be a pluribus.Constraints, got DataFrame"):
        generate.Generator(constrained.CopKMeans(), n_members=2, verbose=False).generate(X, constraints=FRAME)


def test_other_types_of_numbers_are_read():
    assert Constraints(5, labels=BIG_ENDIAN).violations(BIG_ENDIAN).count == 0
    assert np.array_equal(Ensemble([BIG_ENDIAN]).labels, Ensemble([A]).labels)
    assert consensus.MixtureConsensus(2, epsilon=2**64, verbose=False).fit([A, B, A]).n_clusters_ >= 1
    assert consensus.EvidenceAccumulation(2, verbose=False).fit([A, B]).cut(threshold=10**30).max() == 0
    assert consensus.MetaClustering(2, imbalance=np.int8(2), verbose=False).fit([A, B]).n_clusters_ == 2
    assert pipeline.plan_of(X, generate.Generator(), held=np.int8(2)).parts["table"] > 2


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_other_types_of_numbers_in_learned_similarities():
    assert similarity.majority_vote(BIG_ENDIAN, tracks=[0, 0, 0, 1, 1]).tolist() == [0, 0, 0, 1, 1]
    metric = similarity.CannotLinkMetric(C=np.float16(2), kind="sparse", verbose=False)
    assert metric.fit(sparse.csr_array(X), constraints=[(0, 4)]).margin_ > 0
    model = constrained.ConstrainedGaussianMixture(2, tol=1e308, random_state=0, verbose=False).fit(X)
    assert model.n_iter_ >= 1


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_extreme_numbers_in_known_methods():
    two = np.tile([0, 2, 2, 0, 3], (5, 1))
    assert (
        consensus.DyadicAspect(n_init=2, max_iter=8, tol=0.9, random_state=856, verbose=False).fit(two).n_clusters_ >= 1
    )
    model = similarity.PairwiseKernelClassifier(mu=np.float16(2), lam=np.float16(1), verbose=False)
    assert len(model.fit(X, [0, 1, -1, -1, 0]).classes_) == 2
    with pytest.raises(ValueError, match="mu"):
        similarity.PairwiseKernelClassifier(mu=1e13).fit(X, [0, 1, -1, -1, 0])
    with pytest.raises(ValueError, match="squares are infinite"):
        v.calinski_harabasz_index([0, 1, 1], distances=1e160 * (1 - np.eye(3)))
    with pytest.raises(ValueError, match="Complex data"):
        consensus.EvidenceAccumulation(2, verbose=False).fit([A, A], X=X * 1j)
    with pytest.raises(ValueError, match="n_jobs=0 is not a number of threads"):
        evidence.CoAssociation([A, B], form="neighbors", X=X, n_jobs=0)


def test_figures_refuse_other_results():
    with pytest.raises(TypeError, match="give the result of alternative.alternatives"):
        report.plot_alternatives(FRAME)
    model = constrained.SpectralCoClustering(2, random_state=0).fit(X + 1)
    assert len(report.plot_coclusters(model, (X + 1).astype(">f8")).data) == 1


def test_rows_that_a_learned_metric_cannot_reach():
    model = constrained.MetricPairwiseKMeans(2, random_state=0, verbose=False).fit(X * 1e-8)
    with pytest.raises(ValueError, match="infinite"):
        model.predict(np.full((2, 2), 1e150))


def test_bootstrap_links_beyond_all_references():
    names = ["A. Smith", "A Smith", "B. Jones"]
    model = relational.CollectiveRelational(boot_links=10**30, verbose=False).fit(names, links=[[0, 2], [1, 2]])
    assert len(model.labels_) == 3


def test_soft_clusters_without_objects_are_warned_of():
    with pytest.warns(ConvergenceWarning, match="Only 2 of the 3 clusters have objects"):
        model = consensus.PairwiseProbabilistic(3, n_init=3, max_iter=2, tol=2.1, random_state=7, verbose=False).fit(
            np.array([[1, 0], [1, 0], [2, 1], [1, 0], [1, 0]])
        )
    assert model.membership_.shape == (5, 3)


def test_the_farthest_rows_are_drawn_without_overflow():
    far = np.full((6, 2), 1e150) * np.arange(6)[:, None]
    known = Constraints(6, must_link=[(0, 1)])
    assert len(constrained.SeededKMeans(3, random_state=0, verbose=False).fit_predict(far, constraints=known)) == 6


@pytest.mark.filterwarnings("ignore")
def test_seeds_of_fewer_chunklets_than_clusters():
    known = Constraints(5, must_link=[(0, 1), (1, 2)])
    model = constrained.SeededKMeans(5, fixed=False, random_state=0, verbose=False).fit(X, constraints=known)
    assert model.n_clusters_ == 5


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_the_largest_numbers_are_drawn():
    model = constrained.SpectralCoClustering(2, random_state=0).fit(X + 1)
    (heat,) = report.plot_coclusters(model, np.full((5, 2), 1e308)).data
    assert (heat.z == 1e308).all()


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_a_penalty_beyond_the_digits_of_a_share():
    model = consensus.SoftCorrespondence(2, alpha=2**64, random_state=0, verbose=False).fit([A, B, A])
    assert np.allclose(np.vstack(model.correspondences_).sum(axis=1), 1)
    assert np.isfinite(model.objective_).all()


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("n_components", [None, 2])
def test_a_kernel_beyond_all_exponents_is_zero(n_components):
    y, links = [0, 1, -1, -1, -1], Constraints(5, must_link=[(0, 2)])
    model = similarity.PairwiseKernelClassifier(verbose=False, n_components=n_components, random_state=0)
    model.fit(X * 1e-20, y, constraints=links)
    far = np.arange(10.0).reshape(5, 2) * 1e147
    assert np.array_equal(model.decision_function(far), np.full(5, model.intercept_[0]))
    assert len(np.unique(similarity.AmbiguousPairs(model, far).ambiguity)) == 1


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_kernels_by_name_beyond_all_exponents():
    kernels = [("rbf", {"gamma": 1e308}), ("laplacian", {"gamma": 1e308}), ("gaussian", {"sigma": 1e-150})]
    model = similarity.MultipleKernelKMeans(2, kernels=kernels, random_state=0, verbose=False).fit(X)
    assert model.n_clusters_ == 2
    lifted = consensus.LiftedConsensus(2, sigma=1e-100, random_state=0, verbose=False).fit([A, B], X=X)
    assert lifted.predict(X * 1e90).shape == (5,)


MANY = np.random.default_rng(0).normal(size=(300, 2)) + np.repeat([0, 20, 40], 100)[:, None]
THREE = np.repeat([0, 1, 2], 100)
PATH = [(i, i + 1) for i in range(299)]
COUNTED = [
    lambda k: consensus.EvidenceAccumulation(k, verbose=False).fit([THREE, THREE]),
    lambda k: consensus.LocallyWeightedConsensus(k, verbose=False).fit([THREE, THREE]),
    lambda k: similarity.MultipleKernelKMeans(k, random_state=0, verbose=False).fit(MANY),
    lambda k: relational.ConnectedKCenter(k, random_state=0, verbose=False).fit(MANY, graph=PATH),
    lambda k: relational.NetScan(k, random_state=0, verbose=False).fit(MANY, graph=PATH),
    lambda k: relational.ConnectedKMeans(k, random_state=0, verbose=False).fit(MANY, graph=PATH),
    lambda k: constrained.CopKMeans(k, random_state=0, verbose=False).fit(MANY),
    lambda k: constrained.BalancedKMeans(k, random_state=0).fit(MANY),
    lambda k: constrained.SizeConstrainedKMeans(k, random_state=0, verbose=False).fit(MANY),
    lambda k: constrained.FrequencySensitiveKMeans(k, random_state=0).fit(MANY),
    lambda k: constrained.PenalizedMixture(k, random_state=0, verbose=False).fit(MANY),
    lambda k: constrained.SpectralCoClustering(k, random_state=0).fit(np.abs(MANY)),
]


@pytest.mark.parametrize("fit", COUNTED)
@pytest.mark.filterwarnings("ignore")
def test_a_number_of_clusters_of_a_short_type(fit):
    plain, short = fit(3), fit(np.int8(3))
    assert np.array_equal(plain.labels_, short.labels_)
    assert type(short.n_clusters_) is int


@pytest.mark.filterwarnings("ignore")
def test_truth_values_count_as_numbers():
    for clusterers in (["kmeans"], ["njw", "kmeans"]):
        one, other = (
            temporal.TemporalEnsemble(clusterers, k_range=(2, 3), n_members=n, random_state=0).fit(MANY[::20])
            for n in (1, True)
        )
        assert np.array_equal(one.partitions_, other.partitions_)


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_a_fall_of_the_evidence_beyond_all_floats():
    few, tree = MANY[::10], hierarchy.linkage(MANY[::10], "average")
    assert v.find_structure(few, tree, lifetimes=[1e308], stability=[1.0]).witnesses.gap == np.inf


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_parameters_of_short_types():
    attributes = {"a": [200.0] * 5}
    total = constrained.Aggregate("sum", "a", ">=", np.int8(100))
    assert constrained.satisfied([total, constrained.AtLeast(np.int8(1))], A, attributes)
    assert type(total.value) is int
    assert type(constrained.RecursiveDiversity("a", np.float16(2), np.int8(1)).m) is float
    cost = v.description_length_cost(A, X * 1e6, penalty=np.float16(1))
    assert cost == v.description_length_cost(A, X * 1e6, penalty=1.0)
    one, other = (
        similarity.OnlineMultipleKernel(C=C, random_state=0, verbose=False).fit(X, A) for C in (1, np.float16(1))
    )
    assert np.array_equal(one.decision_function(X), other.decision_function(X))


def test_the_smallest_distances():
    D = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))
    tiny = v.neighbor_density_index(A, distances=D * 5e-324, n_neighbors=2)
    assert tiny == pytest.approx(v.neighbor_density_index(A, distances=D, n_neighbors=2))


def test_labels_may_be_tuples():
    one, other = (
        Constraints(4, labels=[(0, 1), (0, 1), None, None]),
        Constraints(4, labels=[None, (0, 1), (2, 3), None]),
    )
    assert one.merge(other).labels.tolist() == [0, 0, 1, -1]


def test_new_rows_may_be_sparse():
    model = pluribus.EnsembleClusterer(n_clusters=3, random_state=0, verbose=False).fit(MANY)
    assert np.array_equal(model.predict(sparse.csr_array(MANY[:9])), model.predict(MANY[:9]))


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_squares_of_variances_beyond_all_floats():
    assert v.s_dbw_cost(A, X=X * 1e147) == pytest.approx(v.s_dbw_cost(A, X=X))


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_the_middle_of_two_numbers_whose_sum_is_beyond_all_floats():
    table = pd.DataFrame({"a": [1e308, 1e308, np.nan, 1.0, 2.0, 1.5e308, 1.2e308], "b": range(7)})
    assert len(pluribus.anonymize.Anonymizer(k=2).fit_transform(table)) == 7


def test_a_number_of_neighbors_may_have_a_short_type():
    members = np.random.default_rng(0).integers(0, 5, (300, 6))
    short, plain = (evidence.CoAssociation(members, n_neighbors=n).to_sparse() for n in (np.int8(20), 20))
    assert (short != plain).nnz == 0


def test_a_number_of_clusters_of_a_short_type_does_not_overflow():
    path = [(i, i + 1) for i in range(299)]
    closed = Constraints(300, must_link=[(0, 1)], graph=path).closure(np.uint8(2))
    assert closed.n_chunks == Constraints(300, must_link=[(0, 1)], graph=path).closure(2).n_chunks


def test_labels_of_different_types_have_an_order():
    y = np.array(["a", 1, "b", 2], dtype=object)[np.arange(len(MANY)) % 4]
    number = {1: 0, 2: 1, "a": 2, "b": 3}
    np.testing.assert_array_equal(
        v.cluster_separation(MANY, y), v.cluster_separation(MANY, [number[label] for label in y])
    )


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_sums_of_increments_beyond_all_floats():
    fitted = increments.IncrementsDistribution.fit([1e308, 1.5e308, 1.7e308], method="mle")
    assert fitted.scale / 1e308 == pytest.approx(
        increments.IncrementsDistribution.fit([1, 1.5, 1.7], method="mle").scale
    )


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("generalize", ["mean", "range"])
def test_distances_whose_sum_is_beyond_all_floats(generalize):
    table = pd.DataFrame({"a": [1.5e308, 0.0] * 6, "b": range(12)})
    assert len(pluribus.anonymize.Anonymizer(k=4, generalize=generalize).fit_transform(table)) == 12


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_rows_that_are_mostly_the_same():
    X = np.repeat([[0.0, 0.0]], 60, axis=0)
    X[:7] = np.random.default_rng(0).normal(size=(7, 2))
    assert v.find_structure(X, hierarchy.linkage(X, "average")).verdict in ("clusters", "undecided", "none")
    X = np.random.default_rng(0).normal(size=(80, 3)).round(1)[np.random.default_rng(1).integers(0, 4, 400) * 20]
    assert len(v.cluster_separation(X, np.arange(400) % 2)) == 2


def test_characters_that_are_none_are_refused(tmp_path):
    garbled = np.array([0x110000, 97], np.uint32).view("U1")
    np.savez(tmp_path / "table.npz", X=np.eye(2), ids=garbled)
    with pytest.raises(t.TableError, match="characters that are none"):
        t.read_table(tmp_path / "table.npz")
    np.savez(
        tmp_path / "ensemble.npz", labels=np.zeros((2, 1), int), names=["a"], weights=[1.0], classes_0=[0], ids=garbled
    )
    with pytest.raises(t.TableError, match="characters that are none"):
        Ensemble.read(tmp_path / "ensemble.npz")
    kept = pluribus.cluster(MANY, 3, verbose=False).save(tmp_path / "kept.pluribus")
    with zipfile.ZipFile(kept) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    with zipfile.ZipFile(tmp_path / "tampered.pluribus", "w") as file:
        for name, content in parts.items():
            if name == "ids.npy":
                with io.BytesIO() as stream:
                    np.save(stream, np.array([0x110000] * 300, np.uint32).view("U1"))
                    content = stream.getvalue()
            file.writestr(name, content)
    with pytest.raises(ValueError, match="characters that are none"):
        pluribus.load(tmp_path / "tampered.pluribus")
