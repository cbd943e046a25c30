"""Out of many clusterings, and what you know, one partition that you can trust.

>>> import pluribus
>>> pluribus.combine([[0, 0, 1, 1, 1], ["a", "a", "b", "b", "b"]], verbose=False).labels.tolist()
[1, 1, 0, 0, 0]

The names most people need are here; each room of the house exports its own: ``pluribus.consensus``,
``pluribus.constrained``, ``pluribus.compare``, ``pluribus.validate`` and the others.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Loaded on first use, so that `import pluribus` and `pluribus --help` answer at once.
_HOME = {
    "Ensemble": "pluribus.partitions",
    "Constraints": "pluribus.constraints",
    "Clustering": "pluribus.pipeline",
    "EnsembleClusterer": "pluribus.pipeline",
    "cluster": "pluribus.pipeline",
    "combine": "pluribus.pipeline",
    "load": "pluribus.pipeline",
    "states": "pluribus.pipeline",
}
_ROOMS = (
    "partitions",
    "constraints",
    "compare",
    "generate",
    "evidence",
    "consensus",
    "constrained",
    "increments",
    "similarity",
    "alternative",
    "relational",
    "validate",
    "anonymize",
    "temporal",
    "pipeline",
    "report",
    "studio",
    "tables",
)

__all__ = [
    "Clustering",
    "Constraints",
    "Ensemble",
    "EnsembleClusterer",
    "cluster",
    "combine",
    "load",
    "states",
    *_ROOMS,
]

if TYPE_CHECKING:
    from pluribus.constraints import Constraints
    from pluribus.partitions import Ensemble
    from pluribus.pipeline import Clustering, EnsembleClusterer
    from pluribus.pipeline.cluster import cluster
    from pluribus.pipeline.combine import combine
    from pluribus.pipeline.load import load
    from pluribus.pipeline.states import states


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    if name in _ROOMS:
        return import_module(f"pluribus.{name}")
    raise AttributeError(f"module 'pluribus' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
