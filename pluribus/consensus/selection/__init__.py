"""Choosing: among members, among candidate partitions, among consensus functions."""
