"""Consensus in a space: objects or clusters become points, which are clustered."""
