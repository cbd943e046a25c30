"""The ensembles of the literature, by name."""

from collections.abc import Callable

import sklearn

from pluribus._engine import is_one_of
from pluribus.generate.generator import Generator
from pluribus.generate.mix import Mix, mix


def preset(name: str) -> Generator | Mix:
    """Return a generator with the settings of a published study.

    ================== ======================== ======== =====================================================
    name               clusterer                members  number of clusters
    ================== ======================== ======== =====================================================
    sqrt               k-means                  150      from √n / 2 to √n
    linear             k-means                  150      from n / 50 to n / 20
    sqrt-or-50         k-means                  200      from the larger of √n / 2 and n / 50, up to 20 more
    fixed-range        k-means                  50       from 10 to 30
    fixed-k            k-means                  150      30
    multi-algorithm    k-means; single,         4,400    2 to 10, 15 and 20: 100 members for each clusterer and
                       complete, average link            number, each on 90 % of the rows
    spectral-grid      spectral, two kinds      280      2 to 6, for each of 28 widths of the neighborhood
    u-senc             landmarks                20       from 20 to 60; ``consensus.by_name("hbgf")`` combines them
    ================== ======================== ======== =====================================================

    To change one, set its parameters: ``preset("fixed-k").set_params(n_clusters=20, random_state=0)``.

    "spectral-grid" differs from its source, which uses a full n × n kernel of width 0.3, 0.4, … 3. Here it is the
    sparse graph of the 3, 4, … 30 nearest neighbors, which does not depend on the scale of the features and fits into
    memory. ``SpectralGrid()`` is the source's form, for tables of up to 5,000 rows.

    References
    ----------
    - sqrt, linear: A. Lourenço, A. Fred, A. K. Jain, "On the scalability of evidence accumulation clustering",
      ICPR 2010.
    - u-senc: D. Huang, C.-D. Wang, J.-S. Wu, J.-H. Lai, C.-K. Kwoh, "Ultra-scalable spectral clustering and ensemble
      clustering", IEEE TKDE 32, 2020.
    - others: SIMBAD project, deliverable D2.3 (evidence accumulation, its probabilistic, embedded, constrained
      and temporal forms).

    Examples
    --------
    >>> from pluribus.generate import preset
    >>> preset("sqrt-or-50")
    Generator(n_clusters='sqrt-or-50', n_members=200)
    >>> preset("multi-algorithm").n_members
    4400
    """
    if not is_one_of(name, _PRESETS):
        raise ValueError(f"no preset is called {name!r}: choose from {', '.join(map(repr, _PRESETS))}")
    return _PRESETS[name]()


def _multi_algorithm() -> Generator | Mix:
    return mix(
        *(
            Generator(clusterer, linkage=linkage, n_clusters=k, subsample=0.9)
            for clusterer, linkage in (
                ("kmeans", "average"),
                ("agglomerative", "single"),
                ("agglomerative", "complete"),
                ("agglomerative", "average"),
            )
            for k in (*range(2, 11), 15, 20)
        )
    )


def _spectral_grid() -> Generator | Mix:
    # k-means on scikit-learn's eigenvectors is the k-way normalized cut of Shi and Malik; discretization scales
    # the rows to unit length first, as Ng, Jordan and Weiss do.
    return mix(
        *(
            Generator(
                sklearn.cluster.SpectralClustering(
                    affinity="nearest_neighbors", n_neighbors=width, assign_labels=assign, n_init=1
                ),
                n_clusters=k,
                n_members=1,
            )
            for assign in ("discretize", "kmeans")
            for width in range(3, 31)
            for k in range(2, 7)
        )
    )


_PRESETS: dict[str, Callable[[], Generator | Mix]] = {
    "sqrt": lambda: Generator(n_clusters="sqrt", n_members=150),
    "linear": lambda: Generator(n_clusters="linear", n_members=150),
    "sqrt-or-50": lambda: Generator(n_clusters="sqrt-or-50", n_members=200),
    "fixed-range": lambda: Generator(n_clusters=(10, 30), n_members=50),
    "fixed-k": lambda: Generator(n_clusters=30, n_members=150),
    "multi-algorithm": _multi_algorithm,
    "spectral-grid": _spectral_grid,
    "u-senc": lambda: Generator("landmarks", n_clusters=(20, 60), n_members=20),
}
