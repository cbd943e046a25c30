"""`splink` without tuning, in an environment of its own: ``python -m benchmarks._resolve_peers TABLE ANSWER``.

TABLE is a CSV file of references without ids, ANSWER the npz of pairs with their match probabilities (`make peers`).
Nothing of ours is imported.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

_PAIRS = 2_000_000  # from which u is estimated
_MOST_BLOCKED = 3_000_000  # pairs of one blocking rule


def scored_pairs(table: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Row numbers of pairs that agree in a column, and splink's match probabilities; expectation maximization."""
    import splink.comparison_library as cl
    from splink import DuckDBAPI, Linker, SettingsCreator, block_on

    columns = [name for name in table.columns if table[name].nunique() > 1]
    filled = table[columns].apply(lambda column: column.str.strip().str.lower().replace("", None))
    filled.insert(0, "unique_id", np.arange(len(table)))
    rules = [f"substr({name}, 1, 5)" for name in columns if _n_blocked(filled[name].str[:5]) <= _MOST_BLOCKED]
    settings = SettingsCreator(
        link_type="dedupe_only",
        comparisons=[cl.JaroWinklerAtThresholds(name, [0.9, 0.7]) for name in columns],
        blocking_rules_to_generate_predictions=[block_on(rule) for rule in rules],
    )
    database = DuckDBAPI()
    linker = _linker(Linker, filled, settings, database)
    linker.training.estimate_u_using_random_sampling(max_pairs=_PAIRS, seed=0)
    rarest = sorted(columns, key=lambda name: -filled[name].nunique())[:2]
    for name in rarest:  # two, since the column of a rule is not estimated
        linker.training.estimate_parameters_using_expectation_maximisation(block_on(name))
    found = linker.inference.predict(threshold_match_probability=0.001).as_pandas_dataframe()
    return found[["unique_id_l", "unique_id_r"]].to_numpy(), found["match_probability"].to_numpy()


def _linker(Linker: Any, table: pd.DataFrame, settings: Any, database: Any) -> Any:
    if hasattr(database, "register"):
        return Linker(database.register(table), settings)
    return Linker(table, settings, database)


def _n_blocked(keys: pd.Series) -> int:
    sizes = keys.value_counts().to_numpy().astype(np.int64)
    return int((sizes * (sizes - 1) // 2).sum())


def main(table: Path, answer: Path) -> None:
    pairs, probability = scored_pairs(pd.read_csv(table, dtype=str, keep_default_na=False))
    np.savez(answer, pairs=pairs, probability=probability)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
