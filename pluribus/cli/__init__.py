"""The command line: ``pluribus cluster``, ``pluribus combine``, ``pluribus demo``."""

from pluribus.cli._app import main

__all__ = ["main"]
