"""Errors as a person wants to read them: what is wrong, what to do; exit code 2 for bad input, 130 for Ctrl-C."""

import functools
import os
import re
import sys
from collections.abc import Callable, Iterable
from typing import Any

import typer

_OPTIONS = {"id_column": "--id", "n_jobs": "--jobs", "n_clusters": "--k"}  # that are not spelled like the parameter
_NO_MEMORY = "There is not enough memory for this job: give a smaller table, or a memory_limit that it keeps to."


class Interrupted(Exception):
    """Ctrl-C in a job that has kept something: the message says how to go on."""


def explained(run: Callable[..., Any], parameters: Iterable[str]) -> Callable[..., Any]:
    """Turn the errors that bad input causes into a message, in the words of the command line, and an exit code."""
    names = tuple(parameters)

    @functools.wraps(run)
    def guarded(**options: Any) -> Any:
        try:
            return run(**options)
        except (ValueError, OSError, MemoryError, ImportError) as error:
            words = str(error) or (_NO_MEMORY if isinstance(error, MemoryError) else type(error).__name__)
            _say(f"Error: {in_options(words, names)}", typer.colors.RED)
            raise typer.Exit(2) from error
        except Interrupted as stopped:
            _say(f"\n{stopped}", typer.colors.YELLOW)
            _leave(130)
        except KeyboardInterrupt:
            _say("\nStopped. Nothing was written.", typer.colors.YELLOW)
            _leave(130)

    return guarded


def in_options(message: str, parameters: Iterable[str]) -> str:
    """A message about parameters of a function, in terms of the command's options.

    Examples
    --------
    >>> in_options("k=9 is too much: lower min_size, or use method='eac'.", ["k", "min_size", "method"])
    '--k 9 is too much: lower --min-size, or use --method eac.'
    """
    for name in [*parameters, "n_clusters"]:
        option = _OPTIONS.get(name, f"--{name.replace('_', '-')}")
        message = re.sub(rf"\b{name}=True\b", option, message)
        message = re.sub(rf"\b{name}='([^']*)'", rf"{option} \1", message)
        message = re.sub(rf"\b{name}=(?=\S)", f"{option} ", message)
        bare = rf"(?<![-\w.]){name}(?![\w=])" if "_" in name else rf"(?<=\bgive ){name}(?=[.,: ]|$)"
        message = re.sub(bare, option, message)
    return message


def _say(text: str, color: str) -> None:
    typer.secho(text, fg=color, err=True)


def _leave(code: int) -> None:
    """End now: threads that are still busy with a member of the ensemble are not waited for."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
