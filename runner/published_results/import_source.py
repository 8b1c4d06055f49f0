"""Sources of imports. A copy of each imported file is kept, so that anybody can import it again."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from records.files.data_folder import DataFolder
from records.reader import read_bytes
from records.writer import write_atomically


@dataclass(frozen=True, slots=True)
class KeptSource:
    """A file of published results, and the path of its copy."""

    path: Path
    """The path of its copy in ``data/imports/``."""
    data: bytes
    digest: str
    """SHA-256 of the bytes."""


def read_source(path: Path, importer: str, folder: DataFolder) -> KeptSource:
    """Read ``path``; return its bytes and the path for its copy. Writes nothing.

    The name of the copy consists of the importer's name and a part of the digest.

    Raises:
        MissingRecordError: there is no such file.
        InvalidRecordError: the path is not a plain file, or the file is too large.
    """
    data = read_bytes(path)
    digest = hashlib.sha256(data).hexdigest()
    return KeptSource(folder.imports / f"{importer}-{digest[:12]}{path.suffix}", data, digest)


def keep(source: KeptSource) -> None:
    """Write the copy of a source, unless it exists; called after the source was found valid."""
    if not source.path.exists():
        write_atomically(source.path, source.data)
