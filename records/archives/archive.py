"""Archives of attempts: one zip file for each run with messages, replies, files and logs.

``<category>/<eval>/<sample>/`` has ``messages.json`` (the messages to the model), ``reply.txt``
(the raw reply), ``files/<path>`` (the files of the reply) and ``logs/<step>.txt``. The same
attempts give the same members in the same order with the same times. But bytes of an archive depend
on the version of zlib, so digests are made of the members.

An archive may come from a stranger, so the reader trusts neither its sizes nor its names.
"""

import os
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import Annotated, Self

from pydantic import FailFast, TypeAdapter, ValidationError

from records.errors import InvalidRecordError, MissingRecordError
from records.files.json_limits import find_large_object
from records.files.plain_files import open_plain
from records.files.problems import describe_first_problem
from records.shapes import base
from records.shapes.attempt import Attempt
from records.suites.benchmark import compute_texts_digest
from records.writer import open_atomic_file

MOST_MEMBERS = 5_000
"""Members of one attempt."""
MOST_BYTES = 128 * 1024 * 1024
"""Unpacked size of one attempt."""

_HEAD = struct.Struct("<4s22xHH")
"""The header of a member: its signature, and the lengths of its name and of the extra field."""
_HEAD_BYTES = _HEAD.size
_UTF8 = 0x800
_SIGNATURE = b"PK\x03\x04"
_ENCRYPTED = 0x1
_EPOCH = (1980, 1, 1, 0, 0, 0)
_UNIX = 3
_PLAIN_FILE = 0o100644 << 16
_MEMBER = re.compile(
    r"(?P<eval>[0-9]{3}-[a-z0-9_]{1,60}/[0-9]{3}-[a-z0-9_]{1,60})/(?P<sample>[1-9][0-9]{0,5})/"
    r"(?P<inner>messages\.json|reply\.txt|files/.+|logs/[a-z]{1,20}\.txt)",
    re.DOTALL,
)
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    OverflowError,
    RuntimeError,
)
"""The errors on archives that are damaged, encrypted or packed in unknown ways."""


class Message(base.Record):
    """A message to a model."""

    role: str
    """system or user."""
    content: base.OutsideText
    """The text."""


class AttemptArtifact(base.Record):
    """The files of one attempt in an archive."""

    eval: base.EvalName
    """The eval."""
    sample: base.Positive
    """Number of the sample of the eval."""
    messages: tuple[Message, ...]
    """The messages to the model; empty for baselines."""
    reply: base.OutsideText | None
    """The raw reply; null if none came."""
    files: Mapping[str, base.OutsideText]
    """The files of the reply, by path."""
    logs: Mapping[str, base.OutsideText]
    """Output of the steps that ran, by step name."""

    def build_members(self) -> dict[str, str]:
        """Return the texts of the archive members below the attempt's folder, sorted by name."""
        members = {"messages.json": f"{_MESSAGES.dump_json(self.messages, indent=1).decode()}\n"}
        if self.reply is not None:
            members["reply.txt"] = self.reply
        members |= {f"files/{path}": text for path, text in self.files.items()}
        members |= {f"logs/{step}.txt": text for step, text in self.logs.items()}
        return dict(sorted(members.items()))


_MESSAGES = TypeAdapter(Annotated[tuple[Message, ...], FailFast()])


def compute_artifact_digest(artifact: AttemptArtifact) -> str:
    """Return the SHA-256 over the names and contents of an attempt's members."""
    return compute_texts_digest(*chain.from_iterable(artifact.build_members().items()))


def compute_answer_digest(files: Mapping[str, str]) -> str:
    """Return the SHA-256 of an answer's files by path, as in a grading key."""
    return base.compute_list_digest(*chain.from_iterable(sorted(files.items())))


def compute_prompt_digest(messages: Iterable[Message]) -> str:
    """Return the SHA-256 of the messages to a model."""
    return base.compute_list_digest(
        *(part for message in messages for part in (message.role, message.content))
    )


