"""Scores: the numbers of pages, each by a small formula that docs/method.md explains.

The functions take arrays, return dataclasses and read no files. These modules import numpy, so a
build without changes does not import them.
"""
