"""The page of candidates for a partition."""
