"""Codex rollouts: JSONL of response items, and of events with more facts about them.

First the records get a common shape, and the author of each text is found (`codex_records.py`).
Then the conversation is read (`codex_conversation.py`).
"""

from collections.abc import Iterator, Sequence

from records.foreign.fields import Fields, find_text, get_object, parse_moment
from review.session_imports.coding_tools.codex_conversation import Rollout
from review.session_imports.coding_tools.codex_records import (
    CodexRecord,
    is_rollout,
    read_rollout_records,
)
from review.session_imports.common.drafts import Draft, find_folder_name
from review.session_imports.common.source_file import SourceFile

NAME = "codex"


def recognises(source: SourceFile) -> bool:
    """Return whether the file is a rollout of any version of Codex."""
    return is_rollout(source)


def read(source: SourceFile) -> Iterator[Draft]:
    """Yield the session of the file, and report the parts that could not be read."""
    records = list(read_rollout_records(source))
    head = _find_head(records)
    if get_object(head, "source").get("subagent") or head.get("thread_source") == "subagent":
        source.report_sub_agent(0, _find_helper_parent(head))
        return
    draft = Draft(
        may_be_empty=True,
        identity=find_text(head, "id", "session_id"),
        forked_from=_find_fork_parent(head, records),
        project=find_folder_name(head.get("cwd")),
        created_at=parse_moment(head.get("timestamp")),
    )
    rollout = Rollout(records, draft)
    for record in records:
        with source.catch_problems(record.number):
            rollout.take(record)
    draft.tokens = rollout.compute_usage()
    yield draft


def _find_head(records: Sequence[CodexRecord]) -> Fields:
    """Return the head of the file's own session, which comes before that of a fork's parent."""
    heads = [record.payload for record in records if record.kind == "session_meta"]
    return heads[0] if heads else {}


def _find_helper_parent(head: Fields) -> str | None:
    """Return the session to which a sub-agent's rollout belongs; None if it names none."""
    spawn = get_object(get_object(get_object(head, "source"), "subagent"), "thread_spawn")
    return find_text(spawn, "parent_thread_id") or find_text(head, "parent_thread_id")


def _find_fork_parent(head: Fields, records: Sequence[CodexRecord]) -> str | None:
    """Return the session whose beginning a fork repeats, from the fork's head or a later head."""
    heads = [r.payload.get("id") for r in records if r.kind == "session_meta"]
    names = [head.get("forked_from_id"), *(name for name in heads if name != head.get("id"))]
    return next((name for name in names if isinstance(name, str)), None)
