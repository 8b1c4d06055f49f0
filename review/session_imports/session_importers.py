"""Importers of sessions, the choice of the importer of a file, and sessions that repeat others."""

from collections.abc import Iterator, Mapping

from records.errors import InvalidRecordError
from records.sessions.session import Session, SessionMessage, SessionTotals
from records.shapes.attempt import Tokens
from records.shapes.totals import sum_known, sum_tokens
from review.session_imports import comparisons, inspect_logs
from review.session_imports.coding_tools import (
    aider,
    claude_code,
    codex,
    copilot_chat,
    cursor,
    gemini_cli,
    opencode,
)
from review.session_imports.common import drafts
from review.session_imports.common.source_file import BadLine, SourceFile
from review.session_imports.row_formats import batches, chat_rows
from review.session_imports.row_formats.row_files import ROW_ADAPTERS
from review.store import SessionStore

_ADAPTERS: tuple[drafts.Adapter, ...] = (
    *(inspect_logs, comparisons, cursor, claude_code, codex, opencode),
    *(gemini_cli, copilot_chat, aider, batches, chat_rows),
    *ROW_ADAPTERS,
)
IMPORTERS: Mapping[str, drafts.Adapter] = {adapter.NAME: adapter for adapter in _ADAPTERS}
"""Importers by name, in the order in which they are tried: the most special shape first."""


class UnknownFileError(InvalidRecordError):
    """No importer recognises the shape of a file."""


def read_sessions(source: SourceFile, importer: str | None = None) -> Iterator[Session | BadLine]:
    """Yield the sessions of a file, and the problems of parts that could not be read.

    Args:
        source: the file.
        importer: the name of the importer; None to recognise it by the file.

    Raises:
        UnknownFileError: no importer recognises the file.
        InvalidRecordError: the file is too large.
    """
    fitting = (adapter for adapter in IMPORTERS.values() if adapter.recognises(source))
    adapter = IMPORTERS[importer] if importer else next(fitting, None)
    if adapter is None:
        if source.excess and not source.head:
            raise InvalidRecordError(source.path, "", source.excess)
        names = ", ".join(IMPORTERS)
        reason = f"has no shape that is known; --format names one of {names}"
        raise UnknownFileError(source.path, "", reason)
    source.take_problems()  # those of the recognition
    identities: set[str] = set()
    for draft in adapter.read(source):
        for reason in draft.problems:
            source.report_problem(draft.place, reason)
        if not draft.messages:
            counts = ", ".join(f"{count} {kind}" for kind, count in draft.left_out.items())
            reason = f"holds no message; left out: {counts}" if counts else "holds no message"
            is_wrong = bool(draft.problems) or not draft.may_be_empty
            source.report_problem(draft.place, reason, wrong=is_wrong)
        yield from source.take_problems()
        if draft.identity in identities and not draft.replaces_earlier:
            draft.identity = None
        if draft.messages and draft.identity is not None:
            identities.add(draft.identity)
        if draft.messages:
            with source.catch_problems(draft.place):
                yield drafts.build_session(draft, source, adapter.NAME)
    yield from source.take_problems()


def with_repetition(fork: Session, parent: Session) -> Session:
    """Return ``fork`` with its copies of messages of ``parent`` marked as repeated.

    Totals are reduced by the usage of the copies. Copies are equal messages at the beginning of
    both; messages of the role ``program`` are not compared.
    """
    originals = iter([message for message in parent.messages if message.role != "program"])
    common = 0
    for index, message in enumerate(fork.messages):
        if message.role == "program":
            continue
        other = next(originals, None)
        if other is None or _get_content(other) != _get_content(message):
            break
        common = index + 1
    if not common or fork.messages[0].repeated:
        return fork
    copies = fork.messages[:common]
    repeated = [message.model_copy(update={"repeated": True}) for message in copies]
    marked = fork.model_copy(update={"messages": (*repeated, *fork.messages[common:])})
    requests = [m.text for m in marked.messages if m.role == "user" and not m.repeated]
    first = next((m.text for m in fork.messages if m.role == "user"), "")
    is_titled_by_copy = bool(requests) and fork.title == drafts.shorten_title(first)
    own_title = drafts.shorten_title(requests[0]) if is_titled_by_copy else fork.title
    totals, copied = fork.totals, sum_tokens(m.tokens for m in repeated if m.tokens is not None)
    counts = {
        name: _subtract_known(getattr(totals.tokens, name), getattr(copied, name))
        for name in Tokens.model_fields
    }
    cost = sum_known(message.cost_usd for message in repeated)
    seconds = sum_known(message.duration_s for message in repeated)
    own_totals = SessionTotals(
        tokens=Tokens.model_validate(counts),
        cost_usd=_subtract_known(totals.cost_usd, cost),
        duration_s=_subtract_known(totals.duration_s, seconds),
    )
    return marked.model_copy(update={"totals": own_totals, "title": own_title})


def _get_content(message: SessionMessage) -> tuple[object, ...]:
    return message.role, message.text, message.tool_calls, message.tool_call_id


def _subtract_known(whole: float | None, part: float | None) -> float | None:
    return whole if whole is None or part is None else max(0, whole - part)


def is_known_copy(session: Session, store: SessionStore) -> bool:
    """Return whether a session comes from an export of this program, and is in the store.

    The stored session has more: an export is redacted, and has neither times nor usage of messages.
    """
    source = session.source
    is_copy = source.kind == "file" and source.importer == drafts.OWN_EXPORT
    return is_copy and store.folder.get_session_file(session.id).exists()
