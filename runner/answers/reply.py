"""Replies of models, read as files.

The requested format is an h1 ``Files``, then for each file an h2 with its path and a fenced block
with its text. Models put prose around it and decorate it; every unambiguous form is read.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from runner.answers.blocks import Block, Fence, OtherBlock, ReplyHeading, parse_blocks
from runner.answers.paths import resolve_written_path
from runner.answers.reasoning import without_reasoning
from runner.answers.rules import CONVEX_RULES, Admitted, FileRules
from runner.errors import UnusableReplyError

MAX_REPLY_CHARACTERS = 2_000_000
"""Prose and reasoning included: four times the limit on all files of an answer."""
_WRAPPINGS = 3
"""The most fences around a whole reply that are removed."""

_MOST_NOTES = 100
_FENCE_LINE = re.compile(r"^ {0,3}(```|~~~)", re.MULTILINE)
_BACKTICKS = re.compile(r"^[ \t]*(`{3,})", re.MULTILINE)
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


_Written = tuple[str, str]
"""The path of a file as a reply writes it, and the text of the file."""


def parse_reply(text: str, rules: FileRules = CONVEX_RULES) -> Admitted:
    """Return the used files in a reply, with notes on its form.

    Line ends become plain line feeds, and characters that no file can hold are replaced. Where a
    path comes twice, its last text counts.

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
    readable = _HALF_CHARACTER.sub("\ufffd", text)
    if readable != text or "\0" in text:
        notes.append("characters that are no text were replaced")
    answer = without_reasoning(readable)
    if left_out := len(readable) - len(answer):
        notes.append(f"reasoning of {left_out} characters stood in the text and was left out")
    written = _find_files(answer, notes, _WRAPPINGS)
    if not written:
        raise UnusableReplyError(
            "no_files", "the reply holds no file: no heading with a path and a code block under it"
        )
    placed: dict[str, str] = {}
    for heading, content in written:
        path = resolve_written_path(heading, rules)
        if path in placed:
            notes.append(f"{path} is there more than once; the last one counts")
        placed[path] = content
    admitted = rules.admit(placed)
    notes.extend(admitted.notes)
    if not admitted.files:
        raise UnusableReplyError("no_files", f"the reply holds no file that is used: {notes[-1]}")
    for path in admitted.files:
        for parent in map(str, PurePosixPath(path).parents):
            if parent in admitted.files:
                raise UnusableReplyError(
                    "path_refused", f"{parent!r} is a file, and a folder in {path!r}"
                )
    if (more := len(notes) - _MOST_NOTES) > 0:
        notes[_MOST_NOTES:] = [f"{more} more notes"]
    return Admitted(admitted.files, tuple(notes))


def render_reply(files: Mapping[str, str]) -> str:
    """Return ``files`` in the reply format; ``parse_reply`` restores them.

    The format cannot express a last line without a line end: a line end is added.
    """
    return f"# Files\n{render_files(files)}"


def render_files(files: Mapping[str, str]) -> str:
    """Return the sections of files in the reply format, without the heading above them."""
    sections: list[str] = []
    for path, text in files.items():
        # Longer than all fences in the text.
        inside = _BACKTICKS.findall(text)
        fence = "`" * (1 + max([2, *map(len, inside)]))
        language = PurePosixPath(path).suffix.removeprefix(".")
        body = text if not text or text.endswith("\n") else f"{text}\n"
        language = language if language.isalnum() else ""
        sections.append(f"\n## {path}\n\n{fence}{language}\n{body}{fence}\n")
    return "".join(sections)


def _find_files(text: str, notes: list[str], wrappings: int) -> list[_Written]:
    blocks = parse_blocks(text)
    for section in (_select_files_section(blocks), blocks):
        if written := _collect(section, notes):
            return written
    if wrappings:
        for block in blocks:
            if (
                isinstance(block, Fence)
                and _FENCE_LINE.search(block.text)
                and (written := _find_files(block.text, notes, wrappings - 1))
            ):
                notes.append("the whole reply stands in a code block")
                return written
    return []


def _select_files_section(blocks: Sequence[Block]) -> Iterable[Block]:
    """Yield the blocks under ``# Files`` headings; other h1 headings end such a section."""
    inside = False
    for block in blocks:
        if isinstance(block, ReplyHeading) and block.path is None and block.level == 1:
            inside = block.opens_files
        elif isinstance(block, ReplyHeading) and block.opens_files:
            inside = True
        elif inside:
            yield block


def _collect(blocks: Iterable[Block], notes: list[str]) -> list[_Written]:
    written: list[_Written] = []
    waiting: str | None = None
    bare = False
    for block in blocks:
        if isinstance(block, ReplyHeading):
            if waiting is not None and block.path is not None:
                notes.append(f"no code block under the heading {waiting!r}")
            waiting, bare = block.path, True
        elif isinstance(block, Fence) and waiting is not None:
            if not block.closed:
                raise _make_truncation_error(waiting)
            written.append((waiting, block.text))
            waiting = None
        elif isinstance(block, OtherBlock):
            bare = False
    if waiting is not None and bare and written:
        raise _make_truncation_error(waiting)
    return written


def _make_truncation_error(path: str) -> UnusableReplyError:
    return UnusableReplyError("truncated", f"the reply ends in the middle of {path!r}")
