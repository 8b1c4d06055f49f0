"""Replies of models, read as files.

The format asked for is an h1 ``Files``, then for each file an h2 with its path and a fenced block
with its text. Models put prose around it and decorate it; whatever leaves no doubt is understood.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from runner.answers.fences import block_parser, fence_around
from runner.answers.paths import path_in_heading, place
from runner.answers.rules import admit
from runner.errors import UnusableReplyError

MAX_REPLY_CHARACTERS: Final = 2_000_000
"""Prose and reasoning included: four times what the files of an answer may hold."""
_WRAPPINGS: Final = 3
"""How deep a reply may be wrapped into fences of its own."""

_BLANKS: Final = " \t"
_HEADING_LEVELS: Final = 6
_MOST_NOTES: Final = 100
_FENCE_LINE: Final = re.compile(r"^ {0,3}(```|~~~)", re.MULTILINE)
_HALF_CHARACTER: Final = re.compile("[\ud800-\udfff]")
_THINKING: Final = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a reply holds."""

    files: dict[str, str]
    """Text by path, relative to the project; only files that are used."""
    notes: tuple[str, ...]
    """What was understood although it was not asked for that way, and what was left out."""


@dataclass(frozen=True, slots=True)
class _Heading:
    level: int
    text: str
    path: str | None

    @property
    def opens_files(self) -> bool:
        return self.text.strip(" *_`:").casefold() == "files"


@dataclass(frozen=True, slots=True)
class _Fence:
    text: str
    closed: bool


@dataclass(frozen=True, slots=True)
class _Prose:
    pass


_Block = _Heading | _Fence | _Prose


@dataclass(frozen=True, slots=True)
class _Written:
    """A file as it stands in a reply: its path as written."""

    path: str
    text: str


def parse(text: str) -> Reply:
    """Return the files that a reply holds.

    Line ends become plain line feeds, and characters that no file can hold are replaced. Where a
    path comes twice, the last one counts.

    Raises:
        UnusableReplyError: the reply is empty or holds no files, was cut off, is too large, one of
            its paths leaves the project, or its files break a rule for answers.
    """
    if not text.strip():
        raise UnusableReplyError("empty", "the reply is empty")
    if len(text) > MAX_REPLY_CHARACTERS:
        raise UnusableReplyError(
            "too_large", f"the reply has {len(text)} characters, more than {MAX_REPLY_CHARACTERS}"
        )
    notes: list[str] = []
    written = _files_in(_readable(text, notes), notes, _WRAPPINGS)
    if not written:
        raise UnusableReplyError(
            "no_files", "the reply holds no file: no heading with a path and a code block under it"
        )
    files = _placed(written, notes)
    if (more := len(notes) - _MOST_NOTES) > 0:
        notes[_MOST_NOTES:] = [f"{more} more notes"]
    return Reply(files, tuple(notes))


def render(files: Mapping[str, str]) -> str:
    """Return ``files`` in the reply format; ``parse`` gives them back.

    The format cannot say that a last line has no line end: it gets one.
    """
    return "# Files\n" + "".join(_section(path, text) for path, text in files.items())


def _section(path: str, text: str) -> str:
    fence = fence_around(text)
    language = PurePosixPath(path).suffix.removeprefix(".")
    body = text if not text or text.endswith("\n") else f"{text}\n"
    return f"\n## {path}\n\n{fence}{language if language.isalnum() else ''}\n{body}{fence}\n"


def _readable(text: str, notes: list[str]) -> str:
    """Return ``text`` as UTF-8 can hold it, without reasoning that was left at its beginning."""
    readable = _HALF_CHARACTER.sub("\ufffd", text)
    if readable != text or "\0" in text:
        notes.append("characters that are no text were replaced")
    return _THINKING.sub("", readable, count=1) if _THINKING.match(readable) else readable


