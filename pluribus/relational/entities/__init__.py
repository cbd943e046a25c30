"""The entities behind references."""
