"""Clusters that are connected in a graph."""
