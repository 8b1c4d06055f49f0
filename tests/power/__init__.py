"""Measures the power of the suite: branch coverage by test, and the share of mutants it kills.

``python -m tests.power coverage``, then ``python -m tests.power mutants``; see ``tests/README.md``.
"""
