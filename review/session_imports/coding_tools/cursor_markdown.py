"""Cursor's own export of a chat as Markdown, with rules between messages and speakers in bold."""

from typing import Final

from review.session_imports.common.drafts import Draft

_TITLE: Final = "# "
_EXPORTED: Final = "_Exported on "
_PROGRAM: Final = " from Cursor"
_SPEAKERS: Final = {
    "**User**": "user",
    "**Cursor**": "assistant",
    "**Assistant**": "assistant",
}
_RULE: Final = "---"
"""The line between two messages."""


def is_export(head: str) -> bool:
    """Return whether ``head`` begins an export, with a title, then the day of the export."""
    lines = [line for line in head.split("\n") if line.strip()]
    title, exported = [*lines, "", ""][:2]
    return title.startswith(_TITLE) and exported.startswith(_EXPORTED) and _PROGRAM in exported


def read_export(text: str) -> Draft:
    """Return the conversation of an export."""
    title, _, below = text.partition("\n")
    _, _, body = below.lstrip("\n").partition("\n")
    draft = Draft(title=title.removeprefix(_TITLE).strip() or None)
    role: str | None = None
    lines: list[str] = []
    previous = _RULE
    for line in body.split("\n"):
        words = line.strip()
        if words in _SPEAKERS and previous == _RULE:
            add_message(role, lines, draft)
            role, lines = _SPEAKERS[words], []
        else:
            lines.append(line)
        previous = words or previous
    add_message(role, lines, draft)
    return draft


def add_message(role: str | None, lines: list[str], draft: Draft) -> None:
    """Append the message in some lines, without the rule after it; without a role, count a text."""
    text = "\n".join(lines).strip()
    text = text.removesuffix(f"\n{_RULE}").rstrip() if text != _RULE else ""
    if role is None:
        draft.leave_out("text before the first message", int(bool(text)))
    elif text:
        draft.add(role, text, model=draft.model if role == "assistant" else None)
    else:
        draft.leave_out("empty message")
