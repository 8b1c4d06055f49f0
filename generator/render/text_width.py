"""The width of texts in the site's own face, for drawings that keep letters apart."""

_WIDTHS = (
    "22 24 34 58 58 74 65 18 31 31 56 58 22 27 22 30 58 58 58 58 58 58 58 58 58 58 22 22 58 58 58"
    " 50 85 64 63 70 71 59 57 71 73 26 54 61 57 87 72 74 60 73 62 58 61 68 62 95 63 58 59 31 30 29"
    " 58 50 30 53 61 53 61 55 29 61 59 24 23 52 25 85 59 59 61 61 33 46 31 59 51 78 48 51 46 30 25"
    " 30 58"
)
"""The widths of the letters from space to tilde in hundredths of an em."""
_LETTERS = {chr(32 + place): int(width) for place, width in enumerate(_WIDTHS.split())}
_OTHER = 100
"""The width of a letter of another face, which may be as wide as it is high."""
_BOLDER = 1.04
"""Bold letters are at most so much wider."""


def measure_text(text: str, size: float, *, bold: bool = False) -> float:
    """Return the width of a text at a font size."""
    width = size * sum(_LETTERS.get(letter, _OTHER) for letter in text) / 100
    return width * _BOLDER if bold else width
