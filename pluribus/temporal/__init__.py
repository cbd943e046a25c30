"""Ordered rows -> states, and when they changed."""

from pluribus.temporal._fitness import Fitness
from pluribus.temporal.detect_states import StateSequence, detect_states
from pluribus.temporal.ecg_beat_features import ecg_beat_features
from pluribus.temporal.extract_partitions import extract_partitions
from pluribus.temporal.null_test import NullTest, null_test
from pluribus.temporal.temporal_ensemble import TemporalEnsemble
from pluribus.temporal.transition_search import TransitionSearch
from pluribus.temporal.window_features import window_features

__all__ = [
    "Fitness",
    "NullTest",
    "StateSequence",
    "TemporalEnsemble",
    "TransitionSearch",
    "detect_states",
    "ecg_beat_features",
    "extract_partitions",
    "null_test",
    "window_features",
]
