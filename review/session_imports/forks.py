"""Imported sessions that repeat stored ones: forks with copied messages, and whole copies."""

from collections.abc import Sequence

from records.sessions.session import Session, SessionMessage, SessionTotals
from records.shapes.attempt import Tokens
from review.session_imports.common.drafts import shorten_title, sum_usages
from review.session_imports.row_formats.own_rows import NAME
from review.store import SessionStore


def with_repetition(fork: Session, parent: Session) -> Session:
    """Return ``fork`` with its copies of messages of ``parent`` marked as repeated.

    Totals are reduced by the usage of the copies. Copies are equal messages at the beginning of
    both; messages of the role ``program`` are not compared.
    """
    common = _count_common_messages(fork.messages, parent.messages)
    if not common or fork.messages[0].repeated:
        return fork
    copies = fork.messages[:common]
    repeated = [message.model_copy(update={"repeated": True}) for message in copies]
    marked = fork.model_copy(update={"messages": (*repeated, *fork.messages[common:])})
    requests = [m.text for m in marked.messages if m.role == "user" and not m.repeated]
    first = next((m.text for m in fork.messages if m.role == "user"), "")
    is_titled_by_copy = bool(requests) and fork.title == shorten_title(first)
    own_title = shorten_title(requests[0]) if is_titled_by_copy else fork.title
    return marked.model_copy(
        update={"totals": _subtract_repeated(fork.totals, repeated), "title": own_title}
    )


def _count_common_messages(fork: Sequence[SessionMessage], parent: Sequence[SessionMessage]) -> int:
    """Return the number of messages at the beginning of ``fork`` that repeat ``parent``."""
    originals = iter([message for message in parent if message.role != "program"])
    common = 0
    for index, message in enumerate(fork):
        if message.role == "program":
            continue
        other = next(originals, None)
        if other is None or _get_content(other) != _get_content(message):
            break
        common = index + 1
    return common


def _get_content(message: SessionMessage) -> tuple[object, ...]:
    return message.role, message.text, message.tool_calls, message.tool_call_id


def _subtract_repeated(totals: SessionTotals, repeated: Sequence[SessionMessage]) -> SessionTotals:
    usage = sum_usages(message.tokens for message in repeated if message.tokens is not None)
    counts = {
        name: _subtract_known(getattr(totals.tokens, name), getattr(usage, name))
        for name in Tokens.model_fields
    }
    cost = sum(message.cost_usd or 0 for message in repeated)
    seconds = sum(message.duration_s or 0 for message in repeated)
    return SessionTotals(
        tokens=Tokens.model_validate(counts),
        cost_usd=None if totals.cost_usd is None else max(0, totals.cost_usd - cost),
        duration_s=None if totals.duration_s is None else max(0, totals.duration_s - seconds),
    )


def _subtract_known(whole: int | None, part: int | None) -> int | None:
    return whole if whole is None or part is None else max(0, whole - part)


def is_known_copy(session: Session, store: SessionStore) -> bool:
    """Return whether a session comes from an export of this program, and is in the store.

    The stored session has more: an export is redacted, and has neither times nor usage of messages.
    """
    source = session.source
    is_copy = source.kind == "file" and source.importer == NAME
    return is_copy and store.folder.get_session_file(session.id).exists()
