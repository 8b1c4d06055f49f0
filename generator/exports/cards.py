"""Pictures of scores: cards for link previews (PNG, 1200 x 630), and badges (SVG)."""

import io
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from html import escape
from math import ceil, floor
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont

from generator.blocks.first_screen import build_headline, find_leaders
from generator.read.site_settings import SiteSettings
from generator.read.summaries import RunSummary
from generator.render.score_map import choose_floor
from generator.render.template_filters import format_points, format_whole_percent
from generator.render.templates import SITE_CARD
from generator.scores.differences.difference import Difference
from generator.scores.leaderboards import Entry, Leaderboard
from generator.scores.score_estimate import Estimate
from generator.site_data import SiteData
from records.files.data_folder import encode_slug
from records.suites.experiments import DEFAULT
from records.text.numbers import format_count, round_half_up
from records.text.visible import make_visible

_CHARACTER = 6.6
"""The mean width of a character of 11 px Verdana, in pixels."""
_PADDING = 6.0


def build_badge_path(slug: str) -> str:
    """Return the path of a model's badge below the site's root."""
    return f"badges/{encode_slug(slug)}.svg"


def choose_badge_label(settings: SiteSettings, run: RunSummary) -> str:
    """Return the name of the evals of a run; those of other tools are not of the site's subject."""
    return "evals" if run.of_other_tool else settings.evals_named


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


_FIRST = 5
"""The most models on a card about a board."""


class CardLine(NamedTuple):
    """A model on a card, with a figure and its 95% interval on the card's axis."""

    name: str
    low: float
    value: float
    high: float
    figure: str
    filled: bool
    """Whether its dot is filled: a leader, or a difference that is more than chance."""


class BoardCard(NamedTuple):
    """The texts and models of a card about a board."""

    title: str
    headline: str
    note: str
    lines: tuple[CardLine, ...]
    start: int
    """The first value of the axis; its last is ``end``."""
    end: int


def describe_site_card(site: SiteData) -> BoardCard:
    """Return what the site's card shows: who leads, the first models, evals and the last day."""
    leaderboard = site.front_board
    ranked = leaderboard.select_models(DEFAULT) if leaderboard else []
    if leaderboard is None or not ranked:
        return BoardCard(site.settings.title, site.settings.tagline, "", (), 0, 100)
    leaders = {entry.newest.slug for entry in find_leaders(ranked)}
    scores = [entry.row.score for entry in ranked[:_FIRST]]
    lines = tuple(
        CardLine(
            entry.newest.name,
            100 * score.interval.low,
            100 * score.value,
            100 * score.interval.high,
            f"{round_half_up(100 * score.value, 1)}%",
            entry.newest.slug in leaders,
        )
        for entry, score in zip(ranked, scores, strict=False)
    )
    days = [run.date for entry in ranked for run in entry.runs if not run.head.day_of_import]
    evals = format_count(len(leaderboard.scored.evals), "eval")
    counts = [format_count(len(ranked), "model"), evals, *([f"{max(days)}"] if days else [])]
    headline = build_headline(site, leaderboard, ranked, without=False)
    start = choose_floor(score.interval for score in scores)
    return BoardCard(site.settings.title, headline.text, ", ".join(counts), lines, start, 100)


def describe_comparison_card(site: SiteData) -> BoardCard | None:
    """Return how far the first model of the front page is ahead of the next; None without two."""
    leaderboard = site.front_board
    models = leaderboard.select_models(DEFAULT) if leaderboard else []
    if leaderboard is None or len(models) < 2:  # noqa: PLR2004 - a pair
        return None
    best, *rivals = models
    headline = f"How far {best.newest.name} is ahead of the next, in points"
    differences = [
        (other.newest.name, leaderboard.compare_pair(best, other)) for other in rivals[:_FIRST]
    ]
    return _describe_differences(site, leaderboard, headline, differences)


def describe_guidelines_card(site: SiteData) -> BoardCard | None:
    """Return the effect of the guidelines on the first models; None if none is known."""
    leaderboard = site.front_board
    if leaderboard is None or leaderboard.overall is None:
        return None
    models = [
        (entry.newest.name, effect.difference)
        for entry in leaderboard.select_models(DEFAULT)
        if (effect := leaderboard.find_effect(entry)) is not None
    ]
    if not models:
        return None
    whole = leaderboard.overall.whole
    mean = " in the mean" if len(models) > 1 else ""
    chance = "" if whole.real else ", which may be chance"
    headline = f"With the guidelines: {format_points(whole.points)} points{mean}{chance}"
    return _describe_differences(site, leaderboard, headline, models[:_FIRST])


