"""Cells of tables that templates have, and rows that are put together in Python as well."""

from typing import Protocol

from generator.render.escaping import trusted
from generator.render.filters import MISSING, percent


class ShownShare(Protocol):
    """Passed out of judged."""

    @property
    def judged(self) -> int:
        """Of how many."""
        ...

    @property
    def percent(self) -> float:
        """Between 0 and 100."""
        ...

    @property
    def passes(self) -> str:
        """How many passed, as it is written."""
        ...


def share_cell(share: ShownShare | None) -> str:
    """Return the cell of a share, HTML; None for one of nothing judged."""
    if share is None:
        return trusted(f'<td class="num missing" data-value="">{MISSING}</td>')
    return trusted(
        f'<td class="num share" data-value="{share.percent:.4f}">{share.passes}/{share.judged}'
        f" <small>{percent(share.percent)}%</small></td>"
    )
