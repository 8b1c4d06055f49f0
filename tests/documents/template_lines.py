"""Checks that no line of a template is too long to be read in a difference."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.documents.fault import Fault

LONGEST: Final = 160
"""Characters of a line."""


def find_template_faults(file: Path, text: str) -> Iterator[Fault]:
    """Yield the lines of the template ``file`` that are too long."""
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > LONGEST:
            yield Fault(file, number, f"{len(line)} characters in a line; {LONGEST} are the most")
