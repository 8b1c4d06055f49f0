# canary: plain-python cf6a809e-a1da-45dd-8b8a-dce598cad2ea
"""Intervals are joined where they meet."""

import json

from answer import call, run

UNCHANGED = """
import json
from intervals import merge
given = [[5, 6], [1, 2]]
merge(given)
print(json.dumps(given))
"""


def test_overlapping_intervals_become_one() -> None:
    """The longer end counts, also where one interval lies within another."""
    assert call("intervals.py", "merge", [[1, 4], [2, 9], [3, 5]]) == [[1, 9]]


def test_intervals_that_touch_become_one() -> None:
    """An end at the beginning of the next interval joins both."""
    assert call("intervals.py", "merge", [[1, 3], [3, 5]]) == [[1, 5]]


def test_the_result_is_sorted() -> None:
    """Intervals that do not meet are in order, whatever the order of the argument."""
    assert call("intervals.py", "merge", [[7, 8], [1, 2]]) == [[1, 2], [7, 8]]


def test_the_argument_is_left_as_it_was() -> None:
    """The list of the caller has its order afterwards."""
    assert json.loads(run(["python3", "-c", UNCHANGED]).stdout) == [[5, 6], [1, 2]]


def test_no_intervals_are_none() -> None:
    """An empty list gives an empty list."""
    assert call("intervals.py", "merge", []) == []
