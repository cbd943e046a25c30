"""Figures of models, one at a time, for notebooks and pages."""
