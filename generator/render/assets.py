"""Style sheet, script and pictures: read, and named by their content."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from generator.errors import GeneratorError
from generator.sources import files_below
from records.files.symlinks import link_below


@dataclass(frozen=True, slots=True)
class Assets:
    """The files of the assets folder."""

    files: Mapping[str, bytes]
    """By path below the site's root."""
    paths: Mapping[str, str]
    """That path by the file's name in the folder: ``site.css`` -> ``assets/site.1a2b3c4d.css``."""


def read_assets(folder: Path, *, steady: bool = False) -> Assets:
    """Read every file below ``folder`` but hidden files of editors.

    ``steady`` leaves digests of the content out of their names.

    Raises:
        GeneratorError: there is a symbolic link among them; the message names it.
    """
    if (link := link_below(folder)) is not None:
        raise GeneratorError(f"{link}: is a symbolic link; put the file itself there")
    names = sorted(Path(path) for path, _ in files_below(str(folder)))
    data = {path.relative_to(folder).as_posix(): path.read_bytes() for path in names}
    by_path = {
        name: f"assets/{name if steady else _named(name, content)}"
        for name, content in data.items()
    }
    for name in [name for name in data if name.endswith(".css")]:
        data[name] = _linked(data[name], by_path)
    paths = {
        name: f"assets/{name if steady else _named(name, content)}"
        for name, content in data.items()
    }
    return Assets({paths[name]: content for name, content in data.items()}, paths)


def _linked(style: bytes, paths: Mapping[str, str]) -> bytes:
    """Name the files that a style sheet's ``url("...")`` mean as the site names them."""
    for name, path in paths.items():
        style = style.replace(f'url("{name}")'.encode(), f'url("{Path(path).name}")'.encode())
    return style


def _named(name: str, content: bytes) -> str:
    stem, dot, suffix = name.rpartition(".")
    return f"{stem}.{hashlib.sha256(content).hexdigest()[:10]}{dot}{suffix}"
