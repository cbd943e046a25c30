"""docs/sources.md: every system of the sources has a row, every name in it exists, every figure stands in its page."""

import importlib
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "sources.md").read_text(encoding="utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| system")]
SYSTEMS = (
    *("EAC", "Scalable EAC", "PPC", "PEnCA", "Embeddings (DR-EAC)", "CEAC", "ACCCS", "ACC", "WEACS"),
    *("Consensus validation", "SCEC", "CSPA", "HGPA", "MCLA", "QMI", "MMEC", "HBGF", "Voting", "LiftKm", "LiftHAC"),
    *("LiftEMD", "LiftKD, LiftH", "CC, CDistance, ADCO", "Temporal ensembles"),
    *("DID", "GMDID", "SL-DID", "SL-AGLO", "G-DID", "MAP-DID", "MKL, SPOM"),
    *("Constraints", "COP-KMeans", "PCKMeans, MPCKMeans", "User feedback", "GMM with equivalence constraints"),
    *("Penalized mixture (PPC of Lu and Leen)", "Mean field", "CDK-Means", "Supervised clustering"),
    *("Balanced clustering", "Frequency-sensitive, soft balancing", "Minimum sizes", "Collective entity resolution"),
    *("CondEns", "CCIB", "CkC, NetScan", "Connected k-means", "Correlation clustering"),
    *("Interactive visual clustering", "Metric from cannot-links", "Aggregate and existential constraints"),
    *("k-anonymity, ℓ-diversity", "CPKLR, CPSVM, NPKLR, WPKLR"),
    *("U-SENC", "LWEA, LWGP", "ECPCS", "SEC", "COBRAS", "Leiden members", "Genie"),
    *("SPEC", "DREC, CESHL", "KCC", "EM with the normalizer by pseudo-likelihood"),
    "Existential `OR` constraints of sizes",
)


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_system_has_one_row(system):
    assert sum(row.startswith(f"| {system} |") for row in ROWS) == 1


def test_no_row_is_unknown():
    assert len(ROWS) == len(SYSTEMS)


def test_every_chapter_is_there():
    chapters = {int(number) for row in ROWS for number in re.findall(r"ch\. (\d+)", row)}
    assert chapters == set(range(1, 18))


NAMES = sorted(set(re.findall(r"`([a-z]+)\.(\w+)`", PAGE)))


@pytest.mark.parametrize(("room", "name"), NAMES)
def test_every_name_exists(room, name):
    assert hasattr(importlib.import_module(f"pluribus.{room}"), name)


def test_every_method_on_the_command_line_exists():
    from pluribus import consensus
    from pluribus.pipeline._methods import direct_method

    for command, name in re.findall(r"`(\w+) --method ([\w-]+)`", PAGE):
        assert consensus.by_name(name) if command == "combine" else direct_method(name)


LATER = "## Later methods of the field"
FIGURES = [row for row in ROWS if re.search(r"[\d.]+ / [\d.]+ \(\[page\]", row)]


@pytest.mark.parametrize("row", FIGURES, ids=lambda row: row.split(" |")[0].strip("| "))
def test_every_figure_stands_in_its_page(row):
    found = re.findall(r"([\d.]+) / ([\d.]+) \(\[page\]\(([\w/-]+\.md)[)#]", row)
    assert found
    for theirs, ours, page in found:
        text = (DOCS / page).read_text(encoding="utf-8")
        if LATER in PAGE[: PAGE.index(row)]:  # theirs and ours may be in two rows of its page
            assert all(re.search(rf"(?<![.\d]){re.escape(figure)}\b|\b0{figure}\b", text) for figure in (theirs, ours))
        else:
            assert f"| {theirs} | {ours} |" in text


def test_rows_without_a_figure_give_a_reason():
    missing = [row for row in ROWS if row not in FIGURES and row.count("|") == 6]
    assert all(re.search(r"\| – \w+", row) for row in missing)
    assert len(missing) == 11
