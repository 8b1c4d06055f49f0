"""A label and a value in a list of facts."""

from typing import NamedTuple


class Fact(NamedTuple):
    """A label and a value in a list of facts."""

    label: str
    value: str
    href: str | None = None
    """Where the value leads, outside of the site."""
