"""Markers in texts of sessions on which a consumer would act, and how they are broken.

They are broken in the text of a whole row, so that no field is forgotten: names and arguments of
tools, titles, notes and metadata too. A space of no width within the marker is all that changes.
"""

from typing import Final

_UNSEEN: Final = "\u200b"

DEEPEVAL: Final = ("[DEEPEVAL:",)
"""DeepEval opens the path behind it as a picture or a PDF."""


def broken(text: str, markers: tuple[str, ...]) -> str:
    """Return ``text`` with a space of no width before the last character of each marker."""
    for marker in markers:
        text = text.replace(marker, f"{marker[:-1]}{_UNSEEN}{marker[-1:]}")
    return text
