from pathlib import Path

import yaml

import pluribus

ROOT = Path(__file__).parents[1]


def test_the_citation_names_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["cff-version"] == "1.2.0"
    assert citation["version"] == pluribus.__version__
    assert citation["authors"] == [{"name": "The pluribus developers"}]
