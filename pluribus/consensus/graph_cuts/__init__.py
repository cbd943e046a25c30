"""Consensus by cutting a graph of objects and clusters into parts."""
