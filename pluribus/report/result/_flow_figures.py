"""The flows as the page's script draws them: names, sizes and colors, and the words around each figure."""

from typing import Any

from pluribus.report._shared.palette import color_of
from pluribus.report._shared.words import count, percent
from pluribus.report.result.summary import Flows, MemberFlow


def flow_data(flows: Flows) -> list[dict[str, Any]]:
    """What the script draws, a plain dictionary for each member. It does not grow with the number of objects.

    Examples
    --------
    >>> from pluribus.report.result._flow_figures import flow_data
    >>> from pluribus.report.result.summary import Box, Flows, MemberFlow
    >>> boxes = (Box("a", 3),), (Box("0", 3, 0),)
    >>> member = MemberFlow("m", 1, 1.0, 1.0, "Its one cluster is that of the result.", *boxes, ((0, 0, 3),), 0.0)
    >>> flow_data(Flows((member,), 1, (("The only member", 0),)))[0]["targets"]
    [['0', 3, '#0072B2']]
    """
    return [
        {
            "name": member.name,
            "facts": flow_facts(member),
            "words": member.words,
            "note": flow_note(member),
            "sources": [[box.name, box.size] for box in member.sources],
            "targets": [[box.name, box.size, color_of(box.cluster)] for box in member.targets],
            "streams": member.streams,
        }
        for member in flows.members
    ]


def flow_facts(member: MemberFlow) -> str:
    """The figures of a member in a line."""
    return f"{count(member.k, 'cluster')} · adjusted Rand index {member.ari:.2f} · NMI {member.nmi:.2f}"


def flow_note(member: MemberFlow) -> str:
    """What the figure leaves out."""
    note = "Shares are of the objects that the member covers; point at a stream for its numbers."
    if member.grouped:
        note += " Small clusters are grouped by where most of their objects go."
    if member.hidden > 0:
        note += f" Streams of less than 1% are not drawn: together {percent(member.hidden)} of the objects."
    return note
