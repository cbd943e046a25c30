"""Compiled loops: arrays in, arrays out.

Each kernel is compiled by numba on first use and cached on disk; importing this package compiles nothing. Kernels
release the GIL and take row ranges, so that ``_engine.over_blocks`` can run them on several cores.
"""

import os
import tempfile
from pathlib import Path
from typing import Any

from numba import config as numba_config

settings: Any = numba_config
if not settings.CACHE_DIR and not any(os.access(place, os.W_OK) for place in (Path(__file__).parent, Path.home())):
    # Nowhere to keep compiled loops (a read-only installation): they are kept for this process only.
    settings.CACHE_DIR = tempfile.mkdtemp(prefix="pluribus-")
