"""Mean heartbeats of an electrocardiogram as rows of features."""

from typing import Any

import numpy as np

from pluribus._engine import number_array, real_number, whole_number
from pluribus.tables._internal import check_scale
from pluribus.temporal._arguments import n_dimensions

BEFORE, AFTER = 0.2, 0.4  # seconds around the R peak
_LOWEST_RATE = 50.0
_LOWEST_TO_DETECT = 60.0  # for a filter of 5 to 30 Hz
_POINTS = ("p", "q", "s", "t")


def ecg_beat_features(
    signal: Any,
    sampling_rate: float,
    *,
    r_peaks: Any = None,
    beats_per_mean: int = 10,
    n_resample: int = 45,
) -> tuple[np.ndarray, list[str]]:
    """Describe an electrocardiogram by its mean heartbeats: one row for each group of consecutive beats.

    Beats are aligned at their R peaks, from 200 ms before to 400 ms after, and the mean of each group of consecutive
    beats is taken. Its features are the times relative to R (in seconds) and the amplitudes of P (the highest point
    before Q), Q (the first minimum before R), S (the first minimum after R) and T (the highest point after S), and the
    amplitudes of the wave at equally spaced times: 8 + 45 = 53 features.

    Parameters
    ----------
    signal : array of shape (n,)
        One lead.
    sampling_rate : float
        Samples per second, 50 at least; more than 60 to find R peaks.
    r_peaks : array of int, optional
        The samples of the R peaks in ascending order. By default they are found by SleepECG, which must be installed:
        ``pip install 'pluribus[ecg]'``.
    beats_per_mean : int, default=10
        Beats of a group. Beats too close to an end of the signal, and a last group with fewer beats, are left out.
    n_resample : int, default=45
        Amplitudes of the wave.

    Returns
    -------
    features : ndarray of shape (m, 8 + n_resample)
    names : list of str

    References
    ----------
    Medina and Fred, "Clustering data with temporal evolution: application to electrophysiological signals", CCIS 129,
    2011.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.temporal import ecg_beat_features
    >>> time = np.arange(0, 30, 0.004)
    >>> peaks = np.arange(0.5, 29.5, 0.8)
    >>> signal = sum(np.exp(-(((time - peak) / 0.02) ** 2)) for peak in peaks)
    >>> features, names = ecg_beat_features(signal, 250, r_peaks=np.round(250 * peaks).astype(int))
    >>> features.shape, names[:2]
    ((3, 53), ['p_time', 'p_amplitude'])
    """
    wave = number_array("signal", signal)
    if wave.ndim != 1 or not np.isfinite(wave).all():
        raise ValueError(f"signal is an array of shape {wave.shape}: give one lead, numbers without gaps.")
    if wave.size:
        check_scale(wave[:, None])
    rate = real_number("sampling_rate", sampling_rate, _LOWEST_RATE, 1e6)
    beats_per_mean = whole_number("beats_per_mean", beats_per_mean, 1)
    n_resample = whole_number("n_resample", n_resample, 1, 10_000)
    peaks = _found_peaks(wave, rate) if r_peaks is None else _checked_peaks(r_peaks, len(wave))
    before, after = round(BEFORE * rate), round(AFTER * rate)
    peaks = peaks[(peaks >= before) & (peaks + after < len(wave))]
    n_groups = len(peaks) // beats_per_mean
    if n_groups == 0:
        raise ValueError(
            f"signal has {len(peaks)} whole beats, but a mean takes beats_per_mean={beats_per_mean}: give a longer "
            "signal, or fewer beats for a mean."
        )
    beats = wave[peaks[: n_groups * beats_per_mean, None] + np.arange(-before, after + 1)]
    means = beats.reshape(n_groups, beats_per_mean, -1).mean(axis=1)
    times = np.arange(-before, after + 1) / rate
    places = np.linspace(-BEFORE, AFTER, n_resample)
    rows = [np.concatenate([_landmarks(mean, times), np.interp(places, times, mean)]) for mean in means]
    names = [f"{point}_{what}" for point in _POINTS for what in ("time", "amplitude")]
    return np.array(rows), names + [f"at_{1000 * place:+.0f}_ms" for place in places]


def _found_peaks(wave: np.ndarray, rate: float) -> np.ndarray:
    try:
        from sleepecg import detect_heartbeats
    except ImportError:
        raise ImportError(
            "R peaks are found by SleepECG: install it with `pip install 'pluribus[ecg]'`, or give r_peaks."
        ) from None
    if rate <= _LOWEST_TO_DETECT:
        raise ValueError(
            f"sampling_rate={rate:g}: R peaks are found from more than {_LOWEST_TO_DETECT:g} samples per second; give "
            "r_peaks."
        )
    if len(wave) < rate or np.ptp(wave) == 0:
        raise ValueError(
            f"signal has {len(wave)} samples{' of one value' if len(wave) else ''}: give at least one second of a "
            "signal that varies."
        )
    return np.asarray(detect_heartbeats(wave / np.abs(wave).max(), rate), dtype=np.int64)


def _checked_peaks(given: Any, n: int) -> np.ndarray:
    peaks = np.asarray(given if n_dimensions(given) == 1 else [0.5])
    if peaks.dtype.kind not in "iu":
        raise ValueError("r_peaks must be a sequence of whole numbers: give sample numbers.")
    peaks = peaks.astype(np.int64)
    if len(peaks) and (peaks.min() < 0 or peaks.max() >= n or (np.diff(peaks) <= 0).any()):
        raise ValueError(f"r_peaks must be ascending sample numbers from 0 to {n - 1}.")
    return peaks


def _landmarks(mean: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Times and amplitudes of P, Q, S and T."""
    r = int(np.argmin(np.abs(times)))
    q = r - _first_minimum(mean[r::-1])
    s = r + _first_minimum(mean[r:])
    p = int(mean[: q + 1].argmax())
    t = s + int(mean[s:].argmax())
    return np.column_stack([times[[p, q, s, t]], mean[[p, q, s, t]]]).ravel()


def _first_minimum(wave: np.ndarray) -> int:
    """The first place after which the wave rises."""
    rises = np.flatnonzero(np.diff(wave) > 0)
    return int(rises[0]) if len(rises) else len(wave) - 1
