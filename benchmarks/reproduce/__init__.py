"""Published tables: the sources' protocols run again, theirs and ours cell by cell (``reproduce SOURCE``).

Each source is a module here, with its protocol (``tables``, ``n_runs`` and ``score``; see ``_published``).
"""

SOURCES = (
    "eac",
    "scec",
    "ppc",
    "penca",
    "embedding",
    "acc",
    "validation",
    "lift",
    "lift-emd",
    "constrained",
    "constrained-papers",
    "cobras",
    "balanced",
    "size-constrained",
    "categorization",
    "aggregate",
    "anonymize",
    "increments",
    "temporal",
    "alternative",
    "co-clustering",
    "relational",
    "similarity",
    "interactive",
    "genie",
)
