"""One file -> a result. Nothing in it is executed, and nothing in it is believed: all of it is checked."""

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from pluribus._engine import DAMAGED, ArrayError, ArraySpec, in_bytes, is_one_of, memory_limit
from pluribus.consensus import MethodComparison, MethodRun
from pluribus.constraints import Constraints
from pluribus.partitions import Ensemble
from pluribus.pipeline._archive import FORMAT, LISTS, RUN_FIGURES, TEXTS, temporary
from pluribus.pipeline._k_choice import KOpinion
from pluribus.pipeline._nearest_rows import NearestRows
from pluribus.pipeline.candidates.k_ladder import KLadder
from pluribus.pipeline.clustering import VERDICTS, Clustering
from pluribus.pipeline.merge_record import COLUMNS, HEIGHTS, MergeRecord
from pluribus.tables import Recipe
from pluribus.tables._internal import METRICS


class ArchiveError(ValueError):
    """A file that is no result of ours, or a damaged one."""


def load(path: Any) -> Clustering:
    """Read a result that ``Clustering.save`` wrote.

    Parameters
    ----------
    path : path of the file, or of the directory of results that ``pluribus cluster`` wrote

    Raises
    ------
    ArchiveError
        If the file is no such result, or damaged: shapes, types and ranges of all arrays are checked.

    Examples
    --------
    >>> import tempfile, pluribus
    >>> result = pluribus.combine([[0, 0, 1, 1, 1], [0, 0, 1, 1, 1]], verbose=False)
    >>> again = pluribus.load(result.save(tempfile.mkdtemp() + "/five.pluribus"))
    >>> again.labels.tolist() == result.labels.tolist()
    True
    """
    path = Path(path)
    if path.is_dir():
        path = path / "model.pluribus"
    if not path.is_file():
        raise ArchiveError(f"{path} does not exist: give a file that Clustering.save or pluribus cluster wrote.")
    try:
        with zipfile.ZipFile(path) as file:
            return _result(_Archive(file, path))
    except ArchiveError:
        raise
    except (OSError, IndexError, *DAMAGED) as error:
        raise ArchiveError(f"{path} is not a readable result of pluribus ({type(error).__name__}: {error}).") from error


class _Archive:
    """An open file, of which nothing is believed."""

    def __init__(self, file: zipfile.ZipFile, path: Path) -> None:
        self.file, self.path = file, path
        self.names = set(file.namelist())
        if "clustering.json" not in self.names:
            raise ArchiveError(f"{path} is no result of pluribus: it holds no clustering.json.")
        self.described = json.loads(self.bytes("clustering.json"))
        if not isinstance(self.described, dict) or self.described.get("format") != FORMAT:
            raise ArchiveError(f"{path} is of another version (format {self._format()}): it cannot be read here.")
        self.n = int(self.described["n_objects"])

    def _format(self) -> Any:
        return self.described.get("format") if isinstance(self.described, dict) else None

    def bytes(self, name: str) -> bytes:
        """One document, not larger than it says."""
        size = self.file.getinfo(name).file_size
        if size > memory_limit():
            raise ArchiveError(
                f"{self.path} is damaged or too large: {name} takes {in_bytes(size)}, more than the "
                f"{in_bytes(memory_limit())} allowed."
            )
        return self.file.read(name)

    def array(self, name: str, kinds: str, shape: tuple[int | None, ...]) -> np.ndarray:
        """One array, of this type and shape; None stands for any length."""
        return self._read(name, ArraySpec(kinds, shape, finite=False))

    def finite(self, name: str, shape: tuple[int | None, ...]) -> np.ndarray:
        """One array of finite numbers."""
        return self._read(name, ArraySpec("f", shape))

    def indices(self, name: str, below: int, length: int | None = None, least: int = 0) -> np.ndarray:
        """One array of whole numbers within a range."""
        return self._read(name, ArraySpec("iu", (length,), least=least, below=below))

    def _read(self, name: str, spec: ArraySpec) -> np.ndarray:
        try:
            return spec.read(self.file, name)
        except ArrayError as error:
            raise ArchiveError(f"{self.path} is damaged: {error}.") from error


