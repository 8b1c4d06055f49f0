"""Reads the text of the method page."""

from pathlib import Path

from generator.errors import GeneratorError


def method_text(method: Path) -> str:
    """Return the markdown of the method page; a sentence where the file is missing.

    Raises:
        GeneratorError: the file is no text.
    """
    try:
        return method.read_text(encoding="utf-8") if method.exists() else _NOTHING
    except UnicodeDecodeError as error:
        raise GeneratorError(f"{method}: {error}") from error


_NOTHING = "The method is not written down yet: `docs/method.md` is missing.\n"
