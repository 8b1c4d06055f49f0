"""Dialects of servers: the usual parts of a request that a server refuses, by its errors."""

import re
from typing import Final

from records.shapes.registry import Dialect, ModelEntry

_STATUS: Final = re.compile(r"HTTP (400|422|500|501): ")
"""The start of a refusal's evidence. Some servers report a failed prompt template with 500."""

_REFUSED: Final = re.compile(
    r"unsupported|not support|unrecognized|unknown|unexpected|not permitted|not allowed|extra|"
    r"forbidden|invalid|not accept|not implemented|deprecated",
    re.IGNORECASE,
)
_OF_SIZE: Final = re.compile(
    r"too (large|big|high|long|many)|maximum|context|exceed|at most|(less|greater) than|"
    r"must be|out of range",
    re.IGNORECASE,
)
"""Words about the size of a limit or of the prompt: a server with such an error takes the limit's
name."""

_SYSTEM: Final = re.compile(
    r"system[ _]?(role|message|prompt|instruction)s?\W.{0,80}(not |n't|unsupported|invalid)|"
    r"(not support|unsupported|invalid|unknown|unexpected)\b.{0,80}\bsystem\b|"
    r"\brole\b.{0,20}\bsystem\b.{0,80}(not |invalid|unsupported)|"
    r"roles must alternate|only user(,| and) (assistant|model)",
    re.IGNORECASE | re.DOTALL,
)
_WORDS: Final = re.compile(r"\w+")
_STREAM_OPTIONS: Final = re.compile(r"stream_options|include_usage")

_NEXT_LIMIT: Final = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "none"}


def without_refused(
    entry: ModelEntry, evidence: str, *, limit_needed: bool = False
) -> ModelEntry | None:
    """Return ``entry`` with a dialect that lacks the part named in a refusal's ``evidence``.

    None if the evidence names no part of the request for which there is another form. With
    ``limit_needed``, no dialect without a limit on replies is returned.
    """
    if not _STATUS.match(evidence):
        return None
    dialect = entry.dialect or Dialect()
    if dialect.stream_options and _STREAM_OPTIONS.search(evidence):
        return _change_dialect(entry, dialect, stream_options=False)
    if dialect.system_message and _SYSTEM.search(evidence):
        return _change_dialect(entry, dialect, system_message=False)
    other = _NEXT_LIMIT.get(dialect.limit)
    if other is None or dialect.limit not in _WORDS.findall(evidence) or _OF_SIZE.search(evidence):
        return None
    # Only a user's own server may get no limit: a provider would apply a default limit of its own.
    if other == "none" and (limit_needed or entry.api_base is None):
        return None
    return _change_dialect(entry, dialect, limit=other) if _REFUSED.search(evidence) else None


def _change_dialect(entry: ModelEntry, dialect: Dialect, **changed: object) -> ModelEntry:
    return entry.model_copy(update={"dialect": dialect.model_copy(update=changed)})
