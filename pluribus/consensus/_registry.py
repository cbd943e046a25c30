"""Consensus functions by the names the field knows them by.

A class is found if ``pluribus.consensus.__all__`` lists it and it has a class attribute ``known_as``: its names, each
with the parameters that the name presets.
"""

from collections.abc import Callable
from typing import Any

from sklearn.base import clone

from pluribus._engine import Registry
from pluribus.consensus._shared.base import ConsensusMixin
from pluribus.consensus._shared.cost import Cost

METHODS = Registry("pluribus.consensus", "consensus function")


def names() -> list[str]:
    """The names that ``by_name`` knows.

    Examples
    --------
    >>> from pluribus import consensus
    >>> "eac" in consensus.names()
    True
    """
    return METHODS.names()


def by_name(name: str) -> Callable[..., Any]:
    """The consensus function of this name: call it with parameters to make one.

    Examples
    --------
    >>> from pluribus import consensus
    >>> consensus.by_name("EAC")(n_clusters=3)
    EvidenceAccumulation(n_clusters=3)
    """
    return METHODS.make(name)


def name_of(consensus: Any) -> str:
    """The name of a consensus function, by its class and presets; empty if it is not in ``pluribus.consensus``.

    Examples
    --------
    >>> from pluribus.consensus import PairwiseProbabilistic
    >>> from pluribus.consensus._registry import name_of
    >>> name_of(PairwiseProbabilistic(3))
    'ppc'
    """
    return METHODS.name_of(consensus)


def cost_of(name: str) -> Cost:
    """What the consensus function of this name takes; the default guess for other names.

    Examples
    --------
    >>> from pluribus.consensus._registry import cost_of
    >>> cost_of("eac").too_much(200_000, 30, 8), cost_of("ceac").too_much(200_000, 30, 8)
    ('', '58 minutes')
    """
    method: Any = next((entry.method for entry in METHODS.entries() if entry.name == name), ConsensusMixin)
    return method.cost[name] if isinstance(method.cost, dict) else method.cost


def bytes_needed(
    name: str, n_objects: int, n_partitions: int, n_distinct: int | None = None, *, neighbors: bool = False
) -> float:
    """The memory that the consensus function of this name uses at most; see ``Cost.bytes_needed``.

    Examples
    --------
    >>> from pluribus.consensus._internal import bytes_needed
    >>> f"{bytes_needed('cspa', 50_000, 50, 50_000) / 1e9:.1f} GB"
    '65.1 GB'
    """
    return cost_of(name).bytes_needed(n_objects, n_partitions, n_distinct, neighbors=neighbors)


def configured(consensus: Any, *, n_clusters: int | None, random_state: int, verbose: bool) -> Any:
    """A consensus function, given or by name, with these parameters where it has them.

    A given function is copied. Its own random state is kept if it has one, and its number of clusters if none is given.
    A function whose package is missing is refused.

    Examples
    --------
    >>> from pluribus.consensus._internal import configured
    >>> configured("scec", n_clusters=3, random_state=0, verbose=False)
    SoftCorrespondence(n_clusters=3, random_state=0, verbose=False)
    """
    function = by_name(consensus)() if isinstance(consensus, str) else clone(consensus)
    own = function.get_params(deep=False)
    if n_clusters is not None:
        function.set_params(n_clusters=n_clusters)
    if "random_state" in own and own["random_state"] is None:
        function.set_params(random_state=random_state)
    if "verbose" in own:
        function.set_params(verbose=verbose)
    if isinstance(function, ConsensusMixin):
        function._check_installed()
    return function
