"""Markers in texts of sessions on which a consumer would act, and the breaking of markers.

A marker gets a space of no width inside. This is done in the text of a whole row, so that it
reaches all fields: names and arguments of tools, titles, notes and metadata, too.
"""

from typing import Final

_UNSEEN: Final = "\u200b"

DEEPEVAL: Final = ("[DEEPEVAL:",)
"""DeepEval opens the path after this marker as a picture or a PDF."""


def break_markers(text: str, markers: tuple[str, ...]) -> str:
    """Return ``text`` with a space of no width before the last character of each marker."""
    for marker in markers:
        text = text.replace(marker, f"{marker[:-1]}{_UNSEEN}{marker[-1:]}")
    return text
