"""Consensus by votes: the members choose the labels, or one of them."""