def write_archive(path: Path, artifacts: Iterable[AttemptArtifact]) -> None:
    """Write the archive of a run atomically, with one attempt in memory at a time.

    Raises:
        ValueError: ``artifacts`` are not sorted by eval and sample, or the path of a file could
            leave the attempt's folder.
    """
    last: tuple[str, int] | None = None
    with (
        open_atomic_file(path) as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive,
    ):
        for artifact in artifacts:
            attempt = (artifact.eval, artifact.sample)
            if last is not None and attempt <= last:
                raise ValueError(f"{attempt} comes after {last}: artifacts must be sorted")
            last = attempt
            for inner, text in artifact.build_members().items():
                name = f"{artifact.eval}/{artifact.sample}/{inner}"
                if _MEMBER.fullmatch(name) is None or not is_inside(inner):
                    raise ValueError(f"{inner!r} cannot be kept in an archive")
                info = zipfile.ZipInfo(name, _EPOCH)
                info.create_system = _UNIX
                info.external_attr = _PLAIN_FILE
                info.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(info, text)


class Archive:
    """An open archive; a context manager."""

    def __init__(self, path: Path) -> None:
        """Open the archive at ``path`` and check its table of contents.

        Raises:
            MissingRecordError: there is no such file.
            InvalidRecordError: the file is not an archive of attempts.
        """
        self._path = path
        self._members: dict[tuple[str, int], dict[str, zipfile.ZipInfo]] = {}
        with ExitStack() as closing_on_errors:
            self._file = closing_on_errors.enter_context(open_plain(path))
            try:
                self._zip = zipfile.ZipFile(self._file)
            except (*_BROKEN, OSError, ValueError) as error:
                raise InvalidRecordError(path, "", f"not a zip archive: {error}") from error
            for info in self._zip.infolist():
                match = _MEMBER.fullmatch(info.filename)
                if match is None or not is_inside(match["inner"]):
                    raise InvalidRecordError(path, repr(info.filename), "has no place here")
                members = self._members.setdefault((match["eval"], int(match["sample"])), {})
                if match["inner"] in members:
                    raise InvalidRecordError(path, info.filename, "is there twice")
                members[match["inner"]] = info
            closing_on_errors.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()
        self._file.close()

    def list_places(self) -> list[tuple[str, int]]:
        """Return eval and sample of each attempt in the archive, sorted."""
        return sorted(self._members)

    def read(self, evaluation: str, sample: int) -> AttemptArtifact:
        """Return the files of one attempt.

        Raises:
            MissingRecordError: the attempt is not in the archive.
            InvalidRecordError: the attempt is damaged or too large.
        """
        attempt = f"{evaluation}/{sample}"
        if (evaluation, sample) not in self._members:
            raise MissingRecordError(f"{self._path}: holds nothing of {attempt}")
        members = self._members[evaluation, sample]
        if len(members) > MOST_MEMBERS:
            reason = f"has more than {MOST_MEMBERS} members"
            raise InvalidRecordError(self._path, attempt, reason)
        if sum(info.file_size for info in members.values()) > MOST_BYTES:
            reason = f"unpacks to more than {MOST_BYTES} bytes"
            raise InvalidRecordError(self._path, attempt, reason)
        texts = {inner: self._read_text(info) for inner, info in members.items()}
        if reason := find_large_object(texts.get("messages.json", "").encode()):
            raise InvalidRecordError(self._path, f"{attempt}/messages.json", reason)
        try:
            return AttemptArtifact(
                eval=evaluation,
                sample=sample,
                messages=_MESSAGES.validate_json(texts.get("messages.json", "[]"), strict=True),
                reply=texts.get("reply.txt"),
                files=_select_below("files/", "", texts),
                logs=_select_below("logs/", ".txt", texts),
            )
        except ValidationError as error:
            raise InvalidRecordError(self._path, attempt, describe_first_problem(error)) from error

    def _read_text(self, info: zipfile.ZipInfo) -> str:
        """Return the text of a member, of which at most one byte more than announced is read."""
        try:
            data = self._unpack_member(info)
            if len(data) != info.file_size:
                raise InvalidRecordError(self._path, info.filename, "is not of its announced size")
            if zlib.crc32(data) != info.CRC:
                raise InvalidRecordError(self._path, info.filename, "damaged: another checksum")
            return data.decode()
        except (*_BROKEN, OSError, ValueError) as error:
            raise InvalidRecordError(self._path, info.filename, f"damaged: {error}") from error

    def _unpack_member(self, info: zipfile.ZipInfo) -> bytes:
        """Return the bytes of a member, at most one more than announced.

        Members as `write_archive` makes them (deflated, not encrypted) are read without the objects
        of zipfile, which takes a tenth of the time.
        """
        if info.compress_type != zipfile.ZIP_DEFLATED or info.flag_bits & _ENCRYPTED:
            with self._zip.open(info) as member:
                return member.read(info.file_size + 1)
        raw_name = info.orig_filename.encode("utf-8" if info.flag_bits & _UTF8 else "cp437")
        length = _HEAD_BYTES + len(raw_name)
        head = os.pread(self._file.fileno(), length, info.header_offset)
        signature, name, extra = _HEAD.unpack(head[:_HEAD_BYTES])
        if signature != _SIGNATURE:
            raise zipfile.BadZipFile("a member does not begin where the table of contents has it")
        if name != len(raw_name) or head[_HEAD_BYTES:] != raw_name:
            raise zipfile.BadZipFile("a member has another name in its head")
        start = info.header_offset + _HEAD_BYTES + name + extra
        packed = os.pread(self._file.fileno(), min(info.compress_size, 2 * MOST_BYTES), start)
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, info.file_size + 1)


