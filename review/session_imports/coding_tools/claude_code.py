"""Claude Code transcripts: JSONL with a tree of records.

First the branch that was kept is found (`claude_tree.py`). Then the conversation is read from it
(`claude_conversation.py`).
"""

from collections.abc import Iterator, Sequence
from typing import Final

from records.foreign.fields import Fields, find_text, get_object
from records.foreign.usage import read_token_report
from records.shapes.attempt import Tokens
from review.session_imports.coding_tools.claude_conversation import ClaudeConversation
from review.session_imports.coding_tools.claude_records import (
    BOOKKEEPING,
    SPEAKING,
    ClaudeRecord,
    count_other_kinds,
    find_last_number,
)
from review.session_imports.coding_tools.claude_tree import ClaudeTree, build_trees
from review.session_imports.common.adapter import sum_usages
from review.session_imports.common.drafts import Draft
from review.session_imports.common.source_file import SourceFile

NAME = "claude_code"
_OF_TRANSCRIPTS: Final = (BOOKKEEPING - {"result"}) | {"attachment", "system"}
"""Kinds of records that only transcripts have. The end of a stream (`result`) is not among them,
because other programs have such records."""


def recognises(source: SourceFile) -> bool:
    """Return whether one of the first records is a record of a transcript.

    Most records name a session. Snapshots of files and summaries do not.
    """
    return any(map(_is_known, source.head))


def _is_known(record: Fields) -> bool:
    kind = str(record.get("type"))
    if kind == "file-history-snapshot":
        return isinstance(record.get("snapshot"), dict)
    if kind == "summary":
        return isinstance(record.get("leafUuid"), str)
    if kind in SPEAKING:
        is_named = isinstance(record.get("sessionId", record.get("session_id")), str)
        return is_named and isinstance(record.get("message"), dict)
    return kind in _OF_TRANSCRIPTS and isinstance(record.get("sessionId"), str)


def read(source: SourceFile) -> Iterator[Draft]:
    """Yield each session of the file, and report the parts that could not be read."""
    trees = build_trees(source.read_records())
    if not any(record.is_spoken for tree in trees for record in tree.records.values()):
        source.report_problem(0, "holds no message", wrong=False)
    for tree in trees:
        draft = _read_draft(source, tree)
        if draft.messages:
            yield draft


def _read_draft(source: SourceFile, tree: ClaudeTree) -> Draft:
    """Return the session of a tree; for a sub-agent's transcript, a session without messages."""
    spoken = [record for record in tree.records.values() if record.is_spoken]
    helpers = [record for record in spoken if record.is_of_a_helper]
    if helpers and all(r.is_of_a_helper for r in spoken if r.kind in SPEAKING):
        session = next((r.session for r in helpers if r.session is not None), None)
        source.report_sub_agent(0, session)
        return Draft()
    reading = ClaudeConversation(source)
    tree.leave_out(helpers)
    live = tree.find_live_branch()
    reading.take(live)
    draft = reading.draft
    draft.leave_out("sub-agent record", len(helpers))
    draft.leave_out("message taken back", tree.taken_back)
    count_other_kinds(tree.records.values(), draft)
    draft.identity = _find_identity(live)
    draft.forked_from = _find_fork_parent(live)
    draft.title = _find_last_text(tree, "custom-title", "customTitle")
    ends = [record for record in tree.records.values() if record.kind == "result"]
    draft.tokens = _sum_stream_usage(ends)
    draft.cost_usd = find_last_number(ends, "total_cost_usd")
    return draft


def _find_identity(live: Sequence[ClaudeRecord]) -> str | None:
    """Return the session's name in the last record; earlier records may have an earlier name."""
    names = [record.session for record in live if record.is_spoken and record.session is not None]
    return names[-1] if names else None


def _find_fork_parent(live: Sequence[ClaudeRecord]) -> str | None:
    """Return the name of the session whose beginning is repeated: a parent, or an earlier name."""
    own = _find_identity(live)
    for record in live:
        name = get_object(record.fields, "forkedFrom").get("sessionId", record.session)
        if isinstance(name, str) and name != own:
            return name
    return None


def _find_last_text(tree: ClaudeTree, kind: str, name: str) -> str | None:
    records = (record for record in tree.records.values() if record.kind == kind)
    texts = [text for record in records if (text := find_text(record.fields, name))]
    return texts[-1] if texts else None


def _sum_stream_usage(ends: Sequence[ClaudeRecord]) -> Tokens | None:
    """Return the usage of a stream from its ends; the usage in its answers is not complete."""
    counts = (read_token_report(end.fields.get("usage")).as_tokens() for end in ends)
    usages = [usage for usage in counts if usage is not None]
    return sum_usages(usages) if usages else None
