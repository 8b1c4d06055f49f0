"""Scores: the numbers of pages, each by one small formula that docs/method.md explains.

Arrays in, dataclasses out; nothing here reads a file. numpy is imported with these modules, so a
build that finds nothing to do need not import them.
"""
