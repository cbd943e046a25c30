import builtins

import numpy as np
import pytest

from pluribus.temporal import ecg_beat_features, window_features

RATE = 250
SHAPE = {"p": (-0.15, 0.2, 0.02), "q": (-0.04, -0.3, 0.01), "r": (0.0, 1.0, 0.012), "s": (0.04, -0.4, 0.01),
         "t": (0.25, 0.35, 0.04)}  # fmt: skip


def ecg(n_beats=42, seed=0, noise=0.01):
    """Waves of known times and amplitudes."""
    rng = np.random.default_rng(seed)
    peaks = np.cumsum(rng.uniform(0.75, 0.85, n_beats))
    time = np.arange(0, peaks[-1] + 1, 1 / RATE)
    signal = noise * rng.normal(size=len(time))
    for peak in peaks:
        for shift, height, width in SHAPE.values():
            signal += height * np.exp(-(((time - peak - shift) / width) ** 2))
    return signal, np.round(peaks * RATE).astype(int)


def test_the_waves_are_found():
    signal, peaks = ecg()
    features, names = ecg_beat_features(signal, RATE, r_peaks=peaks)
    assert features.shape == (4, 53)
    assert len(names) == len(set(names)) == 53
    found = dict(zip(names, features.mean(axis=0), strict=True))
    for point in "pqst":
        shift, height, _ = SHAPE[point]
        assert found[f"{point}_time"] == pytest.approx(shift, abs=0.02)
        assert found[f"{point}_amplitude"] == pytest.approx(height, abs=0.12)


def test_peaks_are_found_without_being_given():
    pytest.importorskip("sleepecg")
    signal, peaks = ecg()
    own, _ = ecg_beat_features(signal, RATE)
    given, _ = ecg_beat_features(signal, RATE, r_peaks=peaks)
    assert abs(len(own) - len(given)) <= 1
    np.testing.assert_allclose(own[:3, 8:].mean(axis=0), given[:3, 8:].mean(axis=0), atol=0.25)


def test_without_the_library_the_error_says_what_to_install(monkeypatch):
    own = builtins.__import__

    def without(name, *more, **options):
        if name == "sleepecg":
            raise ImportError(name)
        return own(name, *more, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    signal, peaks = ecg(12)
    with pytest.raises(ImportError, match=r"pip install 'pluribus\[ecg\]'"):
        ecg_beat_features(signal, RATE)
    ecg_beat_features(signal, RATE, r_peaks=peaks)


def test_edges_and_rests_are_left_out():
    signal, peaks = ecg(25)
    assert len(ecg_beat_features(signal, RATE, r_peaks=np.concatenate([[3], peaks]), beats_per_mean=12)[0]) == 2
    assert ecg_beat_features(signal, RATE, r_peaks=peaks, beats_per_mean=1, n_resample=3)[0].shape == (25, 11)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"signal": np.zeros((10, 2))}, "one lead"),
        ({"signal": np.full(1000, np.nan)}, "one lead"),
        ({"signal": "abc"}, "give numbers"),
        ({"sampling_rate": 0}, "sampling_rate"),
        ({"sampling_rate": np.nan}, "sampling_rate"),
        ({"r_peaks": [5.5]}, "sample numbers"),
        ({"r_peaks": [9, 3]}, "ascending"),
        ({"r_peaks": [10**9]}, "ascending"),
        ({"r_peaks": []}, "sample numbers|whole beats"),
        ({"r_peaks": [500]}, "1 whole beats"),
        ({"beats_per_mean": 0}, "beats_per_mean"),
        ({"n_resample": 0}, "n_resample"),
        ({"signal": np.zeros(5000), "r_peaks": None}, "of one value"),
        ({"signal": np.zeros(3), "r_peaks": None}, "at least one second"),
    ],
)
def test_bad_beats(change, words):
    signal, peaks = ecg(12)
    given = {"signal": signal, "sampling_rate": RATE, "r_peaks": peaks} | change
    with pytest.raises(ValueError, match=words):
        ecg_beat_features(given.pop("signal"), given.pop("sampling_rate"), **given)


def test_windows_one_by_one():
    X = np.random.default_rng(0).normal(size=(47, 2))
    features, names = window_features(X, 10, names=["a", "b"])
    assert names == [f"{c} {part}" for c in "ab" for part in ("level", "spread", "roughness")]
    assert features.shape == (4, 6)
    third = X[20:30, 1]
    slow = [third.mean(), np.log(third.std()), np.log(np.sqrt(np.mean(np.diff(third) ** 2)))]
    np.testing.assert_allclose(features[2, 3:], slow)


def test_constant_windows_are_finite():
    signal = np.concatenate([np.ones(20), np.random.default_rng(0).normal(size=20)])
    assert np.isfinite(window_features(signal, 10)[0]).all()
    assert np.isfinite(window_features(np.ones(20), 10)[0]).all()


@pytest.mark.parametrize(
    ("signal", "window", "words"),
    [
        (np.ones(10), 1, "window=1"),
        (np.ones(10), 11, "window=11"),
        (np.full(10, np.nan), 2, "NaN"),
        (["a"] * 10, 2, "could not convert|convert"),
        (np.ones((10, 2, 2)), 2, "dim"),
    ],
)
def test_bad_windows(signal, window, words):
    with pytest.raises(ValueError, match=words):
        window_features(signal, window)
    with pytest.raises(ValueError, match="one for each"):
        window_features(np.ones(10), 2, names=["a", "b"])
