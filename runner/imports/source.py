"""What is read by an importer is kept, so that anybody can import it again."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from records.folder import DataFolder
from records.reader import read_bytes
from records.writer import write_atomically


@dataclass(frozen=True, slots=True)
class Source:
    """A file of published results, as it was read."""

    path: Path
    """The copy in ``data/imports/``."""
    data: bytes
    digest: str
    """SHA-256 of the bytes."""


def kept_copy(path: Path, importer: str, folder: DataFolder) -> Source:
    """Read ``path`` and keep a copy under a name made of the importer and the digest.

    Raises:
        MissingRecordError: there is no such file.
        InvalidRecordError: it is not a plain file, or too large.
    """
    data = read_bytes(path)
    digest = hashlib.sha256(data).hexdigest()
    copy = folder.imports / f"{importer}-{digest[:12]}{path.suffix}"
    if path.resolve() != copy.resolve():
        write_atomically(copy, data)
    return Source(copy, data, digest)
