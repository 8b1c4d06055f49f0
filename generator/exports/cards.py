"""Pictures of scores: cards for link previews (PNG, 1200 x 630), and badges (SVG)."""

import io
import zlib
from functools import cache, lru_cache
from html import escape

from PIL import Image, ImageDraw, ImageFont

from generator.read.site_settings import SiteSettings
from generator.read.summaries import RunSummary
from generator.render.template_filters import format_whole_percent
from generator.scores.leaderboards import Entry
from generator.scores.score_estimate import Estimate
from generator.site_data import SiteData
from records.files.data_folder import encode_slug
from records.suites.experiments import DEFAULT
from records.text.numbers import round_half_up
from records.text.visible import make_visible

_CHARACTER = 6.6
"""The mean width of a character of 11 px Verdana, in pixels."""
_PADDING = 6.0
_OTHER_LABEL = "evals"
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


_FIRST = 4
"""The number of models on the site's card."""


def list_first_models(site: SiteData) -> tuple[tuple[str, float], ...]:
    """Return the names and scores in percent of the models on the site's card."""
    leaderboard = site.leaderboards.get(site.front) if site.front else None
    ranked = leaderboard.select_models(DEFAULT) if leaderboard else []
    return tuple((entry.newest.name, 100 * entry.row.score.value) for entry in ranked[:_FIRST])


SIZE = (1200, 630)
_load_font = cache(ImageFont.load_default)
"""Loads Pillow's own font, so that a card looks the same on every machine."""
_SHADES = 85
"""The number of shades from the ground to an ink, both included, for smooth edges of letters."""
_INK, _MUTED, _ACCENT = (_SHADES * (number + 1) - 1 for number in range(3))
_RAIL = 3 * _SHADES
_COLOURS = {_INK: "1c1d1f", _MUTED: "5c5f63", _ACCENT: "3558b8"}
_GROUND_COLOUR, _RAIL_COLOUR = "fcfcfb", "e4e2dc"
_LEFT, _RIGHT = 80, 1120
_BAR_TOP, _BAR_BOTTOM = 380, 420
_MIDDLE, _END = 620, 990


@lru_cache(maxsize=1)
def make_site_card(title: str, tagline: str, first: tuple[tuple[str, float], ...]) -> bytes:
    """Return the site's card: its title, and the ``first`` models with names and percentages."""
    image, draw = _make_canvas()
    _write(draw, (_LEFT, 70), title, _INK, 64)
    _write(draw, (_LEFT, 160), _cut_to_fit(tagline, 80), _MUTED, 28)
    for row, (name, value) in enumerate(first):
        top = 250 + 80 * row
        _write(draw, (_LEFT, top), _cut_to_fit(make_visible(name)), _INK, 32)
        filled = _MIDDLE + (_END - _MIDDLE) * value / 100
        draw.rectangle((_MIDDLE, top + 4, _END, top + 36), _RAIL)
        draw.rectangle((_MIDDLE, top + 4, filled, top + 36), _ACCENT)
        _write(draw, (_END + 24, top), f"{round_half_up(value, 1)}%", _INK, 32)
    return _encode_png(image)


@lru_cache(maxsize=1 << 9)
def make_card(title: str, model: str, version: str, condition: str, score: Estimate) -> bytes:
    """Return the card of a model on the site called ``title``; cached for previews."""
    image, draw = _make_canvas()
    low, high = 100 * score.interval.low, 100 * score.interval.high
    _write(draw, (_LEFT, 70), title, _MUTED, 32)
    _write(draw, (_LEFT, 150), _cut_to_fit(make_visible(model)), _INK, 72)
    _write(draw, (_LEFT, 262), f"{round_half_up(100 * score.value, 1)}%", _ACCENT, 80)
    _write(draw, (420, 300), f"{round_half_up(low)} to {round_half_up(high)} at 95%", _MUTED, 36)
    value = 100 * score.value
    middle = (_BAR_TOP + _BAR_BOTTOM) / 2
    draw.rectangle((_LEFT, _BAR_TOP, _RIGHT, _BAR_BOTTOM), _RAIL)
    draw.rectangle((_LEFT, _BAR_TOP, _percent_to_x(value), _BAR_BOTTOM), _ACCENT)
    draw.line((_percent_to_x(low), middle, _percent_to_x(high), middle), _INK, 4)
    for end in (low, high):
        draw.line((_percent_to_x(end), _BAR_TOP + 8, _percent_to_x(end), _BAR_BOTTOM - 8), _INK, 4)
    counts = f"{score.passed:g} of {score.evals} evals, {version}"
    _write(draw, (_LEFT, 480), _cut_to_fit(counts, 60), _INK, 34)
    _write(draw, (_LEFT, 540), condition, _MUTED, 30)
    return _encode_png(image)


def _make_canvas() -> tuple[Image.Image, ImageDraw.ImageDraw]:
    # Drawn with a palette, because computing one for a finished picture takes ten times as long.
    image = Image.new("P", SIZE)
    # The palette: the shades from the ground to each ink, and the rail's colour.
    ground = bytes.fromhex(_GROUND_COLOUR)
    shades = [
        round(start + (end - start) * step / (_SHADES - 1))
        for colour in _COLOURS.values()
        for step in range(_SHADES)
        for start, end in zip(ground, bytes.fromhex(colour), strict=True)
    ]
    image.putpalette([*shades, *bytes.fromhex(_RAIL_COLOUR)])
    draw = ImageDraw.Draw(image)
    draw.fontmode = "L"
    return image, draw


def _encode_png(image: Image.Image) -> bytes:
    out = io.BytesIO()
    # A card is mostly runs of one colour; a search for runs only takes a third of the time.
    image.save(out, "PNG", compress_type=zlib.Z_RLE)
    return out.getvalue()


def _write(
    draw: ImageDraw.ImageDraw, corner: tuple[int, int], text: str, ink: int, size: int
) -> None:
    """Write a line; the edges of its letters use the shades between the ground and its ink."""
    font = _load_font(size)
    draw.rectangle(draw.textbbox(corner, text, font), ink - _SHADES + 1)
    draw.text(corner, text, ink, font)


def _percent_to_x(percent: float) -> float:
    return _LEFT + (_RIGHT - _LEFT) * percent / 100


def _cut_to_fit(text: str, longest: int = 28) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
