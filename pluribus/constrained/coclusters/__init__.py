"""Rows and columns of a table clustered together."""
