"""Graphs: orders, colorings, and labels that depend on each other."""
