"""k-means with pairs: must-links, cannot-links and known labels."""
