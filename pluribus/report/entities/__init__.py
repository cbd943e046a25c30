"""The page of references that were resolved."""