def _describe_differences(
    site: SiteData,
    leaderboard: Leaderboard,
    headline: str,
    differences: Sequence[tuple[str, Difference]],
) -> BoardCard:
    """Return a card of differences in percentage points, on an axis with 0."""
    lines = tuple(
        CardLine(name, each.low, each.points, each.high, format_points(each.points), each.real)
        for name, each in differences
    )
    start = 10 * floor(min([0, *(line.low for line in lines)]) / 10)
    end = max(start + 10, 10 * ceil(max(line.high for line in lines) / 10))
    evals = format_count(len(leaderboard.scored.evals), "eval")
    note = f"{evals}, filled: more than chance"
    return BoardCard(site.settings.title, headline, note, lines, start, end)


BOARD_CARDS: Mapping[str, Callable[[SiteData], BoardCard | None]] = {
    SITE_CARD: describe_site_card,
    "cards/compare.png": describe_comparison_card,
    "cards/guidelines.png": describe_guidelines_card,
}
"""The cards about the board of the front page by their paths; one without figures is not made."""


def choose_board_card(site: SiteData, leaderboard: Leaderboard, view: str) -> str:
    """Return the path of the card of a view of a board; that of the site if it has none."""
    path = f"cards/{view}.png"
    is_made = leaderboard.version == site.front and BOARD_CARDS[path](site) is not None
    return path if is_made else SITE_CARD


SIZE = (1200, 630)
_load_font = cache(ImageFont.load_default)
"""Loads Pillow's own font, so that a card looks the same on every machine."""
_SHADES = 85
"""The number of shades from the ground to an ink, both included, for smooth edges of letters."""
_INK, _MUTED, _ACCENT = (_SHADES * (number + 1) - 1 for number in range(3))
_RAIL = 3 * _SHADES
_COLOURS = {_INK: "1c1d1f", _MUTED: "5c5f63", _ACCENT: "3558b8"}
_LEFT, _RIGHT = 80, 1120
_BAR_TOP, _BAR_BOTTOM = 380, 420
_MIDDLE, _END = 620, 990


@lru_cache(maxsize=4)
def make_board_card(card: BoardCard) -> bytes:
    """Return a card about a board: its title, the headline, and models with whiskers."""
    image, draw = _make_canvas()
    _write(draw, (_LEFT, 50), card.title, _MUTED, 28)
    _write(draw, (_LEFT, 94), _cut_to_fit(make_visible(card.headline), 80), _INK, 32)

    def place(value: float) -> int:
        return round(_MIDDLE + (_END - _MIDDLE) * (value - card.start) / (card.end - card.start))

    if card.start < 0 < card.end:
        draw.rectangle((place(0) - 1, 180, place(0), 540), _RAIL)
    for row, line in enumerate(card.lines):
        top = 180 + 72 * row
        middle, ink = top + 20, _ACCENT if line.filled else _MUTED
        _write(draw, (_LEFT, top), _cut_to_fit(make_visible(line.name)), _INK, 32)
        draw.rectangle((_MIDDLE, middle - 1, _END, middle), _RAIL)
        low, x, high = map(place, (line.low, line.value, line.high))
        draw.rectangle((low, middle - 2, high, middle + 1), ink)
        for end in (low, high):
            draw.rectangle((end - 2, middle - 10, end + 1, middle + 9), ink)
        draw.ellipse((x - 11, middle - 11, x + 11, middle + 11), ink)
        if not line.filled:
            draw.ellipse((x - 7, middle - 7, x + 7, middle + 7), _INK - _SHADES + 1)
        _write(draw, (_END + 24, top), line.figure, _INK, 32)
    if card.lines:
        first = max(card.start, 0)
        _write(draw, (place(first) - 6 * (card.start < 0), 548), f"{first}", _MUTED, 24)
        _write(draw, (_END - 20, 548), f"{card.end}", _MUTED, 24)
    _write(draw, (_LEFT, 560), _cut_to_fit(card.note, 60), _MUTED, 26)
    return _encode_png(image)


@cache
def make_icon() -> bytes:
    """Return the mark for home screens of phones as PNG: three bars, as in `mark.svg`."""
    image = Image.new("P", (180, 180))
    image.putpalette(bytes.fromhex("ffffff" + _COLOURS[_ACCENT]))
    draw = ImageDraw.Draw(image)
    for x, top in ((34, 108), (77, 70), (120, 32)):
        draw.rectangle((x, top, x + 26, 146), 1)
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
    ground = bytes.fromhex("fcfcfb")
    shades = [
        round(start + (end - start) * step / (_SHADES - 1))
        for colour in _COLOURS.values()
        for step in range(_SHADES)
        for start, end in zip(ground, bytes.fromhex(colour), strict=True)
    ]
    image.putpalette([*shades, *bytes.fromhex("e4e2dc")])
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
