"""Mutants: would the tests notice if one operator, number or keyword of the library were another?

``python -m scripts.mutants --minutes 60`` draws lines of all rooms, changes one thing in one line at a time, in a copy
of the repository, and runs the tests of that file. A mutant is *killed* if a test fails that passes without the change,
and *survives* if none fails. A mutant is named by its file, its line and a number, and can be run again alone:

``python -m scripts.mutants --replay pluribus/compare/pairs.py:63/0``
"""
