import pytest

from pluribus._engine import atomic_path


def test_success_replaces_the_old_file(tmp_path):
    target = tmp_path / "a.txt"
    target.write_text("old")
    with atomic_path(target) as temporary:
        assert temporary.parent == tmp_path
        assert temporary.suffix == ".txt"
        temporary.write_text("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"
    assert list(tmp_path.iterdir()) == [target]


def test_error_keeps_the_old_file_and_leaves_nothing(tmp_path):
    target = tmp_path / "a.txt"
    target.write_text("old")

    def write_half():
        with atomic_path(target) as temporary:
            temporary.write_text("ha")
            raise RuntimeError("disk full")

    with pytest.raises(RuntimeError, match="disk full"):
        write_half()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]
