"""Finds words of the glossary that are defined twice."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.documents.fault import Fault

GLOSSARY: Final = Path("docs/glossary.md")


def find_glossary_faults(file: Path, text: str) -> Iterator[Fault]:
    """Yield the second definition of each word of a glossary: two texts would differ in time."""
    lines: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        cells = line.split("|")
        if len(cells) < len(("", "word", "means", "")) or set(cells[1]) <= set("- "):
            continue
        for word in (part.strip() for part in cells[1].split(",")):
            if word == "word":
                continue
            first = lines.setdefault(word.lower(), number)
            if first != number:
                yield Fault(file, number, f"{word} is defined in line {first}, too: leave one out")
