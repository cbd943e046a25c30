"""What the methods for an alternative partition share."""
