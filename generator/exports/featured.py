"""The models that badges and pictures for link previews show."""

from collections.abc import Iterator
from typing import Final

from generator.facts.site_data import SiteData
from generator.scores.leaderboards import Entry, Leaderboard
from records.suites.experiments import DEFAULT

_FIRST: Final = 4
"""The number of models on the site's card."""


def list_newest_entries(site: SiteData) -> Iterator[tuple[Leaderboard, Entry]]:
    """Yield the entry of each model that ran with guidelines, in its newest version."""
    seen: set[str] = set()
    for leaderboard in site.leaderboards.values():
        for entry in leaderboard.entries:
            newest = entry.newest
            if newest.experiment == DEFAULT and newest.slug not in seen:
                seen.add(newest.slug)
                yield leaderboard, entry


def list_first_models(site: SiteData) -> tuple[tuple[str, float], ...]:
    """Return the names and scores in percent of the models on the site's card."""
    leaderboard = site.leaderboards.get(site.front) if site.front else None
    ranked = leaderboard.select_models(DEFAULT) if leaderboard else []
    return tuple((entry.newest.name, 100 * entry.row.score.value) for entry in ranked[:_FIRST])
