"""Sources of imports: a copy of each imported file stays, so that anybody can import it again."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from records.files.data_folder import DataFolder
from records.reader import read_bytes
from records.writer import write_atomically


@dataclass(frozen=True, slots=True)
class KeptSource:
    """A file of published results, as it was read."""

    path: Path
    """The path of its copy in ``data/imports/``."""
    data: bytes
    digest: str
    """SHA-256 of the bytes."""


def read_source(path: Path, importer: str, folder: DataFolder) -> KeptSource:
    """Read ``path``; its copy gets a name made of the importer and the digest.

    Raises:
        MissingRecordError: there is no such file.
        InvalidRecordError: it is not a plain file, or too large.
    """
    data = read_bytes(path)
    digest = hashlib.sha256(data).hexdigest()
    return KeptSource(folder.imports / f"{importer}-{digest[:12]}{path.suffix}", data, digest)


def keep(source: KeptSource) -> None:
    """Write the copy, once the source is known to be valid."""
    if not source.path.exists():
        write_atomically(source.path, source.data)
