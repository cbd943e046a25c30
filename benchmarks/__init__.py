"""Measurements: ours and the peer side by side, in one run. ``python -m benchmarks`` lists them.

Each measured case runs in a process of its own, so that its peak of memory is its own. The cases of one benchmark are
in one module; the peers, written with nothing but numpy and scipy, are in ``_peers``.
"""

# Each is a module here, with dashes for underscores. Its docstring's first line says what it measures.
NAMES = (
    "average-link",
    "ppc",
    "eac-accuracy",
    "evidence-size",
    "neighbor-evidence",
    "consensus-speed",
    "million",
    "scale",
    "pendigits",
    "answers",
    "answers-parts",
    "answers-size",
    "compare-speed",
    "choose-k",
    "verdicts",
    "candidates",
    "texts",
    "combining",
    "increments-hierarchy",
    "constrained-speed",
    "categories-speed",
    "alternative-speed",
    "alternative-choice",
    "similarity-speed",
    "size-constrained",
    "relational-size",
    "studio",
    "reproduce",
)
