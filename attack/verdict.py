"""The verdict by machine: was an error a documented one, and is a result valid?"""

import dis
import inspect
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import sklearn.base
from sklearn.exceptions import ConvergenceWarning

import pluribus
from attack import hostile
from attack.targets import Target

HOUSE = str(Path(pluribus.__file__).parent)
VALIDATION = tuple(
    str(Path(sklearn.__file__).parent / "utils" / name)
    for name in (
        *("validation.py", "_param_validation.py", "_array_api.py", "_chunking.py", "_indexing.py"),
        "multiclass.py",
    )
)
_RAISES = {dis.opmap["RAISE_VARARGS"], dis.opmap["RERAISE"]}


def fault_of(error: BaseException) -> str | None:
    """What is wrong with an error; None for a documented one.

    Documented are a ValueError, a TypeError and an error class of pluribus that a ``raise`` of pluribus states, or the
    validation of scikit-learn; an OSError; an ImportError of pluribus about an extra that is not installed; the
    AttributeError of a method that an estimator has only with other parameters (scikit-learn's ``available_if``); and
    any error of a function of the user's.
    """
    if isinstance(error, hostile.UsersError):
        return None
    if isinstance(error, AttributeError) and _is_unavailable(error):
        return None
    ours = type(error).__module__.startswith(pluribus.__name__)
    if not ours and not isinstance(error, ValueError | TypeError | OSError | ImportError):
        return f"{type(error).__name__} is not a documented error"
    steps = list(_steps(error.__traceback__))
    last = steps[-1]
    file = last.tb_frame.f_code.co_filename
    if any(step.tb_frame.f_code.co_filename in VALIDATION for step in steps):
        return None
    if isinstance(error, OSError):  # of the machine, about a file that was named
        return None
    if not file.startswith(HOUSE):
        return f"{type(error).__name__} from inside {_package(file)}"
    if last.tb_frame.f_code.co_code[last.tb_lasti] not in _RAISES:
        return f"{type(error).__name__} that no check of pluribus raised"
    return None if str(error).strip() else f"{type(error).__name__} without a message"


def _is_unavailable(error: AttributeError) -> bool:
    return any(step.tb_frame.f_code.co_filename.endswith("_available_if.py") for step in _steps(error.__traceback__))


def place_of(error: BaseException) -> str:
    """Where in pluribus an error came from."""
    inside = [step for step in traceback.extract_tb(error.__traceback__) if step.filename.startswith(HOUSE)]
    if not inside:
        return "outside of pluribus"
    return f"{Path(inside[-1].filename).relative_to(Path(HOUSE).parent)}:{inside[-1].name}"


def _steps(trace: TracebackType | None) -> Iterator[TracebackType]:
    while trace is not None:
        yield trace
        trace = trace.tb_next


def _package(file: str) -> str:
    parts = Path(file).parts
    return parts[parts.index("site-packages") + 1] if "site-packages" in parts else Path(file).stem


def faults_in(result: Any, target: Target, warned: list[Any], n: int | None) -> list[str]:
    """What is wrong with a result; nothing for a valid one."""
    found = [
        f"numpy warns at {Path(w.filename).name}:{w.lineno}: {w.message}"
        for w in warned
        if issubclass(w.category, RuntimeWarning)
    ]
    if isinstance(result, sklearn.base.BaseEstimator):
        of_a_batch = target.name.endswith(".partial_fit")  # which need not fill all clusters
        few = of_a_batch or any(issubclass(w.category, ConvergenceWarning) for w in warned)
        return found + _faults_in_model(result, n, few)
    if isinstance(result, pluribus.Clustering):
        return found + _faults_in_clustering(result)
    if isinstance(result, pluribus.Ensemble):
        return found + faults_in_ensemble(result)
    said = (target.documentation + (inspect.getdoc(type(result)) or "")).lower()
    if not any(word in said for word in ("nan", "infinit", "inf ")):
        found += _faults_in_numbers(result)
    return found


