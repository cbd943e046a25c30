"""Consensus by the partition with the smallest sum of distances to the members."""
