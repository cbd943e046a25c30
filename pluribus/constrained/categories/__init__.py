"""Categories of documents that start from labels and may leave them."""
