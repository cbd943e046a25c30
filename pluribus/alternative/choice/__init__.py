"""The choice among the methods of this room."""
