"""Style sheet, script and pictures, named by their content so that browsers may keep them."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Assets:
    """The files of the assets folder."""

    files: Mapping[str, bytes]
    """By path below the site's root."""
    paths: Mapping[str, str]
    """That path by the file's name in the folder: ``site.css`` -> ``assets/site.1a2b3c4d.css``."""


def read_assets(folder: Path) -> Assets:
    """Read every file below ``folder`` but those that editors hide there."""
    names = sorted(visible_files(folder))
    data = {path.relative_to(folder).as_posix(): path.read_bytes() for path in names}
    paths = {name: f"assets/{_named(name, content)}" for name, content in data.items()}
    return Assets({paths[name]: content for name, content in data.items()}, paths)


def visible_files(folder: Path) -> Iterator[Path]:
    """Yield the files below ``folder`` of which no part of the name begins with a dot."""
    for path in folder.rglob("*"):
        if path.is_file() and not any(
            part.startswith(".") for part in path.relative_to(folder).parts
        ):
            yield path


def _named(name: str, content: bytes) -> str:
    stem, dot, suffix = name.rpartition(".")
    return f"{stem}.{hashlib.sha256(content).hexdigest()[:10]}{dot}{suffix}"
