"""Errors as a person wants to read them: what is wrong, what to do; exit code 2 for bad input, 130 for Ctrl-C."""

import functools
import os
import sys
from collections.abc import Callable
from typing import Any

import typer


class Interrupted(Exception):
    """Ctrl-C in a job that has kept something: the message says how to go on."""


def explained(command: Callable[..., Any]) -> Callable[..., Any]:
    """Turn the errors that bad input causes into a message and an exit code."""

    @functools.wraps(command)
    def guarded(*args: Any, **options: Any) -> Any:
        try:
            return command(*args, **options)
        except (ValueError, OSError, MemoryError) as error:
            _say(f"Error: {error}", typer.colors.RED)
            raise typer.Exit(2) from error
        except Interrupted as stopped:
            _say(f"\n{stopped}", typer.colors.YELLOW)
            _leave(130)
        except KeyboardInterrupt:
            _say("\nStopped. Nothing was written.", typer.colors.YELLOW)
            _leave(130)

    return guarded


def _say(text: str, color: str) -> None:
    typer.secho(text, fg=color, err=True)


def _leave(code: int) -> None:
    """End now: threads that are still busy with a member of the ensemble are not waited for."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
