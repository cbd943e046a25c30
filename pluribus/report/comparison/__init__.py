"""The page of two partitions."""
