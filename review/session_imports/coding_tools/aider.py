"""Histories of aider (``.aider.chat.history.md``): all chats of a project in one Markdown file.

aider ends its own lines, which are requests (``####``) and output (``>``), with two spaces.
Headings and quotations in answers do not end so. A chat has no name, so its identity is made of its
time and its first request. The time has no offset, so it is not used as the time of messages.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from review.session_imports.common.drafts import Draft
from review.session_imports.common.source_file import SourceFile

NAME = "aider"
_HEADER = "# aider chat started at "
_REQUEST = "####"
_OUTPUT = ">"
_LINE_END = "  "
_MODEL = re.compile(r"(?:Main model|Model|Models): (\S+) with ")
_TO_THE_MODEL = frozenset({"/ask", "/code", "/architect", "/context"})
"""Commands that ask the model; all other commands are for the program."""


@dataclass
class _Chat(Draft):
    """A chat so far."""

    role: str | None = None
    lines: list[str] = field(default_factory=list[str])

    def take(self, role: str, line: str) -> None:
        """Add a line; consecutive lines of the same role become one message."""
        if role != self.role:
            self.end_message()
            self.role = role
        self.lines.append(line)

    def end_message(self) -> None:
        """Append the lines so far as a message."""
        text = "\n".join(self.lines).strip()
        role, self.role, self.lines = self.role, None, []
        if role is None or not text:
            return
        if role == "user" and (
            text.startswith("!")
            or (
                text.startswith("/")
                and text.split(maxsplit=1)[0] not in _TO_THE_MODEL
                and "/" not in text.split(maxsplit=1)[0][1:]
            )
        ):
            role = "program"
        if role == "program" and (model := _MODEL.search(text)):
            self.model = model[1]
        self.add(role, text, model=self.model if role == "assistant" else None)


def recognises(source: SourceFile) -> bool:
    """Return whether the file begins with the header of a chat."""
    return source.text.startswith(_HEADER.encode())


def read(source: SourceFile) -> Iterator[Draft]:
    """Yield the session of each chat, and report each chat without a request."""
    for draft in _parse_chats(source.text.decode("utf-8", "replace")):
        requests = [message.text for message in draft.messages if message.role == "user"]
        if requests:
            first = hashlib.sha256(requests[0].encode("utf-8", "replace")).hexdigest()
            draft.identity = f"{draft.part} {first[:16]}"
            yield draft
        else:
            reason = f"the chat of {draft.part} has no request: left out"
            source.report_problem(draft.place, reason, wrong=False)


def _parse_chats(text: str) -> Iterator[Draft]:
    lines = text.replace("\r\n", "\n").split("\n")
    # The end of aider's own lines, by mark; empty if an editor removed the spaces.
    endings = {
        mark: _LINE_END
        if any(line.startswith(f"{mark} ") and line.endswith(_LINE_END) for line in lines)
        else ""
        for mark in (_REQUEST, _OUTPUT)
    }
    chat: _Chat | None = None
    fenced = False
    for number, line in enumerate(lines, 1):
        if line.startswith(_HEADER):
            if chat is not None:
                chat.end_message()
                yield chat
            started = line.removeprefix(_HEADER).strip()
            chat, fenced = _Chat(place=number, part=started), False
        elif chat is not None:
            fenced = _take_line(line, chat, endings, fenced=fenced)
    if chat is not None:
        chat.end_message()
        yield chat


def _take_line(line: str, chat: _Chat, endings: Mapping[str, str], *, fenced: bool) -> bool:
    """Add a line to a chat; return whether a block of code is open after it."""
    mark, _, words = line.partition(" ")
    own = line.endswith(endings.get(mark, _LINE_END))
    if mark == _REQUEST and own:
        chat.take("user", words.removesuffix(_LINE_END))
        return False
    if mark == _OUTPUT and own and not fenced:
        chat.take("program", words.removesuffix(_LINE_END))
        return False
    if not line.strip() and chat.role != "assistant":
        chat.end_message()
        return fenced
    chat.take("assistant", line)
    return fenced != line.lstrip().startswith("```")
