"""A store whose files were altered: what does not fit its task is made again, and the ensemble is the same."""

import io
import zipfile

import numpy as np
import pytest

from pluribus.generate import Generator, _centers

SMALL = np.random.default_rng(0).normal(size=(300, 4))
LARGE = np.random.default_rng(1).normal(size=(500, 5)).astype(np.float32)


@pytest.fixture
def centers_for_few_rows(monkeypatch):
    """Members of 500 rows learn centers from a sample, as members of more than 10,000 do."""
    monkeypatch.setattr(_centers, "SAMPLED_ABOVE", 100)
    monkeypatch.setattr("pluribus.generate._members.SAMPLED_ABOVE", 100)
    monkeypatch.setattr("pluribus.generate._base.SAMPLED_ABOVE", 100)


def arrays(path):
    with np.load(path) as file:
        return dict(file)


def claimed(name, shape, descr="<i1"):
    """An npz whose only array has nothing but a header."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": descr, "fortran_order": False, "shape": shape})
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(f"{name}.npy", header.getvalue())
    return file.getvalue()


def check_made_again(generator, X, store, key, altered):
    """Alter a file of a finished job, continue the job, and compare the ensemble and the file with the first ones."""
    whole = generator.generate(X, store=store)
    path = store / f"task-{key}.npz"
    before = arrays(path)
    if isinstance(altered, bytes):
        path.write_bytes(altered)
    else:
        np.savez(path, **altered(before))
    assert generator.generate(X, store=store) == whole
    after = arrays(path)
    assert after.keys() == before.keys()
    for name, array in after.items():
        np.testing.assert_array_equal(array, before[name])
        assert array.dtype == before[name].dtype


@pytest.mark.parametrize(
    "altered",
    [
        pytest.param(lambda kept: {"labels": kept["labels"][:1]}, id="one label"),
        pytest.param(lambda kept: {"labels": np.array(1)}, id="a number"),
        pytest.param(lambda kept: {"labels": kept["labels"][:-1]}, id="a label too few"),
        pytest.param(lambda kept: {"labels": np.append(kept["labels"], 0)}, id="a label too many"),
        pytest.param(lambda kept: {"labels": kept["labels"][:, None]}, id="a column"),
        pytest.param(lambda kept: {"labels": kept["labels"] + 0.5}, id="floats"),
        pytest.param(lambda kept: {"labels": kept["labels"] > 1}, id="booleans"),
        pytest.param(lambda kept: {"labels": kept["labels"].astype(str)}, id="text"),
        pytest.param(lambda kept: {"labels": kept["labels"].astype(int) + 300}, id="labels too high"),
        pytest.param(lambda kept: {"labels": kept["labels"] - 2}, id="labels too low"),
        pytest.param(lambda kept: {"labels": np.array([{}] * 300, dtype=object)}, id="objects"),
        pytest.param(lambda kept: {"members": kept["labels"]}, id="another name"),
        pytest.param(lambda kept: {**kept, "more": np.zeros(1)}, id="another array"),
        pytest.param(lambda kept: {"centers": np.zeros((3, 4))}, id="centers"),
        pytest.param(claimed("labels", (10**11,), "<f8"), id="800 GB"),
        pytest.param(claimed("labels", (300,)), id="only a header"),
        pytest.param(claimed("labels", (300,), "|V10000000000"), id="3 TB"),
    ],
)
def test_labels_of_a_member(tmp_path, altered):
    generator = Generator(n_members=3, n_clusters=3, random_state=0)
    check_made_again(generator, SMALL, tmp_path, "1", altered)


@pytest.mark.usefixtures("centers_for_few_rows")
@pytest.mark.parametrize(
    "altered",
    [
        pytest.param(lambda kept: {"centers": kept["centers"][:, :3]}, id="columns too few"),
        pytest.param(lambda kept: {"centers": np.repeat(kept["centers"], 2, axis=1)}, id="columns too many"),
        pytest.param(lambda kept: {"centers": kept["centers"][:0]}, id="no centers"),
        pytest.param(lambda kept: {"centers": np.repeat(kept["centers"], 2, axis=0)}, id="centers too many"),
        pytest.param(lambda kept: {"centers": kept["centers"][0]}, id="one center"),
        pytest.param(lambda kept: {"centers": kept["centers"].astype(np.float64)}, id="another type"),
        pytest.param(lambda kept: {"centers": kept["centers"].astype(int)}, id="whole numbers"),
        pytest.param(lambda kept: {"centers": np.full_like(kept["centers"], np.nan)}, id="not a number"),
        pytest.param(lambda kept: {"centers": kept["centers"] * np.inf}, id="infinite"),
        pytest.param(lambda kept: {"centres": kept["centers"]}, id="another name"),
        pytest.param(lambda kept: {"labels": np.zeros(500, dtype=int)}, id="labels"),
        pytest.param(claimed("centers", (4, 5), "<f4"), id="only a header"),
    ],
)
def test_centers_of_a_member(tmp_path, altered):
    check_made_again(_large(), LARGE, tmp_path, "1", altered)


@pytest.mark.usefixtures("centers_for_few_rows")
@pytest.mark.parametrize(
    "altered",
    [
        pytest.param(lambda kept: {"labels": kept["labels"][:1]}, id="one row"),
        pytest.param(lambda kept: {"labels": kept["labels"][:, 0]}, id="one column, flat"),
        pytest.param(lambda kept: {"labels": kept["labels"] + 0.5}, id="floats"),
        pytest.param(lambda kept: {"labels": kept["labels"] + 4}, id="labels too high"),
        pytest.param(lambda kept: {"labels": kept["labels"] - 1}, id="rows left out"),
        pytest.param(lambda kept: {"rows": kept["labels"]}, id="another name"),
        pytest.param(claimed("labels", (500, 10**9)), id="500 GB"),
    ],
)
def test_labels_of_a_group_of_rows(tmp_path, altered):
    check_made_again(_large(), LARGE, tmp_path, "rows-0", altered)


def _large():
    return Generator(n_members=3, n_clusters=4, random_state=0)


@pytest.mark.usefixtures("centers_for_few_rows")
@pytest.mark.parametrize("options", [{}, {"subsample": 0.6}, {"subspace": 2}, {"projection": 3}])
def test_what_was_kept_is_used(tmp_path, monkeypatch, options):
    for generator, X in ((_large(), LARGE), (Generator("mixture", n_members=3, n_clusters=4, random_state=0), SMALL)):
        generator.set_params(**options)
        store = tmp_path / str(generator.clusterer)
        whole = generator.generate(X, store=store)
        with monkeypatch.context() as patch:
            patch.setattr("pluribus.generate._members.Member.made_of", None)
            patch.setattr(_centers.Assignment, "labels", None)
            assert generator.generate(X, store=store) == whole


def test_another_byte_order_and_compression_are_read(tmp_path, monkeypatch):
    generator = Generator(n_members=3, n_clusters=3, random_state=0)
    whole = generator.generate(SMALL, store=tmp_path)
    path = tmp_path / "task-1.npz"
    np.savez_compressed(path, labels=arrays(path)["labels"].astype(">i4"))
    monkeypatch.setattr("pluribus.generate._members.Member.made_of", None)
    assert generator.generate(SMALL, store=tmp_path) == whole