def _result(archive: _Archive) -> Clustering:
    stored, n = archive.described, archive.n
    membership = archive.finite("membership", (n, None))
    k = membership.shape[1]
    labels = archive.indices("labels", k, n, least=-1)
    uncertainty = archive.finite("uncertainty", (n,))
    if uncertainty.min(initial=0) < -1e-9 or uncertainty.max(initial=0) > 1 + 1e-9:
        raise ArchiveError(f"{archive.path} is damaged: uncertainties are not between 0 and 1.")
    if membership.min(initial=0) < -1e-9 or np.abs(membership.sum(axis=1) - 1).max(initial=0) > 1e-3:
        raise ArchiveError(f"{archive.path} is damaged: memberships do not sum to 1.")
    ensemble = _ensemble(archive)
    neighbors = _neighbors(archive, membership)
    recipe = None if stored["recipe"] is None else Recipe.from_json(stored["recipe"])
    if recipe is not None and neighbors is not None and len(recipe.feature_names) != neighbors.rows.shape[1]:
        raise ArchiveError(f"{archive.path} is damaged: the recipe of the columns does not fit the rows.")
    words: dict[str, Any] = {name: str(stored[name]) for name in TEXTS}
    words["verdict"] = stored.get("verdict", "")
    if words["verdict"] not in VERDICTS:
        raise ArchiveError(f"{archive.path} is damaged: {words['verdict']!r:.100} is no verdict.")
    parameters = dict(stored["parameters"])
    if not is_one_of(parameters.get("metric", "euclidean"), METRICS):
        raise ArchiveError(f"{archive.path} is damaged: {parameters['metric']!r:.100} is no metric.")
    words |= {name: tuple(str(item) for item in stored[name]) for name in LISTS}
    return Clustering(
        labels=labels,
        membership=membership,
        uncertainty=uncertainty,
        ids=archive.array("ids", "U", (n,)),
        ensemble=ensemble,
        **words,
        parameters=parameters,
        linkage=archive.finite("linkage", (n - 1, 4)) if "linkage.npy" in archive.names else None,
        k_support=archive.array("k_support", "fiu", (None,)) if "k_support.npy" in archive.names else None,
        k_choice=None if stored["k_choice"] is None else KOpinion.from_json(stored["k_choice"]),
        ladder=_ladder(archive, stored.get("ladder")),
        reproducibility=_reproducibility(archive, k),
        constraints=_constraints(archive),
        methods=_methods(archive, stored["methods"]),
        merges=_merges(archive, stored.get("merges"), k),
        coordinates=archive.finite("coordinates", (n, 2)) if "coordinates.npy" in archive.names else None,
        graph=_graph(archive),
        features=neighbors.rows if neighbors is not None and len(neighbors.index) == n else None,
        frame=_frame(archive),
        other_than=_other_than(archive),
        recipe=recipe,
        id_column=None if stored["id_column"] is None else str(stored["id_column"]),
        neighbors=neighbors,
        combined=bool(stored["combined"]),
        seconds=float(stored["seconds"]),
        versions={str(name): str(version) for name, version in dict(stored["versions"]).items()},
    )


def _ladder(archive: _Archive, stored: Any) -> KLadder | None:
    if stored is None:
        return None
    try:
        return KLadder.from_json(stored, archive.array("ladder_labels", "iu", (archive.n, None)).astype(np.int64))
    except (TypeError, ValueError, KeyError) as error:
        raise ArchiveError(f"{archive.path} is damaged: {error}") from error


def _reproducibility(archive: _Archive, k: int) -> np.ndarray | None:
    if "reproducibility.npy" not in archive.names:
        return None
    found = archive.array("reproducibility", "f", (k,))
    if np.nanmin(found, initial=0) < 0 or np.nanmax(found, initial=0) > 1:
        raise ArchiveError(f"{archive.path} is damaged: reproducibilities are not between 0 and 1.")
    return found


def _ensemble(archive: _Archive) -> Ensemble:
    with temporary("ensemble.npz") as path:
        path.write_bytes(archive.bytes("ensemble.npz"))
        ensemble = Ensemble.read(path)
    if ensemble.n_objects != archive.n:
        raise ArchiveError(
            f"{archive.path} is damaged: its ensemble has {ensemble.n_objects} objects, not {archive.n}."
        )
    return ensemble


def _neighbors(archive: _Archive, membership: np.ndarray) -> NearestRows | None:
    if "kept_index.npy" not in archive.names:
        return None
    index = archive.indices("kept_index", archive.n)
    if not len(index):
        raise ArchiveError(f"{archive.path} is damaged: it keeps no rows to compare new ones with.")
    width = archive.described["sparse_width"]
    rows: Any = None
    if width is None:
        rows = archive.finite("kept_rows", (len(index), None))
    else:
        rows = _sparse_rows(archive, (len(index), int(width)))
    labels = archive.indices("kept_labels", membership.shape[1], len(index))
    return NearestRows.kept(rows, labels, membership[index], index)


def _sparse_rows(archive: _Archive, shape: tuple[int, int]) -> Any:
    data = archive.finite("kept_data", (None,))
    indices = archive.indices("kept_indices", shape[1], len(data))
    return sparse.csr_array((data, indices, _pointers(archive, "kept_indptr", len(data), shape[0])), shape=shape)


