"""Cells of tables that templates have, and rows that are put together in Python as well."""

from typing import Protocol

from generator.render.template_filters import MISSING, percent
from records.text.escaping import trusted


class ShownShare(Protocol):
    """Passed out of judged."""

    @property
    def judged(self) -> int:
        """The number of all."""
        ...

    @property
    def percent(self) -> float:
        """Between 0 and 100."""
        ...

    @property
    def passes(self) -> str:
        """How many passed, as it is written."""
        ...


def share_cell(share: ShownShare | None, label: str = "") -> str:
    """Return the cell of a share, HTML; None for one of nothing judged.

    The label stands before the share where a narrow page shows each row as a paragraph.
    """
    if share is None:
        return trusted(f'<td class="num missing" data-value="">{MISSING}</td>')
    labelled = f' data-label="{label}"' if label else ""
    return trusted(
        f'<td class="num share" data-value="{share.percent:.4f}"{labelled}>'
        f"{share.passes}/{share.judged}"
        f" <small>{percent(share.percent)}%</small></td>"
    )
