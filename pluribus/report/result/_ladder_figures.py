"""The ladder as the page draws it: the tree of its levels, their colors on the map, and the score of each number."""

from typing import Any

import numpy as np

from pluribus.report._shared.palette import COLORS, MUTED, SYMBOLS, color_of
from pluribus.report._shared.specification import Figure, axis_of, rounded, specification
from pluribus.report.result.summary import Ladder


def ladder_data(ladder: Ladder | None, on_map: np.ndarray) -> dict[str, Any] | None:
    """What the page's script draws: boxes and links of each level, and the labels of the objects on the map.

    Parameters
    ----------
    ladder : Ladder or None
    on_map : array
        Labels of the objects on the map, which draws them cluster by cluster.
    """
    if ladder is None:
        return None
    order = np.argsort(np.where(on_map < 0, np.iinfo(np.int64).max, on_map), kind="stable")
    levels = []
    for level, above in zip(ladder.levels, (None, *ladder.levels), strict=False):
        place = {} if above is None else {cluster.number: at for at, cluster in enumerate(above.clusters)}
        levels.append(
            {
                "k": level.n_clusters,
                "result": level.is_result,
                "labels": level.shown[order].tolist(),
                "boxes": [
                    [c.number, c.size, color_of(c.number), place.get(c.parent, -1), c.held] for c in level.clusters
                ],
            }
        )
    return {"levels": levels, "colors": COLORS, "symbols": SYMBOLS, "muted": MUTED}


def score_figure(ladder: Ladder) -> Figure:
    """The score of each number of clusters that was tried; the levels of the ladder are marked."""
    chosen = {level.n_clusters for level in ladder.levels if level.is_result}
    on_ladder = {level.n_clusters for level in ladder.levels}
    data = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "x": ladder.numbers.tolist(),
            "y": rounded(ladder.scores, 4),
            "line": {"color": MUTED, "width": 1.5},
            "marker": {
                "color": [COLORS[0] if k in chosen else MUTED for k in ladder.numbers.tolist()],
                "size": [12 if k in on_ladder else 6 for k in ladder.numbers.tolist()],
            },
            "hovertemplate": "%{x} clusters<br>score %{y:.3f}<extra></extra>",
        }
    ]
    xaxis = axis_of("number of clusters", showgrid=False, tickangle=0)
    return specification(data, 240, xaxis=xaxis, yaxis=axis_of("score"))
