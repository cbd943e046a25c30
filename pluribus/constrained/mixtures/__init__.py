"""Gaussian mixtures with pairs."""
