# canary: plain-python cf6a809e-a1da-45dd-8b8a-dce598cad2ea
"""Intervals of whole numbers."""


def merge(intervals: list[list[int]]) -> list[list[int]]:
    """Join intervals that overlap or touch."""
    joined: list[list[int]] = []
    for first, last in sorted(intervals):
        if joined and first <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], last)
        else:
            joined.append([first, last])
    return joined
