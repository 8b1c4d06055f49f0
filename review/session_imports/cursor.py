"""Conversations of Cursor: its Markdown export, transcripts of its agent, its CLI's stream."""

from collections.abc import Iterator
from typing import Final

from review.session_imports.adapter import ReadSession
from review.session_imports.cursor_agent import is_agent_record, read_agent
from review.session_imports.drafts import Draft, Finishing, Role
from review.session_imports.reading import BadLine
from review.session_imports.source_file import SourceFile

NAME = "cursor"
_HEAD_BYTES: Final = 2000
_TITLE: Final = "# "
_EXPORTED: Final = "_Exported on "
_PROGRAM: Final = " from Cursor"
_SPEAKERS: Final[dict[str, Role]] = {
    "**User**": "user",
    "**Cursor**": "assistant",
    "**Assistant**": "assistant",
}
_RULE: Final = "---"
"""The line between two messages."""


def recognises(source: SourceFile) -> bool:
    """Return whether the file is a Markdown export or a record of the agent."""
    return _is_export(source) or any(map(is_agent_record, source.head))


def read(source: SourceFile) -> Iterator[ReadSession | BadLine]:
    """Yield the session of a file, and each part that could not be read."""
    if not _is_export(source):
        yield from read_agent(source)
        return
    yield from Finishing(source).read(0, lambda: _read_export(_text_of(source)))


def _is_export(source: SourceFile) -> bool:
    lines = [line for line in source.data[:_HEAD_BYTES].splitlines() if line.strip()][:2]
    title, exported = [*(line.decode("utf-8", "replace") for line in lines), "", ""][:2]
    return title.startswith(_TITLE) and exported.startswith(_EXPORTED) and _PROGRAM in exported


def _text_of(source: SourceFile) -> str:
    return source.data.decode("utf-8", "replace").replace("\r\n", "\n")


def _read_export(text: str) -> Draft:
    """Return the conversation of an export: a message begins with its speaker, below a rule."""
    title, _, rest = text.partition("\n")
    _, _, body = rest.lstrip("\n").partition("\n")
    draft = Draft(title=title.removeprefix(_TITLE).strip() or None)
    role: Role | None = None
    lines: list[str] = []
    previous = _RULE
    for line in body.split("\n"):
        words = line.strip()
        if words in _SPEAKERS and previous == _RULE:
            _add(role, lines, draft)
            role, lines = _SPEAKERS[words], []
        else:
            lines.append(line)
        previous = words or previous
    _add(role, lines, draft)
    return draft


def _add(role: Role | None, lines: list[str], draft: Draft) -> None:
    """Append the message that some lines are, without the rule that ends it."""
    text = "\n".join(lines).strip()
    text = text.removesuffix(f"\n{_RULE}").rstrip() if text != _RULE else ""
    if role is None:
        draft.leave_out("text before the first message", int(bool(text)))
    elif text:
        draft.add(role, text)
    else:
        draft.leave_out("empty message")
