"""How clusters look: colors, symbols, names."""

# Okabe and Ito's colors, which the color-blind can tell apart, without the black that a dark page would swallow.
# Beyond them the colors repeat with another symbol.
COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
SYMBOLS = (
    "circle", "diamond", "square", "triangle-up", "cross", "star", "triangle-down", "pentagon", "hexagram", "bowtie",
)  # fmt: skip
MUTED = "#9AA5B1"


def color_of(cluster: int) -> str:
    """The color of a cluster; gray for objects in none."""
    return MUTED if cluster < 0 else COLORS[cluster % len(COLORS)]


def symbol_of(cluster: int) -> str:
    """The symbol of a cluster on the map."""
    return "x" if cluster < 0 else SYMBOLS[cluster // len(COLORS) % len(SYMBOLS)]


def name_of(cluster: int) -> str:
    """What the report calls a cluster: its number in the labels."""
    return "not clustered" if cluster < 0 else f"cluster {cluster}"


EVIDENCE_SCALE = [[0, "#F3F5F7"], [0.25, "#C3DAEA"], [0.5, "#78B0D5"], [0.75, "#2478B0"], [1, "#0A2E50"]]
