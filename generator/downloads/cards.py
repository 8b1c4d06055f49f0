"""A picture per model for link previews: its name, score and interval (1200 x 630 PNG)."""

import io
from collections.abc import Iterator
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from generator.pages.boards import Board, Standing
from generator.pages.material import Material
from generator.pages.names import DEFAULT, model_path
from generator.render import visible

SIZE: Final = (1200, 630)
_GROUND, _INK, _MUTED, _ACCENT, _RAIL = "#fcfcfb", "#1c1d1f", "#5c5f63", "#3558b8", "#e4e2dc"
_LEFT, _RIGHT = 80, 1120
_BAR_TOP, _BAR_BOTTOM = 380, 420


def cards(material: Material) -> Iterator[tuple[str, bytes]]:
    """Yield a card for each model that ran with guidelines, from the newest version it is in."""
    seen: set[str] = set()
    for board in material.boards.values():
        for standing in board.standings:
            newest = standing.newest
            if newest.experiment == DEFAULT and newest.slug not in seen:
                seen.add(newest.slug)
                yield card_path(newest.slug), _card(material, board, standing)


def card_path(slug: str) -> str:
    """Return where a model's card stands."""
    return f"cards/{model_path(slug).removeprefix('models/').rstrip('/')}.png"


def _card(material: Material, board: Board, standing: Standing) -> bytes:
    image = Image.new("RGB", SIZE, _GROUND)
    draw = ImageDraw.Draw(image)
    score = standing.row.score
    low, high = 100 * score.interval.low, 100 * score.interval.high
    draw.text((_LEFT, 70), material.settings.title, _MUTED, _font(32))
    draw.text((_LEFT, 150), _fitting(visible(standing.newest.name)), _INK, _font(72))
    draw.text((_LEFT, 262), f"{100 * score.value:.1f}%", _ACCENT, _font(80))
    draw.text((420, 300), f"{low:.0f} to {high:.0f} at 95%", _MUTED, _font(36))
    _bar(draw, 100 * score.value, low, high)
    told = f"{score.passed:g} of {score.evals} evals, {material.version_title(board.version)}"
    draw.text((_LEFT, 480), _fitting(told, 60), _INK, _font(34))
    draw.text((_LEFT, 540), "with guidelines", _MUTED, _font(30))
    out = io.BytesIO()
    image.quantize(64).save(out, "PNG", optimize=True)
    return out.getvalue()


def _bar(draw: ImageDraw.ImageDraw, value: float, low: float, high: float) -> None:
    middle = (_BAR_TOP + _BAR_BOTTOM) / 2
    draw.rectangle((_LEFT, _BAR_TOP, _RIGHT, _BAR_BOTTOM), _RAIL)
    draw.rectangle((_LEFT, _BAR_TOP, _at(value), _BAR_BOTTOM), _ACCENT)
    draw.line((_at(low), middle, _at(high), middle), _INK, 4)
    for end in (low, high):
        draw.line((_at(end), _BAR_TOP + 8, _at(end), _BAR_BOTTOM - 8), _INK, 4)


def _at(percent: float) -> float:
    return _LEFT + (_RIGHT - _LEFT) * percent / 100


def _fitting(text: str, longest: int = 28) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Return Pillow's own font, so that a card looks the same on every machine."""
    return ImageFont.load_default(size)
