"""Soft correspondence (SCEC): k-means ensembles of iris and of the digits' test part, NMI to the classes.

Three ways to make an ensemble. RI: random starts, each member with the k of the consensus. RN: each member with its own
k, uniform from 2 to twice the number of classes. RS: as RI, on a random half of the features. The source compares five
methods and the mean of the members (BL). Its third data set, drawn at random from ISOLET, is not at hand.

The source names neither the weight α of SCEC nor its starts. Its formula has one α for all members: here the number of
objects divided by the mean number of clusters of the members. "SCEC, default" is the library's default, where α follows
the mean cluster size of each member; in RI and RS, where all members have k clusters, the two are the same. CSPA is the
published form, which may divide objects with equal labels, and MCLA balances objects as published; QMI and MMEC have
one start, as in the source they seem to.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from benchmarks import _data
from benchmarks.reproduce._published import Published, present

PAPER = "Long, Zhang and Yu, Combining multiple clusterings by soft correspondence, ICDM 2005, tables 2 to 7."
METHODS = ("SCEC", "CSPA", "MCLA", "QMI", "MMEC", "BL", "SCEC, default")
N_CLASSES = {"iris": 3, "pendigits_test": 10}

# By data set and ensemble: by (r, k), NMI of SCEC, CSPA, MCLA, QMI, MMEC and BL.
THEIRS: dict[tuple[str, str], dict[tuple[int, int], tuple[float, ...]]] = {
    ("iris", "RI"): {
        (5, 2): (0.6793, 0.4164, 0.6793, 0.6793, 0.6793, 0.6793),
        (5, 3): (0.7463, 0.6978, 0.7517, 0.6567, 0.7288, 0.7069),
        (5, 4): (0.7266, 0.5610, 0.7050, 0.6356, 0.7052, 0.7008),
        (20, 2): (0.6793, 0.4164, 0.6793, 0.6793, 0.6793, 0.6793),
        (20, 3): (0.7528, 0.6921, 0.7476, 0.6764, 0.7257, 0.7201),
        (20, 4): (0.7274, 0.5826, 0.7171, 0.6603, 0.6385, 0.6999),
        (50, 2): (0.6793, 0.4164, 0.6793, 0.6793, 0.6793, 0.6793),
        (50, 3): (0.7528, 0.6916, 0.7428, 0.6731, 0.6962, 0.7166),
        (50, 4): (0.7515, 0.5879, 0.7177, 0.6119, 0.6351, 0.7003),
    },
    ("iris", "RN"): {
        (5, 2): (0.6914, 0.4941, 0.5724, 0.6385, 0.5958, 0.6738),
        (5, 3): (0.7545, 0.8102, 0.7891, 0.6464, 0.7067, 0.6826),
        (5, 4): (0.7367, 0.5709, 0.7111, 0.6883, 0.6691, 0.6900),
        (20, 2): (0.7530, 0.5012, 0.5174, 0.6440, 0.4964, 0.6761),
        (20, 3): (0.7706, 0.8383, 0.8166, 0.6758, 0.5775, 0.6773),
        (20, 4): (0.7305, 0.5898, 0.6823, 0.6712, 0.6190, 0.6811),
        (50, 2): (0.7612, 0.5076, 0.4963, 0.6863, 0.4365, 0.6774),
        (50, 3): (0.7804, 0.8411, 0.8539, 0.6183, 0.5284, 0.6777),
        (50, 4): (0.7391, 0.5868, 0.6857, 0.6583, 0.5251, 0.6773),
    },
    ("iris", "RS"): {
        (5, 2): (0.6560, 0.4380, 0.6497, 0.5960, 0.6756, 0.5825),
        (5, 3): (0.7626, 0.7748, 0.7686, 0.7018, 0.7665, 0.6856),
        (5, 4): (0.6851, 0.5556, 0.6685, 0.6822, 0.6921, 0.6294),
        (20, 2): (0.6831, 0.4635, 0.6758, 0.6895, 0.6437, 0.5932),
        (20, 3): (0.7658, 0.7735, 0.7664, 0.7185, 0.7494, 0.6828),
        (20, 4): (0.7425, 0.5870, 0.7098, 0.7006, 0.6976, 0.6336),
        (50, 2): (0.7059, 0.4596, 0.6858, 0.7186, 0.6184, 0.5991),
        (50, 3): (0.7532, 0.7775, 0.7496, 0.7248, 0.7062, 0.6746),
        (50, 4): (0.7418, 0.5841, 0.7106, 0.7173, 0.6861, 0.6358),
    },
    ("pendigits_test", "RI"): {
        (5, 5): (0.5585, 0.4855, 0.5639, 0.5228, 0.5517, 0.5607),
        (5, 10): (0.6734, 0.6245, 0.6734, 0.6434, 0.6564, 0.6808),
        (5, 15): (0.7310, 0.6458, 0.7202, 0.6880, 0.7143, 0.7253),
        (5, 20): (0.7430, 0.6813, 0.7289, 0.6931, 0.7183, 0.7355),
        (20, 5): (0.5593, 0.4942, 0.5673, 0.5328, 0.5336, 0.5601),
        (20, 10): (0.6756, 0.6394, 0.6823, 0.6499, 0.6430, 0.6818),
        (20, 15): (0.7320, 0.6610, 0.7213, 0.6870, 0.6911, 0.7247),
        (20, 20): (0.7484, 0.6941, 0.7388, 0.7091, 0.7010, 0.7361),
        (50, 5): (0.5691, 0.5060, 0.5686, 0.5353, 0.5330, 0.5608),
        (50, 10): (0.6778, 0.6463, 0.6817, 0.6468, 0.6415, 0.6815),
        (50, 15): (0.7330, 0.6588, 0.7220, 0.6897, 0.6849, 0.7236),
        (50, 20): (0.7526, 0.6932, 0.7356, 0.7175, 0.6852, 0.7357),
    },
    ("pendigits_test", "RN"): {
        (5, 5): (0.5709, 0.5282, 0.5413, 0.5164, 0.5584, 0.6247),
        (5, 10): (0.6915, 0.6383, 0.6285, 0.6281, 0.6746, 0.6702),
        (5, 15): (0.7180, 0.6344, 0.6305, 0.6921, 0.7097, 0.6660),
        (5, 20): (0.7118, 0.6399, 0.6463, 0.6969, 0.7137, 0.6669),
        (20, 5): (0.5738, 0.5445, 0.5781, 0.5394, 0.5400, 0.6422),
        (20, 10): (0.6901, 0.6417, 0.6828, 0.6627, 0.6518, 0.6515),
        (20, 15): (0.7108, 0.6494, 0.6441, 0.6936, 0.7021, 0.6270),
        (20, 20): (0.7256, 0.6523, 0.6277, 0.6986, 0.7153, 0.6535),
        (50, 5): (0.5833, 0.5489, 0.5841, 0.5483, 0.5227, 0.6474),
        (50, 10): (0.6935, 0.6493, 0.6907, 0.6581, 0.6534, 0.6485),
        (50, 15): (0.7179, 0.6536, 0.7035, 0.6876, 0.6805, 0.6477),
        (50, 20): (0.7120, 0.6557, 0.6741, 0.6964, 0.7070, 0.6433),
    },
    ("pendigits_test", "RS"): {
        (5, 5): (0.5033, 0.4790, 0.4944, 0.4962, 0.5311, 0.4896),
        (5, 10): (0.6546, 0.6247, 0.6496, 0.6451, 0.6841, 0.6092),
        (5, 15): (0.6944, 0.6290, 0.6657, 0.6620, 0.7085, 0.6422),
        (5, 20): (0.7017, 0.6592, 0.6689, 0.6934, 0.7200, 0.6483),
        (20, 5): (0.5383, 0.5101, 0.5464, 0.5598, 0.5626, 0.4952),
        (20, 10): (0.6586, 0.6468, 0.6790, 0.6850, 0.6862, 0.6143),
        (20, 15): (0.7129, 0.6560, 0.7022, 0.7197, 0.7302, 0.6401),
        (20, 20): (0.7281, 0.6991, 0.7124, 0.7190, 0.7218, 0.6539),
        (50, 5): (0.5428, 0.5189, 0.5458, 0.5665, 0.5778, 0.4950),
        (50, 10): (0.6596, 0.6548, 0.6790, 0.6869, 0.6841, 0.6047),
        (50, 15): (0.7238, 0.6653, 0.7009, 0.7326, 0.7105, 0.6431),
        (50, 20): (0.7322, 0.6925, 0.7167, 0.7371, 0.6988, 0.6540),
    },
}

# A table's and a row's title, and what they stand for.
_TABLES = {f"Table {number}, {name}, {kind}": (name, kind) for number, (name, kind) in enumerate(THEIRS, start=2)}
_ROWS = {f"r = {r}, k = {k}": (r, k) for rows in THEIRS.values() for r, k in rows}


def tables(quick: bool) -> list[Published]:
    """Tables 2 to 7; the quick form leaves out r = 50."""
    found = []
    for title, place in _TABLES.items():
        cells = {row: THEIRS[place].get(cell, ()) for row, cell in _ROWS.items() if not (quick and cell[0] == 50)}
        rows = {row: (*values, values[0]) for row, values in cells.items() if values}
        found.append(Published(title, "NMI", True, METHODS, rows, other_forms=METHODS[-1:]))
    return present(found, lambda table, row: _TABLES[table][0])


def n_runs(quick: bool) -> int:
    """The source's 20, or 2."""
    return 2 if quick else 20


