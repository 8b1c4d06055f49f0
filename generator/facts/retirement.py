"""Words for the day from which a provider no longer offers a model."""

from datetime import date

from generator.facts.site_data import SiteData


def retirement_verb(site: SiteData, day: date | None) -> str:
    """Return ``retired`` where ``day`` is known and before the newest run's, else ``retires``.

    The day of the build would give other pages for the same records.
    """
    newest = site.newest_day
    return "retired" if day is not None and newest is not None and day < newest else "retires"
