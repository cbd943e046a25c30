import pytest
from mkdocs.exceptions import PluginError

from check_changed import ROOT
from docs_hooks import Page, fill_navigation, method_table, pages_in
from pluribus import consensus, constrained

PAGES = pages_in(ROOT / "docs" / "methods")


@pytest.mark.parametrize("room", [consensus, constrained])
def test_the_table_has_every_name_with_a_link_to_a_page(room):
    table = method_table(room.__name__.removeprefix("pluribus."), PAGES)
    header, _, *rows = table.splitlines()
    width = header.count("|")
    names = [name for row in rows for name in row.split("](")[0].strip("| [`").replace("`", "").split(", ")]
    assert sorted(names) == room.names()
    for row in rows:
        assert row.count("|") - row.count("\\|") == width
        assert (ROOT / "docs" / "methods" / row.split("](")[1].split(")")[0]).exists()


def test_rows_say_what_the_class_says():
    row = next(row for row in method_table("consensus", PAGES).splitlines() if "`LocallyWeightedConsensus`" in row)
    assert consensus.LocallyWeightedConsensus.suits in row
    assert "[`lwea`, `lwsm`, `lwgp`](locally-weighted.md)" in row
    assert "`lwea`, `lwsm`: 40 s, n² up to 20,000 objects; `lwgp`: 3 s, n |" in row


def test_a_class_without_a_page_stops_the_build():
    without = [page for page in PAGES if page.name != "eac.md"]
    with pytest.raises(PluginError, match="No page in docs/methods documents EvidenceAccumulation"):
        method_table("consensus", without)


def test_every_page_is_in_the_navigation_once():
    nav = [{"The parts": [{"Landmarks": "methods/z.md"}]}, {"Methods": ["methods/index.md"]}]
    nav += [{"Methods under constraints": []}, {"API": ["api/index.md", {"Command line": "api/cli.md"}]}]
    pages = [
        Page("b.md", "B", ["EvidenceAccumulation"]),
        Page("c.md", "C", []),
        Page("a.md", "A", ["SoftCorrespondence", "MetaClustering"]),
        Page("z.md", "Z", []),
    ]
    fill_navigation(nav, pages, [Page("cli.md", "Command line", []), Page("room.md", "pluribus.room", [])])
    assert nav[1]["Methods"] == ["methods/index.md", "methods/b.md", "methods/a.md", "methods/c.md"]
    assert nav[2]["Methods under constraints"] == []
    assert nav[3]["API"] == ["api/index.md", {"Command line": "api/cli.md"}, "api/room.md"]
