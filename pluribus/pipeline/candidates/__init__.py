"""Candidate partitions of the same data at one number of clusters, and the choice among them."""
