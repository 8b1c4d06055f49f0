"""The pictures for link previews (PNG, 1200 x 630): one of the site, one for each model."""

import io
import zlib
from functools import cache, lru_cache
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from generator.render.template_filters import round_half_up
from generator.scores.score_estimate import Estimate
from records.text.visible import make_visible

SIZE: Final = (1200, 630)
_SHADES: Final = 85
"""The number of shades from the ground to an ink, both included, for smooth edges of letters."""
_INK, _MUTED, _ACCENT = (_SHADES * (number + 1) - 1 for number in range(3))
_RAIL: Final = 3 * _SHADES
_COLOURS: Final = {_INK: "1c1d1f", _MUTED: "5c5f63", _ACCENT: "3558b8"}
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
    _draw_bar(draw, 100 * score.value, low, high)
    counts = f"{score.passed:g} of {score.evals} evals, {version}"
    _write(draw, (_LEFT, 480), _cut_to_fit(counts, 60), _INK, 34)
    _write(draw, (_LEFT, 540), condition, _MUTED, 30)
    return _encode_png(image)


def _make_canvas() -> tuple[Image.Image, ImageDraw.ImageDraw]:
    # Drawn with a palette, because computing one for a finished picture takes ten times as long.
    image = Image.new("P", SIZE)
    image.putpalette(_build_palette())
    draw = ImageDraw.Draw(image)
    draw.fontmode = "L"
    return image, draw


def _encode_png(image: Image.Image) -> bytes:
    out = io.BytesIO()
    # A card is mostly runs of one colour; a search for runs only takes a third of the time.
    image.save(out, "PNG", compress_type=zlib.Z_RLE)
    return out.getvalue()


def _build_palette() -> list[int]:
    """Return the palette: the shades from the ground to each ink, and the rail's colour."""
    ground = bytes.fromhex(_GROUND_COLOUR)
    shades = [
        round(start + (end - start) * step / (_SHADES - 1))
        for colour in _COLOURS.values()
        for step in range(_SHADES)
        for start, end in zip(ground, bytes.fromhex(colour), strict=True)
    ]
    return [*shades, *bytes.fromhex(_RAIL_COLOUR)]


def _write(
    draw: ImageDraw.ImageDraw, corner: tuple[int, int], text: str, ink: int, size: int
) -> None:
    """Write a line; the edges of its letters use the shades between the ground and its ink."""
    font = _load_font(size)
    draw.rectangle(draw.textbbox(corner, text, font), ink - _SHADES + 1)
    draw.text(corner, text, ink, font)


def _draw_bar(draw: ImageDraw.ImageDraw, value: float, low: float, high: float) -> None:
    middle = (_BAR_TOP + _BAR_BOTTOM) / 2
    draw.rectangle((_LEFT, _BAR_TOP, _RIGHT, _BAR_BOTTOM), _RAIL)
    draw.rectangle((_LEFT, _BAR_TOP, _percent_to_x(value), _BAR_BOTTOM), _ACCENT)
    draw.line((_percent_to_x(low), middle, _percent_to_x(high), middle), _INK, 4)
    for end in (low, high):
        draw.line((_percent_to_x(end), _BAR_TOP + 8, _percent_to_x(end), _BAR_BOTTOM - 8), _INK, 4)


def _percent_to_x(percent: float) -> float:
    return _LEFT + (_RIGHT - _LEFT) * percent / 100


def _cut_to_fit(text: str, longest: int = 28) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


@cache
def _load_font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Return Pillow's own font, so that a card looks the same on every machine."""
    return ImageFont.load_default(size)
