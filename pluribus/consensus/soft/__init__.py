"""Soft consensus: models of the ensemble that give each object memberships in the clusters."""
