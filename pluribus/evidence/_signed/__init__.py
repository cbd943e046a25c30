"""Signed evidence: pairs that belong together or apart, and partitions that disagree with it the least.

It is here, below both, because a consensus function and the methods for linked objects search the same way.
"""
