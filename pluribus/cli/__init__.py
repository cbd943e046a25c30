"""The command line: ``pluribus cluster``, ``combine``, ``compare``, ``validate``, ``demo``."""

from pluribus.cli._app import main

__all__ = ["main"]
