"""k-means under conditions that every cluster must satisfy."""
