"""k-means with sizes: bounds on the number of objects in a cluster, and balance."""
