"""Trees and merges."""
