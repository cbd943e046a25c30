"""Sets of rows and columns of a 0/1 table: concepts, gaps, assignment under cannot-links."""
