import sys
from pathlib import Path

ROOT = str(Path(__file__).resolve().parents[2])

# `python -m pytest` in the repository finds the benchmarks by itself; plain `pytest` does not.
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)
