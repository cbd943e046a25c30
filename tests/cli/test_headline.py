"""Terminal, model.json, report and the loaded result say the same."""

import html
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs
from typer.testing import CliRunner

import pluribus
from pluribus.cli._app import app


def run(X, directory: Path):
    data = directory / "data.csv"
    pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])]).to_csv(data, index=False)
    done = CliRunner().invoke(app, ["cluster", str(data), "--out", str(directory / "out")])
    assert done.exit_code == 0, done.output
    return " ".join(done.output.split()), directory / "out"


@pytest.mark.parametrize("clusters", [True, False])
def test_one_voice(clusters, tmp_path):
    if clusters:
        X, _ = make_blobs(240, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    else:
        X = np.random.default_rng(0).normal(size=(400, 2))
    output, out = run(X, tmp_path)
    result = pluribus.load(out / "model.pluribus")
    start = (
        "3 clusters of 240 objects, clearly separated" if clusters else "One group: no evidence of clusters among 400"
    )
    assert result.headline.startswith(start)
    assert result.headline in output
    assert result.summary().startswith(result.headline)
    assert json.loads((out / "model.json").read_text())["headline"] == result.headline
    page = html.unescape((out / "report.html").read_text())
    assert f'<p class="headline">{result.headline}</p>' in page
    assert ("found again" in output) == clusters
    assert result.n_clusters == len(result.clusters) == (3 if clusters else 1)
