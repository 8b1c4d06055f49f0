"""The rows that programs load, one builder for each format.

DeepEval loads test cases and goldens by `EvaluationDataset.add_test_cases_from_json_file` and
`add_goldens_from_json_file`, Inspect loads samples by `json_dataset` and scores by `inspect score`.

promptfoo renders a variable that is a text as a Nunjucks template, so that `{{ env.HOME }}` in a
session would be filled in. It does not render texts inside of an object. So its tests have the
conversation as an object, for `{{ messages | dump }}`.

Rows for Hugging Face have one type for each column. A reader of JSON lines decides the type of a
column by the first ten megabytes. So a value that may be empty in all of them must have the same
type when it is empty: lists of tags and labels are JSON texts, and times have fractions of a
second, because `datasets` takes shorter ones for timestamps until the first empty text. Parquet has
a schema, and holds the lists themselves.
"""

import json
import re
import uuid
from datetime import datetime
from typing import Any

from records.sessions.session import EvalStatus, ToolCall
from records.text.numbers import format_dollars
from review.exports.prepared import (
    ExportedSession,
    Row,
    explain_unusable,
    make_chat_message,
    parse_arguments,
)
from review.turns import Turn

INSPECT = "inspect"
"""The importer of Inspect's logs."""
_INSPECT_VALUES = {
    EvalStatus.GOLDEN: "C",
    EvalStatus.CORRECT: "C",
    EvalStatus.INCORRECT: "I",
}
LISTS = ("tags", "turn_labels")
"""The columns with lists that may be empty."""
_SPEAKERS = {"user": "User", "assistant": "Assistant", "system": "System", "tool": "Tool"}
_BREAKS = r"\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
_SHAPE = re.compile(
    rf"(?<=[{_BREAKS}])[^\S{_BREAKS}]*"
    rf"(?=\#\#\s*Session:|\*\*(?:User|Assistant|System|Tool):\*\*|---[^\S{_BREAKS}]*(?:[{_BREAKS}]|$)"
    r"|\[calls\s|Tokens:|Status:)",
    re.IGNORECASE,
)
"""The beginning of a line in a text that looks like a line of this format."""
_MARK = "\\"
"""The mark before such a line, which Markdown does not show."""


def build_test_case(session: ExportedSession, turn: Turn) -> Row:
    """Return the test case of a turn; `actual_output` is null if the answer has no text."""
    record = session.session
    return {
        "input": turn.asked,
        "actual_output": turn.answer or None,
        "expected_output": turn.truth,
        "context": session.list_texts_before(turn),
        "retrieval_context": [],
        "tools_called": [
            {"name": call.name, "input_parameters": parse_arguments(call)} for call in turn.calls
        ],
        "name": record.title,
        "comments": turn.notes or None,
        "source_file": record.id,
        "additional_metadata": session.build_facts(turn),
    }


def build_golden(session: ExportedSession) -> Row:
    """Return a session as a multi-turn golden."""
    record = session.session
    return {
        "scenario": record.title,
        "turns": _list_spoken(session),
        "expected_outcome": session.expected,
        "name": record.id,
        "comments": record.eval_notes or None,
        "additional_metadata": {**session.build_facts(), "turn_labels": session.turn_labels},
    }


def explain_missing_golden(session: ExportedSession) -> str | None:
    """Return why a session is not a golden; None if it is a golden."""
    return None if _list_spoken(session) else "it holds no text of a user or an assistant"


def _list_spoken(session: ExportedSession) -> list[Row]:
    """Return the messages of users and assistants that have a text."""
    return [
        {"role": message.role, "content": message.text}
        for message in session.session.messages
        if message.role in {"user", "assistant"} and message.text.strip()
    ]


def build_chat(session: ExportedSession) -> Row:
    """Return the whole checked conversation: ``{"messages": [...]}``."""
    messages = () if isinstance(session.chat, str) else session.chat.messages
    return {"messages": [make_chat_message(message) for message in messages]}


def explain_missing_chat(session: ExportedSession) -> str | None:
    """Return why a session has no conversation for consumers of chats; None if it has one."""
    return session.chat if isinstance(session.chat, str) else None


def build_openai_sample(session: ExportedSession, turn: Turn) -> Row:
    """Return a sample of openai/evals for a turn."""
    return {
        "input": session.make_prompt(turn),
        "ideal": turn.truth,
    }


def explain_missing_openai_sample(turn: Turn) -> str | None:
    """Return why a turn is not a sample; None if it is a sample.

    A turn without a right answer is left out, because an empty ideal would match every answer.
    """
    if reason := explain_unusable(turn):
        return reason
    return None if turn.truth and turn.truth.strip() else "its right answer is not known"


def build_promptfoo_test(session: ExportedSession, turn: Turn) -> Row:
    """Return the test of a turn; ``vars.expected.text`` is the right answer."""
    return {
        "vars": {
            "messages": session.make_prompt(turn),
            "expected": {"text": turn.truth},
        },
        "metadata": session.build_facts(turn),
    }


def build_inspect_sample(session: ExportedSession, turn: Turn) -> Row:
    """Return a sample for a turn; the target is empty if the right answer is not known."""
    return {
        "id": session.make_turn_id(turn),
        "input": session.make_prompt(turn, _make_inspect_call),
        "target": turn.truth or "",
        "metadata": session.build_facts(turn),
    }


