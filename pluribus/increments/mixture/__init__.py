"""Gaussian mixtures whose components are merged by the increments of distances."""
