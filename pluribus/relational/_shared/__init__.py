"""What the methods of this room share."""
