"""Clusterings of what the known groups leave unexplained."""
