"""A label and a value in a list of facts."""

from typing import NamedTuple


class Fact(NamedTuple):
    """A label and a value in a list of facts."""

    label: str
    value: str
    href: str | None = None
    """An address outside of the site that the value links; None for no link."""
