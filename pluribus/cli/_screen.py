"""What the commands print: notes as they come up, and where the results are."""

import json
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import typer
from rich.console import Console


class Screen:
    """A terminal, or nothing if the command is quiet or prints JSON."""

    def __init__(self, *, quiet: bool = False, json: bool = False) -> None:
        self.silent = quiet or json
        self.console = Console(quiet=self.silent)
        self._n_notes = 0

    def note(self, text: str) -> None:
        """One line; those after the first are indented."""
        self.line(f"  {text}" if self._n_notes else text)
        self._n_notes += 1

    def line(self, text: str) -> None:
        """One line, as it is: nothing in it is markup."""
        self.console.print(text, markup=False, highlight=False, soft_wrap=False)

    def files(self, paths: Mapping[str, Path]) -> None:
        """Where the results are."""
        for name, path in paths.items():
            self.console.print(f"{name}: {path}", soft_wrap=True, highlight=False, markup=False)


def said(screen: Screen, caught: Iterable[warnings.WarningMessage]) -> list[str]:
    """Print what was warned of, and return it for the page."""
    texts = [str(warning.message) for warning in caught if issubclass(warning.category, UserWarning)]
    for text in texts:
        screen.line(f"  Note: {text}")
    return texts


def print_json(value: Any) -> None:
    """JSON on standard output; numbers that JSON does not know are null."""
    typer.echo(json.dumps(_plain(value), indent=2, allow_nan=False, default=str))


def _plain(value: Any) -> Any:
    """The value with plain numbers, lists and texts."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not np.isfinite(value) else value
