"""The table cell of a share, for templates and for rows that are made in Python."""

from typing import Protocol

from generator.render.template_filters import MISSING, format_percent
from records.text.escaping import mark_safe


class ShownShare(Protocol):
    """A share, as far as its cell needs it."""

    @property
    def judged(self) -> int:
        """The number of all judged ones."""
        ...

    @property
    def percent(self) -> float:
        """The share in percent, from 0 to 100."""
        ...

    @property
    def passes(self) -> str:
        """The number of passed ones as text."""
        ...


def render_share_cell(share: ShownShare | None, label: str = "") -> str:
    """Return the cell of a share as HTML; ``share`` is None if nothing was judged.

    A narrow page shows each row as a paragraph, with the label before the share.
    """
    if share is None:
        return mark_safe(f'<td class="num missing" data-value="">{MISSING}</td>')
    labelled = f' data-label="{label}"' if label else ""
    return mark_safe(
        f'<td class="num share" data-value="{share.percent:.4f}"{labelled}>'
        f"{share.passes}/{share.judged}"
        f" <small>{format_percent(share.percent)}%</small></td>"
    )
