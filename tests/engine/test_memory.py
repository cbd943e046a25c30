import pytest

from pluribus._engine import free_memory, in_bytes, memory, memory_budget, memory_limit


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("4GB", 4e9),
        ("4 gb", 4e9),
        ("1.5G", 1.5e9),
        ("512MiB", 512 * 2**20),
        ("2048", 2048),
        (10.0, 10),
        ("1 TB", 1e12),
        (".5GB", 5e8),
    ],
)
def test_sizes(given, expected):
    assert memory_limit(given) == expected


@pytest.mark.parametrize(
    "given", ["", "much", "-4GB", "4 XB", "0", "0%", "101%", 0, -1, True, float("inf"), float("nan"), "1e9", ".GB"]
)
def test_what_is_no_size(given):
    with pytest.raises(ValueError, match="memory limit .* give a number of bytes"):
        memory_limit(given)


def test_shares_of_what_is_free(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 1000)
    assert memory_limit() == 700
    assert memory_limit("50%") == 500


def test_the_tightest_of_the_groups_counts(monkeypatch, tmp_path):
    monkeypatch.setattr(memory, "_CGROUP", tmp_path)
    monkeypatch.setattr(memory, "_OWN_GROUP", tmp_path / "own")
    alone = free_memory()
    job = tmp_path / "slurm" / "job"
    job.mkdir(parents=True)
    (tmp_path / "own").write_text("0::/slurm/job\n")
    assert free_memory() == pytest.approx(alone, rel=0.2)
    for group, most in ((tmp_path, "max"), (job.parent, "900000"), (job, "1000000")):
        (group / "memory.max").write_text(f"{most}\n")
        (group / "memory.current").write_text("800000\n")
        (group / "memory.stat").write_text("anon 5\ninactive_file 300000\nactive_file 7\n")
    assert free_memory() == 400_000
    (job / "memory.max").write_text("max\n")
    assert free_memory() == 400_000
    (job.parent / "memory.max").write_text("max\n")
    assert free_memory() == pytest.approx(alone, rel=0.2)


def test_words():
    assert in_bytes(999) == "999 bytes"
    assert in_bytes(1.26e6) == "1.3 MB"


def test_budgets_are_inside_each_other():
    with memory_budget("3GB") as outer:
        assert outer == memory_limit() == 3e9
        with memory_budget(None):
            assert memory_limit() == 3e9
        with memory_budget("1GB"):
            assert memory_limit() == 1e9
        assert memory_limit() == 3e9
    assert memory_limit() != 3e9
