"""ZIP files of other programs: opened and unpacked within limits, Zstandard included.

New logs of Inspect are packed with Zstandard, which Python's own zipfile reads from 3.14 on.
"""

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from records.errors import InvalidRecordError

if TYPE_CHECKING:
    from zipfile import ZipFile

ZIP: Final = b"PK\x03\x04"
"""The first bytes of a ZIP file."""
MOST_MEMBERS: Final = 200_000
"""Files in a ZIP file."""
_ZSTANDARD: Final = 93
"""The number of Zstandard among the compression methods of ZIP (APPNOTE.TXT, 4.4.5)."""
_MISSING: Final = "backports.zstd is not installed: pip install 'convex-leaderboard[datasets]'"


def open_packed(path: Path, data: bytes) -> "ZipFile":
    """Open the ZIP file whose bytes are ``data``; ``path`` is only for messages.

    Raises:
        InvalidRecordError: it is no whole ZIP file, or holds too many files.
    """
    if sys.version_info >= (3, 14):
        import zipfile  # noqa: PLC0415 - beside its other half
    else:
        try:
            from backports.zstd import zipfile  # noqa: PLC0415 - only some have it
        except ImportError:
            import zipfile  # noqa: PLC0415 - files packed with deflate need no more
    try:
        archive = cast("ZipFile", zipfile.ZipFile(io.BytesIO(data)))
    except zipfile.BadZipFile as error:
        raise InvalidRecordError(path, "", f"is no whole ZIP file: {error}") from error
    except (NotImplementedError, ValueError) as error:
        # A later version of ZIP is not implemented; names that are not UTF-8 are a ValueError.
        reason = f"is a ZIP file that cannot be opened: {error}"
        raise InvalidRecordError(path, "", reason) from error
    if len(archive.infolist()) > MOST_MEMBERS:
        raise InvalidRecordError(path, "", f"holds more than {MOST_MEMBERS} files")
    return archive


def unpack(archive: "ZipFile", path: Path, name: str, longest: int) -> bytes:
    """Return the bytes of one file of an archive.

    Raises:
        InvalidRecordError: it cannot be unpacked, or has more than ``longest`` bytes.
    """
    try:
        with archive.open(name) as file:
            data = file.read(longest + 1)
    except Exception as error:
        # Errors of a decompressor have no class in common.
        raise InvalidRecordError(path, name, _explain_unpack_error(archive, name, error)) from error
    if len(data) > longest:
        raise InvalidRecordError(path, name, f"is longer than {longest} bytes")
    return data


def _explain_unpack_error(archive: "ZipFile", name: str, error: Exception) -> str:
    if not isinstance(error, NotImplementedError):
        return f"cannot be unpacked: {error}"
    method = archive.getinfo(name).compress_type
    if method == _ZSTANDARD and sys.version_info < (3, 14):
        return _MISSING
    return f"cannot be unpacked, it is packed by method {method}: {error}"
