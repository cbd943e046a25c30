"""Consensus with memberships: models of the ensemble in which objects belong to clusters by degrees."""
