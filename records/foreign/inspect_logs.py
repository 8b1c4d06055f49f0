"""Logs of Inspect: the parts of their ZIP files (`.eval`), texts that are kept apart, and tokens.

`header.json` describes the run, `samples/<id>_epoch_<n>.json` are its samples. A log that was never
finished has `_journal/start.json` instead of the header. ZIP files are unpacked within limits. New
logs are packed with Zstandard, which Python's own zipfile reads from 3.14 on.
"""

import io
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from records.errors import InvalidRecordError
from records.shapes.attempt import NO_TOKENS, Tokens

if TYPE_CHECKING:
    from zipfile import ZipFile

HEADER = "header.json"
START = "_journal/start.json"
LARGEST_SAMPLE = 64 * 1024 * 1024
"""Bytes of one unpacked sample, and characters of its attachments where it names them; a larger one
is refused."""
_ATTACHMENT = "attachment://"
ZIP = b"PK\x03\x04"
"""The first bytes of a ZIP file."""
MOST_MEMBERS = 200_000
"""Files in a ZIP file."""
_ZSTANDARD = 93
"""The number of Zstandard among the compression methods of ZIP (APPNOTE.TXT, 4.4.5)."""
_MISSING = "backports.zstd is not installed: pip install 'convex-leaderboard[datasets]'"


def is_packed_log(data: bytes) -> bool:
    """Return whether bytes are a ZIP file that names the description of a log."""
    return data.startswith(ZIP) and (HEADER.encode() in data or START.encode() in data)


class PackedLog(NamedTuple):
    """A log in a ZIP file, whose files are unpacked one at a time."""

    path: Path
    """The path of the log, for messages."""
    archive: "ZipFile"

    @property
    def head(self) -> str:
        """The name of the file that describes the run: the header if the log has one."""
        return HEADER if HEADER in self.archive.namelist() else START

    @property
    def samples(self) -> list[str]:
        """The names of the files of samples, each once, in the order of the archive."""
        names = self.archive.namelist()
        samples = (name for name in names if name.startswith("samples/") and name.endswith(".json"))
        return list(dict.fromkeys(samples))

    def unpack(self, name: str, longest: int = LARGEST_SAMPLE) -> bytes:
        """Return the bytes of one file.

        Raises:
            InvalidRecordError: it cannot be unpacked, or has more than ``longest`` bytes.
        """
        try:
            with self.archive.open(name) as file:
                data = file.read(longest + 1)
        except Exception as error:
            # Errors of a decompressor have no class in common.
            reason = f"cannot be unpacked: {error}"
            if isinstance(error, NotImplementedError):
                method = self.archive.getinfo(name).compress_type
                lacks_package = method == _ZSTANDARD and sys.version_info < (3, 14)
                packed = f"cannot be unpacked, it is packed by method {method}: {error}"
                reason = _MISSING if lacks_package else packed
            raise InvalidRecordError(self.path, name, reason) from error
        if len(data) > longest:
            raise InvalidRecordError(self.path, name, f"is longer than {longest} bytes")
        return data


@dataclass(slots=True)
class Attachments:
    """The long texts that a sample keeps apart; short texts stand for them."""

    texts: Mapping[str, Any]
    """The texts by their names."""
    refuse: Callable[[str], Exception]
    """Makes the error that is raised for a sample that cannot be read whole."""
    left: int = LARGEST_SAMPLE
    """Characters that may still be filled in: many short texts may stand for one of megabytes."""

    def find(self, text: str) -> str | None:
        """Return the text itself, or the long one that it stands for; None if that is missing."""
        if not text.startswith(_ATTACHMENT):
            return text
        whole = self.texts.get(text.removeprefix(_ATTACHMENT))
        return whole if isinstance(whole, str) else None

    def fill(self, value: object) -> object:
        """Return a JSON value with the long texts in their places."""
        if isinstance(value, str):
            whole = self.find(value)
            if whole is None:
                raise self.refuse(f"{value[:80]} is not among its attachments")
            if whole is not value:
                self.left -= len(whole)
            if self.left < 0:
                raise self.refuse(f"its attachments fill more than {LARGEST_SAMPLE} characters")
            return whole
        if isinstance(value, list):
            return [self.fill(item) for item in cast("list[object]", value)]
        if isinstance(value, dict):
            fields = cast("dict[str, object]", value)
            return {name: self.fill(each) for name, each in fields.items()}
        return value


def read_inspect_usage(count_at: Callable[[str], int | None]) -> Tokens:
    """Return the known counts of a model's usage; ``count_at`` returns the count of a field.

    Inspect writes 0 for the counts that a provider did not report. All input is the total without
    the output. No request has an empty input, so a total that is not above the output says nothing
    of the input.
    """
    total, output = count_at("total_tokens"), count_at("output_tokens")
    cached, reasoning = count_at("input_tokens_cache_read"), count_at("reasoning_tokens")
    if not any((total, output, cached, reasoning)):
        return NO_TOKENS
    return Tokens(
        input=None if total is None or output is None or total <= output else total - output,
        cached_input=cached,
        output=output if total or output else None,
        reasoning=reasoning,
    )


def open_packed(path: Path, data: bytes) -> PackedLog:
    """Open the log in the ZIP file whose bytes are ``data``.

    Raises:
        InvalidRecordError: it is no whole ZIP file, holds too many files, or is no log.
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
    if not {HEADER, START} & set(archive.namelist()):
        reason = f"has neither {HEADER} nor {START}: it is no log of Inspect"
        raise InvalidRecordError(path, "", reason)
    return PackedLog(path, archive)
