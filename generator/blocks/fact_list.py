"""A label and a value in a list of facts."""

from collections.abc import Mapping
from typing import NamedTuple


class Fact(NamedTuple):
    """A label and a value in a list of facts."""

    label: str
    value: str
    href: str | None = None
    """An address outside of the site that the value links; None for no link."""


def list_facts(values: Mapping[str, str | None]) -> list[Fact]:
    """Return a fact for each label whose value is known."""
    return [Fact(label, value) for label, value in values.items() if value is not None]