def score(table: str, row: str, run: int, quick: bool) -> dict[str, float]:
    """NMI of each consensus, and the mean NMI of the members."""
    name, kind = _TABLES[table]
    r, k = _ROWS[row]
    truth = _data_set(name).y
    ensemble = _members(name, kind, None if kind == "RN" else k, run).take_partitions(range(r))
    methods = _methods(k, alpha=ensemble.n_objects / ensemble.n_clusters.mean())
    if kind != "RN":
        del methods["SCEC, default"]
    found = {
        method: _nmi(truth, consensus.set_params(random_state=run, verbose=False).fit(ensemble).labels_)
        for method, consensus in methods.items()
    }
    found.setdefault("SCEC, default", found["SCEC"])
    return found | {"BL": float(np.mean([_nmi(truth, labels) for labels in ensemble.labels.T]))}


def _methods(k: int, alpha: float) -> dict[str, Any]:
    from pluribus.consensus import (
        MetaClustering,
        MixtureConsensus,
        MutualInformationConsensus,
        SimilarityPartitioning,
        SoftCorrespondence,
    )

    return {
        "SCEC": SoftCorrespondence(k, alpha=alpha),
        "CSPA": SimilarityPartitioning(k, collapse=False),
        "MCLA": MetaClustering(k, balance="objects"),
        "QMI": MutualInformationConsensus(k, n_init=1),
        "MMEC": MixtureConsensus(k, init="random", n_init=1),
        "SCEC, default": SoftCorrespondence(k),
    }


@lru_cache
def _data_set(name: str) -> _data.DataSet:
    return _data.load_raw(name)


@lru_cache(maxsize=200)  # the members of all cells of a table that share them: the first r of 50
def _members(name: str, kind: str, k: int | None, run: int) -> Any:
    from pluribus.generate import Generator

    X = _data_set(name).X
    generator = Generator("kmeans", n_members=50, n_clusters=k or (2, 2 * N_CLASSES[name]), random_state=run)
    if kind == "RS":
        generator.set_params(subspace=X.shape[1] // 2)
    return generator.set_params(verbose=False).generate(X)


def _nmi(truth: np.ndarray, labels: np.ndarray) -> float:
    from sklearn.metrics import normalized_mutual_info_score

    return float(normalized_mutual_info_score(truth, labels, average_method="geometric"))
