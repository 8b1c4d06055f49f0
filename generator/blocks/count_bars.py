"""One bar of a list of counts."""

from typing import NamedTuple


class Bar(NamedTuple):
    """One bar of a list of counts."""

    label: str
    number: int
    chart: str
    """SVG."""
