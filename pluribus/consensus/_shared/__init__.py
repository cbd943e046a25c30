"""Helpers that several families of consensus functions use."""
