"""Rows of numbers: centers, landmarks, projections."""
