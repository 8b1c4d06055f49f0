"""The reader of the method page's text."""

from pathlib import Path

from generator.errors import GeneratorError


def read_method_text(method: Path) -> str:
    """Return the Markdown of the method page; if the file is missing, a sentence about that.

    Raises:
        GeneratorError: the file is not UTF-8.
    """
    if not method.exists():
        # The folder's own name only: the rest of the path is of the machine that builds.
        missing = f"{method.parent.name}/{method.name}"
        return f"The method is not written down yet: `{missing}` is missing.\n"
    try:
        return method.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise GeneratorError(f"{method}: {error}") from error
