"""Compiled loops: arrays in, arrays out.

Each kernel is compiled by numba on first use and cached on disk; importing this package compiles nothing. Kernels
release the GIL and take row ranges, so that ``_engine.over_blocks`` can run them on several cores.
"""

import os
import tempfile
from pathlib import Path
from typing import Any

from numba import config as numba_config


def _writable() -> bool:
    """Whether compiled loops can be kept next to their sources or in the user's home."""
    if os.access(Path(__file__).parent, os.W_OK):
        return True
    try:
        return os.access(Path.home(), os.W_OK)
    except RuntimeError:  # a user without a home
        return False


settings: Any = numba_config
if not settings.CACHE_DIR and not _writable():
    # Nowhere to keep compiled loops (a read-only installation): they are kept for this process only.
    settings.CACHE_DIR = tempfile.mkdtemp(prefix="pluribus-")
