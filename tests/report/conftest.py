"""Cases to report on."""

import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from helpers import PATIENCE
from pluribus.partitions import Ensemble
from pluribus.partitions._internal import normalized_entropy, order_by_size
from pluribus.pipeline.candidates.k_ladder import KLadder, Rung
from pluribus.report import Case, write_report

HOSTILE = "<b>bold</b></script><img src=x onerror=\"window.hacked=1\"> & {{ 7*7 }} %{x} 'quoted'"


def slow_evidence(labels, weights=None):
    """The co-association, object by object."""
    n, r = labels.shape
    weights = np.ones(r) if weights is None else weights
    together, both = np.zeros((n, n)), np.zeros((n, n))
    for p in range(r):
        for i in np.flatnonzero(labels[:, p] >= 0):
            both[i] += weights[p] * (labels[:, p] >= 0)
            together[i] += weights[p] * (labels[:, p] == labels[i, p])
    return np.divide(together, both, out=np.full((n, n), np.nan), where=both > 0)


@pytest.fixture(name="slow_evidence")
def _slow_evidence():
    return slow_evidence


@pytest.fixture
def hostile():
    return HOSTILE


@pytest.fixture
def make_case():
    """Blobs, a noisy ensemble of them, and average link on its evidence."""

    def make(n=90, k=3, r=25, missing=0.1, seed=0, *, noise=0.15, with_linkage=True, with_X=True, **changes):
        rng = np.random.default_rng(seed)
        true = np.sort(rng.integers(0, k, n))
        true[:k] = np.arange(k)
        X = rng.normal(size=(n, 4)) + 4 * rng.normal(size=(k, 4))[true]
        labels = np.column_stack([rng.permutation(k + p % 3)[true] for p in range(r)])
        flipped = rng.random((n, r)) < noise
        labels[flipped] = rng.integers(0, k, flipped.sum())
        labels[rng.random((n, r)) < missing] = -1
        labels[:, 0] = true
        ensemble = Ensemble(labels)
        evidence = np.nan_to_num(slow_evidence(ensemble.labels))
        Z = linkage(squareform(1 - evidence, checks=False), "average") if n > 1 else np.empty((0, 4))
        result = fcluster(Z, k, "maxclust") - 1
        k_found = int(result.max()) + 1
        result = np.argsort(order_by_size(result, k_found))[result]
        assigned = np.eye(k_found)[result]
        membership = evidence @ assigned / assigned.sum(axis=0)
        membership /= membership.sum(axis=1, keepdims=True)
        lifetimes = np.zeros(n + 1)
        for clusters in range(2, n):
            lifetimes[clusters] = Z[n - clusters, 2] - Z[n - clusters - 1, 2]
        frame = pd.DataFrame(X, columns=["height", "width", "depth", "age"])
        frame["kind"] = np.where(result == 0, "oak", "elm")
        made = {
            "title": "trees.csv",
            "ensemble": ensemble,
            "labels": result,
            "membership": membership,
            "uncertainty": normalized_entropy(membership),
            "ids": np.array([f"tree {i}" for i in range(n)]),
            "linkage": Z if with_linkage else None,
            "lifetimes": lifetimes if with_linkage else None,
            "method": "Evidence accumulation (average link)",
            "k_chosen_by": "highest lifetime",
            "X": X if with_X else None,
            "feature_names": list(frame.columns[:4]) if with_X else (),
            "frame": frame if with_X else None,
            "notes": ("1 column was dropped: constant.",),
            "parameters": {"linkage": "average", "members": r},
            "seed": seed,
            "versions": {"pluribus": "0.1.0"},
        }
        return Case(**(made | changes))

    return make


@pytest.fixture
def plain_case():
    """A case from labels alone: members, a result, and memberships that say the same."""

    def make(members, result, **changes):
        result = np.asarray(result)
        k = result.max() + 1
        n = len(result)
        made = {
            "title": "labels.csv",
            "ensemble": Ensemble(members),
            "labels": result,
            "membership": np.where(result[:, None] >= 0, np.eye(max(k, 1))[np.maximum(result, 0)], 0.0),
            "uncertainty": np.zeros(n),
            "ids": np.array([f"object {i}" for i in range(n)]),
        }
        return Case(**(made | changes))

    return make


@pytest.fixture
def laddered_case(plain_case):
    """120 objects in 4 clusters, on a ladder of 2, 4 and 8; each level splits every cluster into two."""

    def make(separation=(2.0, 2.0, 0.5), scores=(0.8, 0.9, 0.7), **changes):
        n_clusters = (2, 4, 8)
        labels = [np.arange(120) * k // 120 for k in n_clusters]
        rungs = tuple(map(Rung, n_clusters, scores, (0.7, 0.9, 0.6), separation, labels))
        ladder = KLadder(np.array(n_clusters), np.array(scores), np.ones(3), rungs, 4, "4 clusters: they fit best.")
        rng = np.random.default_rng(0)
        X = rng.normal(size=(120, 2)) + np.column_stack([labels[1] * 10, labels[2] * 3])
        made = {
            "X": X,
            "feature_names": ["length", "width"],
            "ladder": ladder,
            "verdict": "clusters",
            "k_chosen_by": "most support",
            "reproducibility": np.full(4, 0.95),
        }
        return plain_case([labels[1]] * 20, labels[1], **(made | changes))

    return make


@pytest.fixture
def hostile_case(make_case):
    """Every text that a user can bring is an attack."""
    case = make_case(n=40, r=10)
    names = [f"{HOSTILE} {p}" for p in range(10)]
    frame = case.frame.rename(columns={"height": HOSTILE})
    frame["kind"] = np.where(case.labels == 0, HOSTILE, "elm")
    return make_case(
        n=40,
        r=10,
        title=HOSTILE,
        ensemble=Ensemble(case.ensemble, names=names),
        ids=np.array([f"{HOSTILE} {i}" for i in range(40)]),
        method=HOSTILE,
        k_chosen_by=HOSTILE,
        frame=frame,
        notes=(HOSTILE,),
        parameters={HOSTILE: HOSTILE},
        versions={HOSTILE: HOSTILE},
    )


@pytest.fixture
def show(browser, tmp_path):
    """Write the report, open it, wait until its figures are drawn."""
    from selenium.webdriver.support.ui import WebDriverWait

    def show(case):
        browser.get(write_report(case, tmp_path / "report.html").as_uri())
        WebDriverWait(browser, PATIENCE).until(
            lambda b: b.execute_script("return document.documentElement.classList.contains('all-drawn')")
        )
        return browser

    return show


@pytest.fixture
def screen(browser):
    """Make the browser's window as wide as a device."""

    def screen(width):
        metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    return screen
