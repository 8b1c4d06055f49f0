"""The assets of the site: style sheets, scripts, fonts and pictures, named by their content."""

import hashlib
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from generator.errors import GeneratorError
from generator.sources import list_files_below
from records.files.plain_files import find_symlink

_LOADED: Final = re.compile(rb"""(url\("|from "\./)([\w.-]+)("\)?)""")
"""A reference to a file beside the style sheet or script: ``url("a.woff2")``, ``from "./a.js"``."""


@dataclass(frozen=True, slots=True)
class Assets:
    """The files of the assets folder."""

    files: Mapping[str, bytes]
    """The bytes of each file, by path below the site's root."""
    paths: Mapping[str, str]
    """The path by the file's name in the folder: ``site.css`` -> ``assets/site.1a2b3c4d.css``."""


def read_assets(folder: Path, *, steady: bool = False) -> Assets:
    """Read every file below ``folder`` except hidden files.

    References from one file to another are replaced by the names on the site. With ``steady``,
    these names are without digests of the content.

    Raises:
        GeneratorError: there is a symbolic link below the folder; the message names it.
    """
    if (link := find_symlink(folder)) is not None:
        raise GeneratorError(f"{link}: is a symbolic link; put the file itself there")
    names = sorted(Path(path) for path, _ in list_files_below(str(folder)))
    sources = {path.relative_to(folder).as_posix(): path.read_bytes() for path in names}
    content: dict[str, bytes] = {}
    paths: dict[str, str] = {}

    def add(name: str) -> str:
        """Add a file after the files that it loads, and return its path."""
        if name not in paths:
            content[name] = _LOADED.sub(
                lambda match: _rename_reference(match, sources, add), sources[name]
            )
            paths[name] = f"assets/{name if steady else _name_by_content(name, content[name])}"
        return paths[name]

    for name in sources:
        add(name)
    return Assets({paths[name]: content[name] for name in sources}, paths)


def _rename_reference(
    match: re.Match[bytes], sources: Collection[str], add: Callable[[str], str]
) -> bytes:
    """Return a reference with the name that the loaded file has on the site."""
    before, name, after = match.groups()
    if name.decode() not in sources:
        return match[0]
    return before + Path(add(name.decode())).name.encode() + after


def _name_by_content(name: str, content: bytes) -> str:
    stem, dot, suffix = name.rpartition(".")
    return f"{stem}.{hashlib.sha256(content).hexdigest()[:10]}{dot}{suffix}"
