"""Hierarchies that isolate clusters by their increments."""
