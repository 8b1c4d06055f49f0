"""Badges with the scores of models, as SVG pictures for READMEs on other sites."""

from html import escape
from typing import Final

from generator.read.site_settings import SiteSettings
from generator.read.summaries import RunSummary
from generator.render.template_filters import format_whole_percent
from generator.scores.leaderboards import Entry
from records.files.slug_paths import encode_slug
from records.text.visible import make_visible

_CHARACTER: Final = 6.6
"""The mean width of a character of 11 px Verdana, in pixels."""
_PADDING: Final = 6.0
_OTHER_LABEL: Final = "evals"
"""The label for benchmarks of other tools."""


def build_badge_path(slug: str) -> str:
    """Return the path of a model's badge below the site's root."""
    return f"badges/{encode_slug(slug)}.svg"


def choose_badge_label(settings: SiteSettings, run: RunSummary) -> str:
    """Return the name of the evals of a run; those of other tools are not of the site's subject."""
    return _OTHER_LABEL if run.of_other_tool else settings.evals_named


def make_badge(entry: Entry, label: str) -> bytes:
    """Return a badge as SVG: the percentage of passed evals, and the number of evals."""
    score = entry.row.score
    value = f"{format_whole_percent(100 * score.value)}% of {score.evals}"
    label_width, right = _compute_width(label), _compute_width(value)
    name = escape(make_visible(f"{entry.newest.name}: {label} {value}"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{label_width + right:.0f}" height="20" '
        f'role="img" aria-label="{name}"><title>{name}</title>'
        f'<rect width="{label_width + right:.0f}" height="20" rx="3" fill="#3558b8"/>'
        f'<path d="M3 0h{label_width - 3:.1f}v20H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z" fill="#3b3d40"/>'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f'<text x="{_PADDING:.0f}" y="14">{escape(label)}</text>'
        f'<text x="{label_width + _PADDING:.1f}" y="14">{escape(value)}</text></g></svg>\n'
    ).encode()


def _compute_width(text: str) -> float:
    """Return the width of ``text`` with padding on both sides, in pixels."""
    return len(text) * _CHARACTER + 2 * _PADDING
