"""After the consensus: bounds on sizes, and objects that belong to no cluster."""
