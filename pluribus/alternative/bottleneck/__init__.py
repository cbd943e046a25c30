"""Clusters that keep as much information as possible beyond what is known."""
