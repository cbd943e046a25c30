"""The walk that docs/architecture.md shows is the one that the program takes."""

import importlib.util
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_walk_is_the_traced_one():
    specification = importlib.util.spec_from_file_location("trace_walk", ROOT / "scripts" / "trace_walk.py")
    trace = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(trace)
    page = (ROOT / "docs" / "architecture.md").read_text()
    shown = re.findall(r"^\d+\. `(\w+/[\w/]+\.py: \w+)`", page, flags=re.M)
    walked = trace.walk()
    assert walked == shown
    assert len(walked) <= 33  # one more than the changes of rooms
