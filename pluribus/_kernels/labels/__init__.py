"""Label rows, co-associations, counts and codes."""
