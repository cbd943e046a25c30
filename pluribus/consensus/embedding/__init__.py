"""Consensus by embedding: objects or clusters become points, which are clustered."""