def is_inside(path: str) -> bool:
    """Return whether a relative path with forward slashes stays below its starting folder."""
    return not ("\0" in path or "\\" in path or {"", ".", ".."} & {*path.split("/")})


def _select_below(folder: str, suffix: str, texts: Mapping[str, str]) -> dict[str, str]:
    return {
        name.removeprefix(folder).removesuffix(suffix): text
        for name, text in texts.items()
        if name.startswith(folder)
    }


def find_contradiction(attempt: Attempt, artifact: AttemptArtifact) -> str | None:
    """Return how the archive ``artifact`` contradicts the record of ``attempt``; else None.

    The text is the middle of a sentence: the archive before it, the record's file after it.
    """
    if compute_artifact_digest(artifact) != attempt.artifact:
        return "is not what"
    generation, key = attempt.generation, attempt.key
    reply = None if artifact.reply is None else base.compute_text_digest(artifact.reply)
    if generation is not None and reply not in {None, generation.reply_digest}:
        return "holds another reply than generation.reply_digest of"
    if key is not None and compute_answer_digest(artifact.files) != key.answer:
        return "holds other files than the key.answer that"
    origin = attempt.carried_over
    if origin is not None and compute_prompt_digest(artifact.messages) != origin.prompt:
        return "holds other messages than the carried_over.prompt that"
    return None


class OpenArchives:
    """Archives that are opened once, at their first attempt; a context manager that closes them."""

    def __init__(self) -> None:
        """Open nothing yet."""
        self._stack = ExitStack()
        self._archives: dict[Path, Archive] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def read(self, path: Path, evaluation: str, sample: int) -> AttemptArtifact:
        """Return the files of one attempt in the archive at ``path``.

        Raises:
            MissingRecordError: there is no such archive, or the attempt is not in it.
            InvalidRecordError: the archive is damaged or hostile.
        """
        if path not in self._archives:
            self._archives[path] = self._stack.enter_context(Archive(path))
        return self._archives[path].read(evaluation, sample)
