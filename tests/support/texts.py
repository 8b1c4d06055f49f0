"""Long texts of a test module, in the TOML file beside it."""

import tomllib
from pathlib import Path


def read_texts(module_file: str) -> dict[str, str]:
    """Return the texts of a module by their names; ``module_file`` is its ``__file__``."""
    return tomllib.loads(Path(module_file).with_suffix(".toml").read_text("utf-8"))
