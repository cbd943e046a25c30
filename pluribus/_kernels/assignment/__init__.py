"""Objects to clusters under bounds, conditions and costs of pairs."""