def _graph(archive: _Archive) -> sparse.csr_array | None:
    """The links between the objects; their weights do not matter."""
    if "graph_indptr.npy" not in archive.names:
        return None
    indices = archive.indices("graph_indices", archive.n)
    pointers = _pointers(archive, "graph_indptr", len(indices), archive.n)
    return sparse.csr_array((np.ones(len(indices)), indices, pointers), shape=(archive.n, archive.n))


def _pointers(archive: _Archive, name: str, n_entries: int, n_rows: int) -> np.ndarray:
    """Where the rows of a sparse matrix begin and end."""
    pointers = archive.indices(name, n_entries + 1, n_rows + 1)
    if pointers[0] != 0 or pointers[-1] != n_entries or (np.diff(pointers) < 0).any():
        raise ArchiveError(f"{archive.path} is damaged: the sparse rows of {name} do not add up.")
    return pointers


def _methods(archive: _Archive, stored: Mapping[str, Any] | None) -> MethodComparison | None:
    """The comparison of consensus functions: their figures and labels, not the fitted functions."""
    if stored is None:
        return None
    done = [run for run in stored["runs"] if not run["problem"]]
    labels = archive.array("method_labels", "iu", (len(done), archive.n))
    runs, place = [], 0
    for run in stored["runs"]:
        figures = {name: run[name] for name in RUN_FIGURES} | {"notes": tuple(map(str, run["notes"]))}
        figures |= {
            name: np.nan for name in ("seconds", "nmi_members", "ari_members", "ari_methods") if run[name] is None
        }
        consensus = None
        if not run["problem"]:
            consensus = SimpleNamespace(labels_=labels[place])
            place += 1
        runs.append(MethodRun(consensus=consensus, **figures))
    agreement = archive.finite("method_agreement", (len(done), len(done)))
    n_clusters, tied = int(stored["n_clusters"]), tuple(map(str, stored["tied"]))
    return MethodComparison(tuple(runs), n_clusters, agreement, str(stored["preferred"]), tied, str(stored["verdict"]))


def _merges(archive: _Archive, stored: Mapping[str, Any] | None, k: int) -> MergeRecord | None:
    """The merges and their tests: nodes of a tree whose children come before their parents."""
    if stored is None:
        return None
    leaf_labels = archive.indices("merge_leaf_labels", k)
    m = len(leaf_labels)
    tree = archive.finite("merge_tree", (max(m - 1, 0), 4))
    children = tree[:, :2].astype(np.int64)
    tests = pd.read_parquet(io.BytesIO(archive.bytes("merge_tests.parquet")))
    n_merges, heights, model = int(stored["n_merges"]), str(stored["heights"]), str(stored["model"])
    nodes = ("left", "right", "node")
    sound = tuple(tests.columns) == COLUMNS and all(pd.api.types.is_integer_dtype(tests[name]) for name in nodes)
    sound = sound and all(pd.api.types.is_float_dtype(tests[name]) for name in ("distance", "statistic"))
    sound = sound and all(tests[name].between(-1, 2 * m - 2).all() for name in nodes)
    sound = sound and bool((children >= 0).all() and (children < m + np.arange(len(tree))[:, None]).all())
    sound = sound and len(np.unique(children)) == children.size
    sound = sound and 0 <= n_merges <= len(tree) and heights in HEIGHTS and model in ("did", "exponential")
    if not sound:
        raise ArchiveError(f"{archive.path} is damaged: the merges do not form a tree.")
    return MergeRecord(
        tree,
        n_merges,
        heights,
        leaf_labels,
        archive.indices("merge_leaf_sizes", archive.n + 1, m, least=1),
        tests.astype({"outcome": str}),
        archive.array("merge_increments", "f", (archive.n,)),
        archive.array("merge_means", "f", (k,)),
        model,
    )


def _frame(archive: _Archive, name: str = "frame.parquet") -> pd.DataFrame | None:
    if name not in archive.names:
        return None
    frame = pd.read_parquet(io.BytesIO(archive.bytes(name)))
    if len(frame) != archive.n:
        raise ArchiveError(f"{archive.path} is damaged: its table has {len(frame)} rows, not {archive.n}.")
    return frame


def _other_than(archive: _Archive) -> pd.DataFrame | None:
    """The known partitions: a column of texts for each."""
    known = _frame(archive, "other_than.parquet")
    if known is None:
        return None
    texts = [isinstance(value, str) for column in known for value in known[column].dropna().unique()]
    if not texts or not all(texts):
        raise ArchiveError(f"{archive.path} is damaged: the known partitions are no labels.")
    return known.astype(object).where(known.notna(), None)


def _constraints(archive: _Archive) -> Constraints | None:
    if "constraints.json" not in archive.names:
        return None
    with temporary("constraints.json") as path:
        path.write_bytes(archive.bytes("constraints.json"))
        return Constraints.read(path, n_objects=archive.n)
