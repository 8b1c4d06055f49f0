"""Logs of Inspect (`.eval` or JSON), with a session for each sample and epoch.

A `.eval` file is a ZIP: `header.json` describes the run, and `samples/<id>_epoch_<n>.json` are its
samples. An unfinished log has `_journal/start.json` instead of the header. New logs are compressed
with Zstandard, which Python's own zipfile reads from 3.14 on.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import cast

from records.errors import InvalidRecordError
from records.foreign import inspect_logs
from records.foreign.fields import (
    Fields,
    UnknownShapeError,
    as_fields,
    as_items,
    find_text,
    get_count,
    get_object,
    list_objects,
    parse_moment,
    require_list,
    require_object,
    require_text,
)
from records.sessions.session import EvalStatus
from records.shapes.totals import sum_tokens
from review.session_imports.common.drafts import Draft
from review.session_imports.common.source_file import SourceFile, locate_errors

NAME = "inspect"
_VERDICTS: Mapping[str, EvalStatus] = {
    "C": EvalStatus.CORRECT,
    "I": EvalStatus.INCORRECT,
    "1": EvalStatus.CORRECT,
    "0": EvalStatus.INCORRECT,
}


def recognises(source: SourceFile) -> bool:
    """Return whether a file is a log of Inspect, as a ZIP or as JSON."""
    if source.data.startswith(inspect_logs.ZIP):
        return inspect_logs.is_packed_log(source.data)
    ran = source.fields.get("eval")
    return isinstance(ran, dict) and "run_id" in ran


def read(source: SourceFile) -> Iterator[Draft]:
    """Yield a session for each sample, and report the parts that could not be read."""
    with source.catch_problems(0):
        is_packed = source.data.startswith(inspect_logs.ZIP)
        log, samples = _read_packed_log(source) if is_packed else _read_plain_log(source)
        ran = require_object(log.get("eval"), "eval")
        if log.get("invalidated") is True:
            reason = "the log was invalidated: nothing of it is imported"
            source.report_problem(0, reason, wrong=False)
            return
        if reason := _explain_unfinished(log):
            source.report_problem(0, reason, wrong=False)
        for name, read_sample in samples:
            with source.catch_problems(0, name):
                sample = read_sample()
                if sample.get("invalidation"):
                    reason = f"{name}: left out, it was invalidated"
                    source.report_problem(0, reason, wrong=False)
                    continue
                yield _read_draft(ran, sample)
                if error := _read_error_message(sample.get("error")):
                    reason = f"{name}: it ended in an error, and waits for a person: {error}"
                    source.report_problem(0, reason, wrong=False)


_Samples = Iterator[tuple[str, Callable[[], Fields]]]
"""The name and the reader of each sample."""


def _explain_unfinished(log: Fields) -> str | None:
    """Return why a log is not complete; None if it is complete or has no status."""
    status, error = log.get("status"), _read_error_message(log.get("error"))
    if status == "error":
        return f"the log ended with an error; samples before it are read: {error or 'unknown'}"
    if status in ("cancelled", "started"):
        return f"the log is {status}; its samples so far are read"
    return None


def _read_error_message(error: object) -> str | None:
    """Return the first line of an error's message, at most 200 characters; None without error."""
    if not isinstance(error, dict):
        return None
    message = str(cast("Fields", error).get("message") or "without a message")
    return message.strip().partition("\n")[0][:200]


def _read_plain_log(source: SourceFile) -> tuple[Fields, _Samples]:
    log = require_object(source.document, "")
    samples = log.get("samples")
    listed = (
        [] if samples is None and _explain_unfinished(log) else require_list(samples, "samples")
    )
    return log, (
        (f"sample {number}", partial(require_object, item, "it"))
        for number, item in enumerate(listed, 1)
    )


def _read_packed_log(source: SourceFile) -> tuple[Fields, _Samples]:
    """Return the header of a `.eval` file and its samples, which are unpacked one at a time."""
    try:
        log = inspect_logs.open_packed(source.path, source.data)
    except InvalidRecordError as error:
        raise UnknownShapeError(error.reason) from error
    with locate_errors(log.head):
        header = _read_member(log, log.head)
    return header, ((name, partial(_read_member, log, name)) for name in log.samples)


def _read_member(log: inspect_logs.PackedLog, name: str) -> Fields:
    try:
        return require_object(SourceFile(Path(name), log.unpack(name)).document, "")
    except InvalidRecordError as error:
        raise UnknownShapeError(error.reason) from error


def _read_draft(ran: Fields, sample: Fields) -> Draft:
    attached = require_object(sample.get("attachments") or {}, "attachments")
    texts = inspect_logs.Attachments(attached, UnknownShapeError)
    draft = Draft(replaces_earlier=True)
    for message in require_list(sample.get("messages"), "messages"):
        _add_message(require_object(texts.fill(message), "a message"), ran, draft)
    if not draft.messages:
        raise UnknownShapeError("holds no message")
    identity, epoch, task = str(sample.get("id")), sample.get("epoch", 1), ran.get("task")
    begun = parse_moment(sample.get("started_at")) or parse_moment(ran.get("created"))
    draft.identity = str(sample.get("uuid") or f"{require_text(ran, 'run_id')}/{identity}/{epoch}")
    draft.title = f"{task} {identity}" if isinstance(task, str) else identity
    draft.part = identity
    draft.epoch = epoch
    draft.created_at = begun
    draft.updated_at = parse_moment(sample.get("completed_at")) or begun
    usage = sample.get("model_usage")
    parts = list_objects(list(as_fields(usage).values()))
    draft.tokens = sum_tokens(
        [inspect_logs.read_inspect_usage(partial(get_count, part)) for part in parts]
    )
    # The first right answer counts, if there are several.
    target = sample.get("target")
    first = next(iter(as_items(target)), target)
    draft.labels = {
        "model": find_text(ran, "model"),
        "eval_status": _read_status(sample),
        "expected_output": first if isinstance(first, str) and first.strip() else None,
    }
    return draft


def _add_message(fields: Fields, ran: Fields, draft: Draft) -> None:
    role = require_text(fields, "role")
    # A call of a server's tool gets the type that other programs use.
    parts = [
        {**as_fields(part), "type": "server_tool_use"}
        if as_fields(part).get("type") == "tool_use"
        else part
        for part in as_items(fields.get("content"))
    ]
    text = draft.read_text(parts or fields.get("content"))
    error = _read_error_message(fields.get("error")) if role == "tool" and not text else None
    own = find_text(fields, "model") or find_text(ran, "model")
    draft.add(
        role,
        text or error or "",
        calls=[
            draft.call(
                require_text(call, "function"), call.get("arguments"), require_text(call, "id")
            )
            for call in list_objects(fields.get("tool_calls"))
        ],
        tool_call_id=fields.get("tool_call_id"),
        model=own if role == "assistant" else None,
    )


def _read_status(sample: Fields) -> EvalStatus:
    """Return the status by all scores of a sample, if all are C or 1, or all are I or 0.

    In all other cases, a person must judge: the status is needs_review.
    """
    scores = get_object(sample, "scores")
    if sample.get("error") or not scores:
        return EvalStatus.NEEDS_REVIEW
    verdicts: set[EvalStatus] = set()
    for score in scores.values():
        value = as_fields(score).get("value")
        word = int(value) if isinstance(value, bool | int | float) and value in {0, 1} else value
        verdicts.add(_VERDICTS.get(str(word), EvalStatus.NEEDS_REVIEW))
    return verdicts.pop() if len(verdicts) == 1 else EvalStatus.NEEDS_REVIEW
