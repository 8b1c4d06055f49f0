"""The files of answers and references as JSON, which scripts of pages show side by side."""

from collections.abc import Iterator, Mapping
from typing import Final

from generator.facts.site_data import SiteData
from generator.facts.urls import build_reference_path
from generator.read.summaries import format_compact_json
from records.text.visible import make_visible

_LONGEST: Final = 200_000
"""Files with more characters are exported without their text."""
_MOST: Final = 4_000_000
"""The most characters of all files of a run, because an archive of a few megabytes can unpack to
thousands of megabytes."""


class RunAnswers:
    """The files of each answer of a run, by eval, sample and path."""

    def __init__(self) -> None:
        self._room = _MOST
        self._answers: dict[str, Mapping[str, str | None]] = {}

    def add(self, name: str, sample: int, files: Mapping[str, str]) -> None:
        """Add the files of an answer; the text of a file that is too long becomes null."""
        texts: dict[str, str | None] = {}
        for path, text in files.items():
            fits = len(text) <= min(_LONGEST, self._room)
            self._room -= len(text) if fits else 0
            texts[make_visible(path)] = make_visible(text) if fits else None
        self._answers[f"{name}/{sample}"] = texts

    def encode_answers(self) -> bytes:
        """Return the bytes of the JSON file."""
        return format_compact_json(self._answers).encode("utf-8", "replace")


def make_reference_files(site: SiteData) -> Iterator[tuple[str, bytes]]:
    """Yield a path and a JSON file for each eval, with the files of its reference answer."""
    for name, texts in site.texts.items():
        if texts.reference:
            files = {
                make_visible(path): make_visible(text) for path, text in texts.reference.items()
            }
            yield build_reference_path(name), format_compact_json(files).encode()
