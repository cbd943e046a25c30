"""The standing attack: hostile calls, files and faults against everything that pluribus makes public.

``python -m attack --minutes 30`` finds the targets by walking ``__all__`` of every room and the commands of the command
line, makes cases for them until the time is over, and judges each by machine: a documented error, or a valid result.
A case is named by its target and a number, and can be run again alone, with the same seed:

``python -m attack --seed 1 --replay "consensus.EvidenceAccumulation/123"``
"""
