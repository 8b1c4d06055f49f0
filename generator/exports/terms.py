"""The terms that published results carry: their licence, and the canary of the suite."""

from typing import NamedTuple

from generator.facts.site_data import SiteBasics


class ResultTerms(NamedTuple):
    """The terms of results; what nobody named is None, and left out of files."""

    licence: str | None
    """The licence, by its SPDX identifier."""
    licence_address: str | None
    """Where its text stands."""
    canary: str | None
    """The canary's line of the suite."""

    @property
    def known_terms(self) -> dict[str, str]:
        """The terms that are known, by name."""
        terms = self._asdict()
        return {name: text for name, text in terms.items() if text is not None}


def build_terms(basics: SiteBasics) -> ResultTerms:
    """Return the terms of the results of a site."""
    settings = basics.settings
    address = settings.licence_address
    return ResultTerms(settings.licence, None if address is None else f"{address}", basics.canary)
