"""Pairs that belong together or apart -> one partition."""