def build_score(session: ExportedSession) -> Row:
    """Return the label of a session as a score of a sample in a log of Inspect.

    For a session that was imported from a log, this is its sample and epoch there. For any other
    session, it is the sample that `build_inspect_sample` returns for its judged turn.
    """
    record = session.session
    source = record.source
    imported = source if source.kind == "file" and source.importer == INSPECT else None
    shape: dict[str, Any] = {
        "id": imported.part if imported and imported.part is not None else record.id,
        "value": _INSPECT_VALUES[session.status],
        "explanation": session.notes or None,
        "metadata": {"status": session.status.value, "tags": list(record.eval_tags)},
    }
    if imported and imported.epoch is not None:
        shape["epoch"] = imported.epoch
    return shape


def explain_missing_score(session: ExportedSession) -> str | None:
    """Return why a session has no score; None if it has a score."""
    return None if session.status in _INSPECT_VALUES else "nobody judged it"


def _make_inspect_call(call: ToolCall) -> dict[str, Any]:
    arguments = parse_arguments(call)
    return {"id": call.id, "function": call.name, "arguments": arguments, "type": "function"}


def build_braintrust_row(session: ExportedSession, turn: Turn) -> Row:
    """Return ``{id, input, expected, metadata, tags}`` for a turn."""
    return {
        "id": session.make_turn_id(turn),
        "input": session.make_prompt(turn),
        "expected": turn.truth,
        "metadata": session.build_facts(turn),
        "tags": list(session.session.eval_tags),
    }


def build_langsmith_row(session: ExportedSession, turn: Turn) -> Row:
    """Return ``{id, inputs, reference_outputs, metadata}`` for a turn."""
    return {
        "id": _make_id_in_dataset(session, turn),
        "inputs": {"messages": session.make_prompt(turn)},
        "reference_outputs": {"answer": turn.truth},
        "metadata": session.build_facts(turn),
    }


def build_langfuse_row(session: ExportedSession, turn: Turn) -> Row:
    """Return ``{id, input, expected_output, metadata}`` for a turn."""
    return {
        "id": _make_id_in_dataset(session, turn),
        "input": session.make_prompt(turn),
        "expected_output": turn.truth,
        "metadata": session.build_facts(turn),
    }


def _make_id_in_dataset(session: ExportedSession, turn: Turn) -> str:
    """Return a UUID that depends only on the turn and on the name of the dataset.

    Both platforms refuse an id that another dataset has.
    """
    dataset = uuid.uuid5(uuid.NAMESPACE_URL, session.options.dataset)
    return str(uuid.uuid5(dataset, session.make_turn_id(turn)))


def build_dataset_row(session: ExportedSession) -> Row:
    """Return the row of a session. Calls of tools are JSON texts, as their arguments vary."""
    record = session.session
    return {
        "id": record.id,
        "title": record.title,
        "model": record.model or "",
        "created_at": _format_time(record.created_at),
        "messages": [
            {
                "role": message.role,
                "content": message.text,
                "tool_calls": json.dumps(
                    [call.model_dump(mode="json") for call in message.tool_calls],
                    ensure_ascii=False,
                ),
                "tool_call_id": message.tool_call_id or "",
            }
            for message in record.messages
        ],
        "ready": record.eval_ready,
        "status": record.eval_status.value,
        "tags": list(record.eval_tags),
        "notes": record.eval_notes,
        "expected_output": session.expected or "",
        "reviewed_at": _format_time(record.reviewed_at),
        "turn_labels": session.turn_labels,
    }


def build_text_row(session: ExportedSession) -> Row:
    """Return the row of a session for JSON lines, whose lists are JSON texts."""
    row = build_dataset_row(session)
    lists = {name: json.dumps(row[name], ensure_ascii=False) for name in LISTS}
    return {**row, **lists}


def _format_time(time: datetime | None) -> str:
    return time.isoformat(timespec="microseconds") if time else ""


def build_text(session: ExportedSession) -> Row:
    """Return the session as one text, in a row of its own."""
    record = session.session
    parts = [f"## Session: {_join_lines(record.title)}"]
    for message in record.messages:
        calls = "".join(
            f"\n[calls {_join_lines(call.name)} {_mark_lines(call.arguments)}]"
            for call in message.tool_calls
        )
        parts.append(f"**{_SPEAKERS[message.role]}:** {_mark_lines(message.text)}{calls}")
    tags = ", ".join(map(_join_lines, record.eval_tags))
    labels = f"Status: {record.eval_status}" + (f" | Tags: {tags}" if tags else "")
    counts = (record.totals.tokens.input, record.totals.tokens.output)
    known_tokens = [number for number in counts if number is not None]
    cost = record.totals.cost_usd
    amounts = (
        f"Tokens: {sum(known_tokens):,}" if known_tokens else "Tokens: not known",
        "Cost: not known" if cost is None else f"Cost: {format_dollars(cost)}",
        f"Model: {_join_lines(record.model) if record.model else 'not known'}",
    )
    parts.append(f"---\n{' | '.join(amounts)}\n{labels}")
    return {"text": "\n\n".join(parts)}


def _mark_lines(words: str) -> str:
    """Mark each line that looks like a line of this format.

    The first line needs no mark, because the speaker is before it.
    """
    return _SHAPE.sub(lambda match: f"{match[0]}{_MARK}", words)


def _join_lines(words: str) -> str:
    return " ".join(words.split())
