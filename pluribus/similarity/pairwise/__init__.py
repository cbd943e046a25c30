"""Classifiers that learn from a few labels and from pairs."""