def _files_in(text: str, notes: list[str], wrappings: int) -> list[_Written]:
    blocks = _blocks(text)
    for section in (_files_section(blocks), blocks):
        if written := _collect(section, notes):
            return written
    if wrappings:
        for block in blocks:
            if (
                isinstance(block, _Fence)
                and _FENCE_LINE.search(block.text)
                and (written := _files_in(block.text, notes, wrappings - 1))
            ):
                notes.append("the whole reply stands in a code block")
                return written
    return []


def _blocks(text: str) -> list[_Block]:
    tokens = block_parser().parse(text)
    blocks: list[_Block] = []
    for position, token in enumerate(tokens):
        if token.type == "heading_open":
            blocks.append(_heading(int(token.tag[1]), tokens[position + 1].content))
        elif token.type == "paragraph_open":
            blocks.append(_paragraph(tokens[position + 1].content))
        elif token.type == "fence":
            blocks.append(_Fence(token.content, closed=token.meta["closed"]))
        elif token.type == "code_block":
            blocks.append(_Prose())
    return blocks


def _paragraph(text: str) -> _Block:
    if text in {"`", "``", "~", "~~"}:  # the beginning of a fence, where a reply was cut off
        return _Fence("", closed=False)
    return _glued(text) or _Prose()


def _heading(level: int, text: str) -> _Heading:
    heading = _Heading(level, text, path_in_heading(text))
    if heading.path is None and not heading.opens_files:
        return _glued(text) or heading
    return heading


def _glued(text: str) -> _Heading | None:
    """Return the heading at the end of a line of prose: ``Sure!# Files``."""
    line = text[text.rfind("\n") + 1 :].rstrip(_BLANKS).rstrip("#").rstrip(_BLANKS)
    before, mark, after = line.rpartition("#")
    if not mark or not after.startswith(tuple(_BLANKS)):
        return None
    level = 1 + len(before) - len(before.rstrip("#"))
    title = after.lstrip(_BLANKS)
    heading = _Heading(min(level, _HEADING_LEVELS), title, path_in_heading(title))
    return heading if heading.path is not None or heading.opens_files else None


def _files_section(blocks: Sequence[_Block]) -> Iterable[_Block]:
    """Yield the blocks under ``# Files`` headings; other h1 headings end what they opened."""
    inside = False
    for block in blocks:
        if isinstance(block, _Heading) and block.path is None and block.level == 1:
            inside = block.opens_files
        elif isinstance(block, _Heading) and block.opens_files:
            inside = True
        elif inside:
            yield block


def _collect(blocks: Iterable[_Block], notes: list[str]) -> list[_Written]:
    written: list[_Written] = []
    waiting: str | None = None
    bare = False
    for block in blocks:
        if isinstance(block, _Heading):
            if waiting is not None and block.path is not None:
                notes.append(f"no code block under the heading {waiting!r}")
            waiting, bare = block.path, True
        elif isinstance(block, _Fence) and waiting is not None:
            if not block.closed:
                raise _truncated(waiting)
            written.append(_Written(waiting, block.text))
            waiting = None
        elif isinstance(block, _Prose):
            bare = False
    if waiting is not None and bare and written:
        raise _truncated(waiting)
    return written


def _placed(written: Sequence[_Written], notes: list[str]) -> dict[str, str]:
    files: dict[str, str] = {}
    for file in written:
        path = place(file.path)
        if path in files:
            notes.append(f"{path} is there more than once; the last one counts")
        files[path] = file.text
    admitted = admit(files)
    notes.extend(admitted.notes)
    if not admitted.files:
        raise UnusableReplyError("no_files", f"the reply holds no file that is used: {notes[-1]}")
    _check_folders(admitted.files)
    return admitted.files


def _check_folders(files: Mapping[str, str]) -> None:
    for path in files:
        for parent in PurePosixPath(path).parents:
            if str(parent) in files:
                raise UnusableReplyError(
                    "path_refused", f"{str(parent)!r} is a file, and a folder in {path!r}"
                )


def _truncated(path: str) -> UnusableReplyError:
    return UnusableReplyError("truncated", f"the reply ends in the middle of {path!r}")
