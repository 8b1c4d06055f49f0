"""Logs of Inspect (`.eval` or JSON), with a session for each sample and epoch.

A `.eval` file is a ZIP: `header.json` describes the run, and `samples/<id>_epoch_<n>.json` are its
samples. An unfinished log has `_journal/start.json` instead of the header. New logs are compressed
with Zstandard, which Python's own zipfile reads from 3.14 on.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from records.errors import InvalidRecordError
from records.files.inspect_archives import (
    LARGEST_SAMPLE,
    Attachments,
    choose_description_file,
    is_packed_log,
    list_samples,
)
from records.files.inspect_usage import read_usage
from records.files.packed_files import ZIP, open_packed, unpack
from records.sessions.session import EvalStatus, SessionMessage, ToolCall
from records.shapes.attempt import Tokens
from review.session_imports.common.adapter import ReadSession
from review.session_imports.common.loose_fields import (
    as_fields,
    as_items,
    find_text,
    format_arguments,
    get_count,
    get_object,
    sum_known,
)
from review.session_imports.common.parts import read_content_text
from review.session_imports.common.reading import (
    UNREADABLE,
    BadLine,
    UnknownShapeError,
    describe_error,
    list_objects,
    parse_moment,
    require_list,
    require_object,
    require_text,
)
from review.session_imports.common.source_file import Fields, SourceFile

if TYPE_CHECKING:
    from zipfile import ZipFile

NAME = "inspect"
_VERDICTS: Final[Mapping[str, EvalStatus]] = {
    "C": EvalStatus.CORRECT,
    "I": EvalStatus.INCORRECT,
    "1": EvalStatus.CORRECT,
    "0": EvalStatus.INCORRECT,
}


def recognises(source: SourceFile) -> bool:
    """Return whether a file is a log of Inspect, as a ZIP or as JSON."""
    if source.raw.startswith(ZIP):
        return is_packed_log(source.raw)
    ran = source.one_object.get("eval") if source.is_one_object else None
    return isinstance(ran, dict) and "run_id" in ran


def read(source: SourceFile) -> Iterator[ReadSession | BadLine]:
    """Yield a session for each sample, and the problems of parts that could not be read."""
    try:
        log, samples = _read_log(source)
        ran = require_object(log.get("eval"), "eval")
    except UnknownShapeError as error:
        yield source.report_problem(0, str(error))
        return
    if log.get("invalidated") is True:
        yield source.report_problem(
            0, "the log was invalidated: nothing of it is imported", wrong=False
        )
        return
    if reason := _explain_unfinished(log):
        yield source.report_problem(0, reason, wrong=False)
    for name, sample in samples:
        if isinstance(sample, UnknownShapeError):
            yield source.report_problem(0, f"{name}: {sample}")
            continue
        try:
            yield from _read_sample(source, name, ran, sample)
        except UNREADABLE as error:
            yield source.report_problem(0, f"{name}: {describe_error(error)}")


def _read_sample(
    source: SourceFile, name: str, ran: Fields, sample: Fields
) -> Iterator[ReadSession | BadLine]:
    if sample.get("invalidation"):
        yield source.report_problem(0, f"{name}: left out, it was invalidated", wrong=False)
        return
    yield _read_session(ran, sample)
    if error := _read_error_message(sample.get("error")):
        reason = f"{name}: it ended in an error, and waits for a person: {error}"
        yield source.report_problem(0, reason, wrong=False)


_Sample = Mapping[str, Any] | UnknownShapeError


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


def _read_log(source: SourceFile) -> tuple[Mapping[str, Any], Iterator[tuple[str, _Sample]]]:
    if source.raw.startswith(ZIP):
        return _read_packed_log(source)
    return _read_plain_log(source.one_object)


def _read_plain_log(log: Fields) -> tuple[Fields, Iterator[tuple[str, _Sample]]]:
    samples = log.get("samples")
    listed = (
        [] if samples is None and _explain_unfinished(log) else require_list(samples, "samples")
    )
    return log, ((f"sample {number}", _check_sample(item)) for number, item in enumerate(listed, 1))


def _check_sample(sample: object) -> _Sample:
    try:
        return require_object(sample, "it")
    except UnknownShapeError as error:
        return error


def _read_packed_log(source: SourceFile) -> tuple[Mapping[str, Any], Iterator[tuple[str, _Sample]]]:
    """Return the header of a `.eval` file and its samples, which are unpacked one at a time."""
    try:
        archive = open_packed(source.path, source.raw)
    except InvalidRecordError as error:
        raise UnknownShapeError(error.reason) from error
    names = archive.namelist()
    head = choose_description_file(names)
    log = _read_member(archive, source.path, head)
    if isinstance(log, UnknownShapeError):
        raise UnknownShapeError(f"{head}: {log}")
    members = list_samples(names)
    return log, ((name, _read_member(archive, source.path, name)) for name in members)


def _read_member(archive: "ZipFile", path: Path, name: str) -> _Sample:
    try:
        return SourceFile(Path(name), unpack(archive, path, name, LARGEST_SAMPLE)).one_object
    except InvalidRecordError as error:
        return UnknownShapeError(error.reason)
    except UnknownShapeError as error:
        return error


def _read_session(ran: Fields, sample: Fields) -> ReadSession:
    attached = require_object(sample.get("attachments") or {}, "attachments")
    texts = Attachments(attached, UnknownShapeError)
    left_out = Counter[str]()
    messages = [
        _read_message(require_object(texts.fill(message), "a message"), ran, left_out)
        for message in require_list(sample.get("messages"), "messages")
    ]
    if not messages:
        raise UnknownShapeError("holds no message")
    identity, epoch, task = str(sample.get("id")), sample.get("epoch", 1), ran.get("task")
    begun = parse_moment(sample.get("started_at")) or parse_moment(ran.get("created"))
    return ReadSession(
        messages,
        identity=str(sample.get("uuid") or f"{require_text(ran, 'run_id')}/{identity}/{epoch}"),
        title=f"{task} {identity}" if isinstance(task, str) else identity,
        part=identity,
        epoch=epoch,
        created_at=begun,
        updated_at=parse_moment(sample.get("completed_at")) or begun,
        tokens=_sum_model_usages(sample.get("model_usage")),
        left_out=left_out,
        labels={
            "model": find_text(ran, "model"),
            "eval_status": _read_status(sample),
            "expected_output": _read_target(sample.get("target")),
        },
    )


def _read_message(fields: Fields, ran: Fields, left_out: Counter[str]) -> SessionMessage:
    role = require_text(fields, "role")
    parts = [_as_server_call(part) for part in as_items(fields.get("content"))]
    text = read_content_text(parts or fields.get("content"), left_out)
    error = _read_error_message(fields.get("error")) if role == "tool" and not text else None
    own = find_text(fields, "model") or find_text(ran, "model")
    return SessionMessage.model_validate(
        {
            "role": role,
            "text": text or error or "",
            "tool_calls": tuple(map(_read_call, list_objects(fields.get("tool_calls")))),
            "tool_call_id": fields.get("tool_call_id"),
            "model": own if role == "assistant" else None,
        }
    )


def _as_server_call(part: object) -> object:
    """Return a part, with the type that other programs use if it is a call of a server's tool."""
    fields = as_fields(part)
    is_call = fields.get("type") == "tool_use"
    return {**fields, "type": "server_tool_use"} if is_call else part


def _read_call(fields: Mapping[str, Any]) -> ToolCall:
    return ToolCall(
        id=require_text(fields, "id"),
        name=require_text(fields, "function"),
        arguments=format_arguments(fields.get("arguments")),
    )


def _sum_model_usages(usage: object) -> Tokens:
    """Return the usage of all models of a sample, as far as it is known."""
    parts = [
        read_usage(partial(get_count, part))
        for part in list_objects(list(as_fields(usage).values()))
    ]
    return Tokens(
        input=sum_known(part.input for part in parts),
        cached_input=sum_known(part.cached_input for part in parts),
        output=sum_known(part.output for part in parts),
        reasoning=sum_known(part.reasoning for part in parts),
    )


def _read_status(sample: Mapping[str, Any]) -> EvalStatus:
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


def _read_target(target: object) -> str | None:
    """Return the right answer, the first if there are several; None if it has no text."""
    first = next(iter(as_items(target)), target)
    return first if isinstance(first, str) and first.strip() else None
