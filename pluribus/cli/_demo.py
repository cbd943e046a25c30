"""``pluribus demo``: the main job on a table that comes with scikit-learn."""

from pathlib import Path

from sklearn.datasets import load_wine

from pluribus._engine import atomic_path
from pluribus.cli._cluster import ClusterJob
from pluribus.cli._cluster import run as cluster
from pluribus.cli._input import ready_directory


def run(out: Path | None, quiet: bool) -> None:
    """Write the table beside the results, and cluster it."""
    out = ready_directory(out or Path("demo-out"))
    wine = load_wine(as_frame=True).data
    wine.insert(0, "id", [f"wine {i + 1}" for i in range(len(wine))])
    data = out / "wine.csv"
    with atomic_path(data) as path:
        wine.to_csv(path, index=False)
    written = cluster(ClusterJob(data=data, out=out, resume=True, quiet=quiet))
    if not quiet:
        print(f"Open {written.report.resolve()} in a browser.")
