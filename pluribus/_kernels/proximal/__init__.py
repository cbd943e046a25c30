"""Online learning with proximal steps: shrinkage of block norms, label chains, passes over the examples."""
