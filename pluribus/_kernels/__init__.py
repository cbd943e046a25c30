"""Compiled loops: arrays in, arrays out.

Each kernel is compiled by numba on first use and cached on disk; importing this package compiles nothing. Kernels
release the GIL and take row ranges, so that ``_engine.over_blocks`` can run them on several cores.
"""
