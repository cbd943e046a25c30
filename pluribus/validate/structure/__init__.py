"""Are there clusters at all? Valleys of the density, dips of projections and gaps in the evidence."""
