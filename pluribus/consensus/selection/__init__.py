"""Selection of members, of candidate partitions and of consensus functions."""
