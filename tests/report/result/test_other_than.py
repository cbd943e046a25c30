import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pluribus.compare import adjusted_rand_index, normalized_mutual_information_index
from pluribus.report import render, summarize
from pluribus.report.result._profiles import profiles


def section(case):
    text = render(summarize(case))
    return text.partition('<section id="other-than">')[2].partition("</section>")[0]


def test_counts_sizes_and_what_is_shared(make_case):
    base = make_case()
    rng = np.random.default_rng(0)
    site = np.array(["big", "big", "big", "small", None], dtype=object)[rng.integers(0, 5, len(base.labels))]
    (known,) = summarize(make_case(other_than=pd.DataFrame({"site": site}))).other_than
    assert (known.name, known.n_groups, known.n_missing) == ("site", 2, int(pd.isna(site).sum()))
    assert [group.name for group in known.groups] == ["big", "small"]
    for group in known.groups:
        own = base.labels[site == group.name]
        assert group.size == len(own)
        assert list(group.counts) == [int((own == c).sum()) for c in known.clusters]
    labeled = ~pd.isna(site)
    codes = (site[labeled] == "big").astype(int)
    assert known.nmi == pytest.approx(normalized_mutual_information_index(codes, base.labels[labeled]))
    assert known.ari == pytest.approx(adjusted_rand_index(codes, base.labels[labeled]))


@pytest.mark.parametrize(
    ("share", "verdict"),
    [(0.0, "It says something else."), (0.5, "Part of it is not new."), (1.0, "Most of it is not new")],
)
def test_the_verdict_follows_what_is_shared(make_case, share, verdict):
    labels = make_case().labels
    rng = np.random.default_rng(0)
    drawn = rng.integers(0, 3, len(labels))
    same = rng.random(len(labels)) < share * 1.3
    known = np.where(same, labels, drawn) if share else np.arange(len(labels)) % 2
    text = section(make_case(other_than=pd.DataFrame({"site": known.astype(str)})))
    verdicts = ("It says something else.", "Part of it is not new.", "Most of it is not new")
    assert [one for one in verdicts if one in text] == [verdict]


def test_traits_are_those_of_the_known_groups(make_case):
    base = make_case()
    tall = np.where(base.frame["height"] > base.frame["height"].median(), "tall", "low")
    (known,) = summarize(make_case(other_than=pd.DataFrame({"size": tall}))).other_than
    assert all(group.traits[0].feature == "height" for group in known.groups)


def test_many_groups_are_cut(make_case):
    n = len(make_case().labels)
    case = make_case(other_than=pd.DataFrame({"own": [f"g{i // 2}" for i in range(n)]}))
    groups = summarize(case).other_than[0].groups
    assert len(groups) == 30
    every = profiles(replace(case, labels=np.arange(n) // 2, membership=np.zeros((n, n // 2)), linkage=None))
    for group, traits in zip(groups, every, strict=False):
        assert [trait.feature for trait in group.traits] == [trait.feature for trait in traits]
        assert [trait.outside for trait in group.traits] == pytest.approx([trait.outside for trait in traits])
    assert f"The 30 largest of {n // 2} groups are shown." in section(case)


def test_text_of_the_user_stays_text(make_case, hostile):
    n = len(make_case().labels)
    groups = np.where(np.arange(n) % 2 == 0, hostile, "</td><svg/onload=hacked()>")
    case = make_case(other_than=pd.DataFrame({f"{hostile} as a name": groups, "<i>{{ 7*7 }}</i>": "one group"}))
    text = section(case)
    assert text.count("<h3>") == 2
    assert not re.search(r"<(b|i|img|svg|script)[/>]|<(img|svg|script)\s", text)
    assert "&lt;b&gt;bold" in text
    assert "&lt;i&gt;{{ 7*7 }}&lt;/i&gt;" in text
    assert "&lt;svg/onload" in text


def test_nothing_known_has_no_section(make_case):
    assert section(make_case()) == ""
