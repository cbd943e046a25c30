"""Classifiers by dissimilarity increments."""
