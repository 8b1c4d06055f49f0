"""Relative paths of files that are called by models' slugs, in data folders and on the site.

A slug may hold a colon, end in a dot or be called as a device, which Windows and artifacts of
GitHub refuse in file names. Slugs have no tilde, so different slugs have different paths, also
where capitals do not count.
"""

import re
from typing import Final

_DEVICE: Final = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|\Z)")
"""The beginning of a name that means a device on Windows, whatever its ending is."""


def encode_slug(slug: str) -> str:
    """Return the path of a slug: two file names without a sign that Windows or GitHub refuse.

    A tilde stands for a colon. A name between tildes would end in a dot, or mean a device.
    """
    return "/".join(map(escape_name, slug.split("/")))


def escape_name(name: str) -> str:
    """Return the file name for a part of a slug, or for another name of the same letters."""
    escaped = name.replace(":", "~")
    is_refused = name.endswith(".") or _DEVICE.match(escaped) is not None
    return f"~{escaped}~" if is_refused else escaped


def decode_slug(path: str) -> str:
    """Return the slug of a path; that of a former path, which had the slug's own letters, too."""
    return "/".join(map(_read_name, path.split("/")))


def _read_name(file_name: str) -> str:
    is_between = len(file_name) > 1 and file_name.startswith("~") and file_name.endswith("~")
    return (file_name[1:-1] if is_between else file_name).replace("~", ":")
