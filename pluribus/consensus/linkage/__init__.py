"""Consensus by linkage: merge the objects with the strongest evidence, and cut the tree."""
