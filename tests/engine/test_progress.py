import io
import sys

from pluribus._engine import track


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_silent_when_not_a_terminal(capsys):
    assert list(track(range(3), "working")) == [0, 1, 2]
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""


def test_shows_on_a_terminal_and_not_when_told(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert list(track(range(3), "working")) == [0, 1, 2]
    assert "working" in sys.stderr.getvalue()

    monkeypatch.setattr(sys, "stderr", Terminal())
    assert list(track(range(3), "working", verbose=False)) == [0, 1, 2]
    assert sys.stderr.getvalue() == ""


def test_a_bar_within_a_bar_is_silent(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    pairs = [(i, j) for i in track(range(2), "outer") for j in track(range(2), "inner")]
    assert pairs == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert "outer" in sys.stderr.getvalue()
    assert "inner" not in sys.stderr.getvalue()


def test_the_display_is_free_again_after_an_early_stop(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    bar = track(range(5), "first")
    next(bar)
    bar.close()
    list(track(iter(range(2)), "second", total=2))
    assert "second" in sys.stderr.getvalue()
