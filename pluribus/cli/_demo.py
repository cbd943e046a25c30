"""``pluribus demo``: the main job on a table that comes with scikit-learn."""

from pathlib import Path

from sklearn.datasets import load_wine

from pluribus._engine import atomic_path
from pluribus.cli import _cluster


def run(*, out: Path | None = None, quiet: bool = False, json: bool = False) -> None:
    """Write the table next to the results, and cluster it."""
    out = out or Path("demo-out")
    out.mkdir(parents=True, exist_ok=True)
    wine = load_wine(as_frame=True).data
    wine.insert(0, "id", [f"wine {i + 1}" for i in range(len(wine))])
    data = out / "wine.csv"
    with atomic_path(data) as path:
        wine.to_csv(path, index=False)
    written = _cluster.run(data, out=out, resume=True, quiet=quiet, json=json)
    if not (quiet or json):
        print(f"Open {written['report'].resolve()} in a browser.")
