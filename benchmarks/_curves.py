"""Curves with their spread as a small SVG."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

COLORS = (
    "#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b",
    "#e377c2", "#7f7f7f", "#bcbd22", "#17becf", "#393b79", "#ad494a",
)  # fmt: skip
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
WIDTH, HEIGHT, LEFT, TOP, LEGEND, BOTTOM = 720, 400, 60, 36, 180, 52


class Curve(NamedTuple):
    """A value and its spread at each place; NaN where there is none."""

    name: str
    values: np.ndarray
    spreads: np.ndarray


def draw(
    title: str, across: str, up: str, places: Sequence[str], curves: Sequence[Curve], *, powers: bool = False
) -> str:
    """The curves, a whisker of one spread up and down at each place, and a legend in the order of the last values.

    ``powers``: the values are logarithms to base 10, and the axis says of what.
    """
    whole_width = WIDTH + max(0, 7 * max(len(c.name) for c in curves) + 42 - LEGEND)
    whole_height = max(HEIGHT, TOP + 20 * len(curves) + BOTTOM)
    width, height = WIDTH - LEFT - LEGEND, whole_height - TOP - BOTTOM
    values = np.concatenate([side for c in curves for side in (c.values - c.spreads, c.values + c.spreads)])
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    low, high = (np.floor(low), np.ceil(high)) if powers else (min(0.0, low), max(0.1, high))

    def x(place: float) -> float:
        return LEFT + width * (place + 0.5) / len(places)

    def y(value: float) -> float:
        return TOP + height * (high - value) / (high - low)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole_width} {whole_height}" '
        f'font-family="sans-serif" font-size="12"><rect width="{whole_width}" height="{whole_height}" fill="white"/>',
        _text(LEFT, 20, title, "font-weight='bold' font-size='14'"),
        _text(LEFT + width / 2, whole_height - 12, across, "text-anchor='middle'"),
        _text(0, 0, up, f"text-anchor='middle' transform='translate(16 {TOP + height / 2}) rotate(-90)'"),
    ]
    step = 1 if powers else 0.1 if high - low < 0.6 else 0.2
    for tick in np.arange(np.ceil(low / step) * step, high + 1e-9, step):
        parts.append(_line(LEFT, y(tick), LEFT + width, y(tick), "#dddddd"))
        name = _power(round(tick)) if powers else f"{tick:.1f}"
        parts.append(_text(LEFT - 8, y(tick) + 4, name, "text-anchor='end'"))
    parts += [_text(x(i), TOP + height + 18, place, "text-anchor='middle'") for i, place in enumerate(places)]
    ranked = sorted(range(len(curves)), key=lambda i: -curves[i].values[np.isfinite(curves[i].values)][-1])
    for rank, i in enumerate(ranked):
        color, curve = COLORS[i % len(COLORS)], curves[i]
        dashes = ' stroke-dasharray="5 3"' if i >= len(COLORS) else ""
        shift = (i - (len(curves) - 1) / 2) * 0.04 if curve.spreads.any() else 0  # whiskers beside each other
        there = np.flatnonzero(np.isfinite(curve.values))
        points = " ".join(f"{x(p + shift):.1f},{y(curve.values[p]):.1f}" for p in there)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="1.8"{dashes}/>')
        if len(there) == 1:
            parts.append(
                f'<circle cx="{x(there[0] + shift):.1f}" cy="{y(curve.values[there[0]]):.1f}" r="4" fill="{color}"/>'
            )
        for p in there:
            ends = y(curve.values[p] - curve.spreads[p]), y(curve.values[p] + curve.spreads[p])
            parts.append(_line(x(p + shift), ends[0], x(p + shift), ends[1], color))
        at = TOP + 12 + 20 * rank
        parts.append(_line(LEFT + width + 12, at, LEFT + width + 36, at, color, 3))
        parts.append(_text(LEFT + width + 42, at + 4, curve.name))
    return "\n".join([*parts, "</svg>\n"])


def _power(exponent: int) -> str:
    """A power of ten, as short as can be."""
    return f"{10.0**exponent:,g}" if abs(exponent) < 5 else f"10{str(exponent).translate(SUPERSCRIPT)}"


def _line(x1: float, y1: float, x2: float, y2: float, color: str, width: float = 1) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}" stroke-width="{width:g}"/>'


def _text(x: float, y: float, text: str, how: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {how}>{text}</text>'
