"""Parts of this room that other rooms may use but users do not need."""

from pluribus.evidence._dask_nearest import NearestObjects, search_by_dask

__all__ = ["NearestObjects", "search_by_dask"]
