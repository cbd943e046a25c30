"""Raw signals as rows of features: level, spread and roughness of consecutive windows."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils import check_array

from pluribus._engine import whole_number
from pluribus.tables._internal import check_scale
from pluribus.temporal._arguments import n_dimensions, texts

_PARTS = ("level", "spread", "roughness")


def window_features(signal: Any, window: int, *, names: Sequence[str] | None = None) -> tuple[np.ndarray, list[str]]:
    """Describe a long or oscillating signal by consecutive windows, one row for each.

    A single sample of an oscillation says little about the state that it is in. For each channel and window there are
    three features: the level (mean), the spread (standard deviation), and the roughness (root mean square of the
    differences of consecutive samples). The last two are logarithms; a constant window counts as a millionth of the
    spread of the channel.

    Parameters
    ----------
    signal : array of shape (n,) or (n, channels)
        Samples in the order of time.
    window : int
        Samples of a window, 2 at least; a last window with fewer samples is left out.
    names : sequence of str, optional
        Names of the channels.

    Returns
    -------
    features : ndarray of shape (m, 3 * channels)
    names : list of str

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.temporal import window_features
    >>> features, names = window_features(np.sin(np.arange(100)), 25)
    >>> features.shape, names
    ((4, 3), ['x0 level', 'x0 spread', 'x0 roughness'])
    """
    if n_dimensions(signal) == 1:
        signal = np.reshape(np.asarray(signal), (-1, 1))
    X = check_array(signal, dtype=np.float64, ensure_min_samples=2, input_name="signal")
    check_scale(X)
    n, channels = X.shape
    window = whole_number("window", window, 2, n)
    titles = [f"x{i}" for i in range(channels)] if names is None else texts("names", names)
    if len(titles) != channels:
        raise ValueError(f"names has {len(titles)} names for {channels} channels: give one for each.")
    m = n // window
    cut = X[: m * window].reshape(m, window, channels)
    least = np.maximum(1e-6 * X.std(axis=0), np.finfo(float).tiny)
    spread = np.log(np.maximum(cut.std(axis=1), least))
    roughness = np.log(np.maximum(np.sqrt((np.diff(cut, axis=1) ** 2).mean(axis=1)), least))
    features = np.stack([cut.mean(axis=1), spread, roughness], axis=2).reshape(m, 3 * channels)
    return features, [f"{title} {part}" for title in titles for part in _PARTS]
