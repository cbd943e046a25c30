"""The page of the states of a signal."""
