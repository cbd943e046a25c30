"""Helpers that several families of constrained methods use."""
