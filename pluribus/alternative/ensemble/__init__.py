"""Local clusterings inside the known groups, combined."""