def _faults_in_numbers(result: Any) -> list[str]:
    if isinstance(result, float | np.floating | np.ndarray) and np.asarray(result).dtype.kind == "f":
        return [] if np.isfinite(result).all() else ["the result is not finite"]
    if isinstance(result, tuple | list):
        return [fault for item in result for fault in _faults_in_numbers(item)][:1]
    if isinstance(result, dict):
        return [f"{name}: {fault}" for name, item in result.items() for fault in _faults_in_numbers(item)][:1]
    return []


def _faults_in_model(model: Any, n: int | None, empty_clusters: bool) -> list[str]:
    found = []
    labels = getattr(model, "labels_", None)
    if labels is not None:
        k = int(getattr(model, "n_clusters_", labels.max(initial=-1) + 1))
        found += faults_in_labels(labels, k, n, empty_clusters)
    if hasattr(model, "membership_"):
        found += faults_in_membership(model.membership_)
    if hasattr(model, "uncertainty_"):
        found += faults_in_uncertainty(model.uncertainty_)
    for name, value in vars(model).items():
        if name.endswith(("centers_", "means_", "covariances_", "objective_", "inertia_")):
            found += [f"{name}: {fault}" for fault in _faults_in_numbers(value)]
    return found


def _faults_in_clustering(result: pluribus.Clustering) -> list[str]:
    k = result.membership.shape[1]
    found = faults_in_labels(result.labels, k, len(result.ids), empty_clusters=True)
    return found + faults_in_membership(result.membership) + faults_in_uncertainty(result.uncertainty)


def faults_in_labels(labels: Any, k: int, n: int | None, empty_clusters: bool) -> list[str]:
    """Labels are whole numbers from -1 to k - 1, one for each object, and each cluster has an object."""
    labels = np.asarray(labels)
    if labels.ndim != 1 or labels.dtype.kind not in "iu":
        return [f"labels are {labels.dtype} of shape {labels.shape}"]
    if n is not None and len(labels) != n:
        return [f"{len(labels)} labels for {n} objects"]
    if len(labels) and (labels.min() < -1 or labels.max() >= k):
        return [f"labels from {labels.min()} to {labels.max()} for {k} clusters"]
    if not empty_clusters and len(np.unique(labels[labels >= 0])) != k:
        return [f"{k} clusters, of which {len(np.unique(labels[labels >= 0]))} have objects, and no warning"]
    return []


def faults_in_membership(membership: Any) -> list[str]:
    """Rows are on the simplex."""
    membership = np.asarray(membership)
    if not np.isfinite(membership).all():
        return ["memberships are not finite"]
    near = 1e-3 if membership.dtype == np.float32 else 1e-6
    if membership.size and (membership.min() < -near or np.abs(membership.sum(axis=1) - 1).max() > near):
        return [f"memberships do not sum to 1 but to {membership.sum(axis=1).min()} … {membership.sum(axis=1).max()}"]
    return []


def faults_in_uncertainty(uncertainty: Any) -> list[str]:
    """Between 0 and 1."""
    uncertainty = np.asarray(uncertainty)
    if not np.isfinite(uncertainty).all() or (uncertainty < 0).any() or (uncertainty > 1 + 1e-9).any():
        return [f"uncertainty from {uncertainty.min()} to {uncertainty.max()}"]
    return []


def faults_in_ensemble(ensemble: pluribus.Ensemble) -> list[str]:
    """Labels are codes of the clusters of their partition, and weights are finite."""
    highest = ensemble.labels.max(axis=0)
    if ensemble.labels.min() < -1 or (highest >= ensemble.n_clusters).any():
        return ["labels of the ensemble are out of range"]
    if not np.isfinite(ensemble.weights).all():
        return ["weights of the ensemble are not finite"]
    return [fault for each in ensemble.memberships or () for fault in _faults_in_numbers(np.asarray(each))]
