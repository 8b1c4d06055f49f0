"""The verb for the day from which a provider no longer offers a model."""

from datetime import date

from generator.facts.site_data import SiteData


def choose_retirement_verb(site: SiteData, day: date | None) -> str:
    """Return ``retired`` if ``day`` is before the day of the newest run, else ``retires``.

    The present day is not used, because the same records would then give other pages.
    """
    newest = site.newest_day
    return "retired" if day is not None and newest is not None and day < newest else "retires"
