"""Words for the day from which a provider no longer offers a model."""

from datetime import date

from generator.site.data import SiteData


def retirement_verb(site: SiteData, day: date) -> str:
    """Return ``retired`` where ``day`` is before the newest run's, else ``retires``.

    The day of the build would give other pages for the same records.
    """
    newest = max((run.date for run in site.summaries.runs), default=None)
    return "retired" if newest is not None and day < newest else "retires"
