"""Scripts that measure a page in a browser."""

import tomllib
from functools import cache
from pathlib import Path


@cache
def read_measures() -> dict[str, str]:
    """Return the scripts of `measures.toml` by name."""
    return tomllib.loads(Path(__file__).with_name("measures.toml").read_text("utf-8"))
