import numpy as np
import pytest

from pluribus._engine import ArraySpec, TaskStore

X = {"x": ArraySpec("if", (None,))}


def test_keeps_arrays(tmp_path):
    store = TaskStore(tmp_path / "deep" / "store", "job")
    store.put("a-1", labels=np.array([0, 1], dtype=np.int8), height=np.array(0.5))
    expected = {"labels": ArraySpec("i", (2,)), "height": ArraySpec("f", ())}
    again = TaskStore(tmp_path / "deep" / "store", "job").get("a-1", expected)
    assert again["labels"].dtype == np.int8
    np.testing.assert_array_equal(again["labels"], [0, 1])
    assert again["height"] == 0.5
    assert store.get("other", expected) is None


def test_another_job_is_refused(tmp_path):
    TaskStore(tmp_path, "job").put("0", x=np.zeros(1))
    with pytest.raises(ValueError, match="another job"):
        TaskStore(tmp_path, "other")


@pytest.mark.parametrize("content", ["", "{", "[]", "{}"])
def test_results_of_an_unknown_job_are_refused(tmp_path, content):
    TaskStore(tmp_path, "job").put("0", x=np.zeros(1))
    (tmp_path / "job.json").write_text(content)
    with pytest.raises(ValueError, match="another job"):
        TaskStore(tmp_path, "job")


def test_killed_before_the_first_task(tmp_path):
    (tmp_path / "job.json").write_text("{")
    TaskStore(tmp_path, "job")
    assert TaskStore(tmp_path, "job").get("0", X) is None


@pytest.mark.parametrize("damage", ["half", "flipped", "empty", "text", "pickle", "npy"])
def test_damaged_files_count_as_missing(tmp_path, damage):
    store = TaskStore(tmp_path, "job")
    store.put("0", x=np.arange(1000))
    path = tmp_path / "task-0.npz"
    whole = path.read_bytes()
    if damage == "half":
        path.write_bytes(whole[: len(whole) // 2])
    elif damage == "flipped":
        path.write_bytes(whole[:2000] + bytes([whole[2000] ^ 255]) + whole[2001:])
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "text":
        path.write_text("not an archive")
    elif damage == "pickle":
        np.savez(path, x=np.array([{}], dtype=object))
    else:
        with path.open("wb") as file:
            np.save(file, np.arange(3))
    assert store.get("0", X) is None
    store.put("0", x=np.arange(3))
    np.testing.assert_array_equal(store.get("0", X)["x"], [0, 1, 2])


def test_arrays_that_do_not_fit_count_as_missing(tmp_path):
    store = TaskStore(tmp_path, "job")
    store.put("0", x=np.arange(3))
    assert store.get("0", X) is not None
    for expected in ({}, {"y": X["x"]}, {**X, "y": X["x"]}, {"x": ArraySpec("f", (3,))}, {"x": ArraySpec("i", (4,))}):
        assert store.get("0", expected) is None


def test_any_altered_bytes_count_as_missing_or_fit(tmp_path):
    store, rng = TaskStore(tmp_path, "job"), np.random.default_rng(0)
    store.put("0", x=np.arange(5))
    path = tmp_path / "task-0.npz"
    whole, lost = path.read_bytes(), 0
    for _ in range(500):
        altered = np.frombuffer(whole, np.uint8).copy()
        altered[rng.integers(len(altered), size=rng.integers(1, 4))] = rng.integers(256)
        path.write_bytes(altered.tobytes())
        found = store.get("0", {"x": ArraySpec("i", (5,))})
        lost += found is None
        assert found is None or found["x"].tolist() == [0, 1, 2, 3, 4]
    assert lost > 250


@pytest.mark.parametrize("key", ["../up", "a/b", "", "a.b"])
def test_keys_that_cannot_name_a_file(tmp_path, key):
    with pytest.raises(ValueError, match="key"):
        TaskStore(tmp_path, "job").put(key, x=np.zeros(1))


def test_a_file_is_not_a_directory(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match="needs a directory"):
        TaskStore(tmp_path / "file", "job")
