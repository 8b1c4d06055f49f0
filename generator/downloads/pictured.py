"""Who is on badges and on pictures for link previews."""

from collections.abc import Iterator
from typing import Final

from generator.pages.boards import Board, Standing
from generator.pages.material import Material
from generator.pages.names import DEFAULT

_FIRST: Final = 4
"""Models on the site's card."""


def newest_standings(material: Material) -> Iterator[tuple[Board, Standing]]:
    """Yield for each model that ran with guidelines where it stands in its newest version."""
    seen: set[str] = set()
    for board in material.boards.values():
        for standing in board.standings:
            newest = standing.newest
            if newest.experiment == DEFAULT and newest.slug not in seen:
                seen.add(newest.slug)
                yield board, standing


def first_of_site(material: Material) -> list[tuple[str, float]]:
    """Return names and scores in percent of the models on the site's card."""
    board = material.boards.get(material.front) if material.front else None
    ranked = [one for one in board.models() if one.newest.experiment == DEFAULT] if board else []
    return [(one.newest.name, 100 * one.row.score.value) for one in ranked[:_FIRST]]
