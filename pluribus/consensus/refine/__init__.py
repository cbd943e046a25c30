"""Refinements of a consensus: bounds on cluster sizes, and noise."""
