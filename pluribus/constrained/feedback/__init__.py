"""Clustering under feedback: what people say of a result changes it."""
