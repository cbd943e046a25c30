"""``pluribus demo``: the main job on a table that comes with scikit-learn."""

from pathlib import Path

from sklearn.datasets import load_wine

from pluribus._engine import ResultDirectory
from pluribus.cli import _cluster


def run(*, out: Path | None = None, quiet: bool = False, json: bool = False) -> None:
    """Write the table next to the results, and cluster it."""
    out = out or Path("demo-out")
    wine = load_wine(as_frame=True).data
    wine.insert(0, "id", [f"wine {i + 1}" for i in range(len(wine))])
    with ResultDirectory(out).opened() as directory, directory.files(["wine.csv"]) as made:
        wine.to_csv(made["wine.csv"], index=False)
    written = _cluster.run(out / "wine.csv", out=out, resume=True, quiet=quiet, json=json)
    if not (quiet or json):
        print(f"Open {written['report.html'].resolve()} in a browser.")
