"""Files of batches: requests and replies, joined by ``custom_id`` if both are in one file.

OpenAI's lines have ``body`` or ``response``, Anthropic's ``params`` or ``result``. A request or a
reply alone becomes a session, too.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from records.foreign.fields import Fields, UnknownShapeError, as_fields, find_text, get_object
from review.session_imports.common.drafts import Draft, as_unique_name
from review.session_imports.common.source_file import SourceFile
from review.session_imports.row_formats import chat_rows

NAME = "batch"
_SUCCESS = range(200, 300)


@dataclass
class _Exchange:
    """A request and its reply; the file may have only one of them."""

    number: int
    """The number of the first of their records."""
    request: Fields | None = None
    reply: Fields | None = None


def recognises(source: SourceFile) -> bool:
    """Return whether the file holds requests or replies of a batch."""
    return any(_is_request(record) or _is_reply(record) for record in source.head)


def read(source: SourceFile) -> Iterator[Draft]:
    """Yield the session of each request, and report each part that could not be read."""
    exchanges: list[_Exchange] = []
    named: dict[str, _Exchange] = {}
    for number, record in source.read_records():
        if _is_request(record) or _is_reply(record):
            _take(record, number, exchanges, named)
        else:
            source.report_problem(number, "is neither a request nor a reply of a batch")
    for exchange in exchanges:
        with source.catch_problems(exchange.number):
            request_record = exchange.request or {}
            request = get_object(request_record, "body") or get_object(request_record, "params")
            reply = as_fields(_read_body(exchange.reply) if exchange.reply is not None else None)
            draft = _read_pair(request, reply)
            answered = exchange.reply or {}
            draft.part = find_text(request_record, "custom_id") or find_text(answered, "custom_id")
            draft.identity = as_unique_name(answered.get("id")) or draft.identity
            draft.place = exchange.number
            yield draft


def _is_request(record: Fields) -> bool:
    has_body = isinstance(record.get("body"), dict) or isinstance(record.get("params"), dict)
    return "custom_id" in record and has_body


def _is_reply(record: Fields) -> bool:
    has_reply = isinstance(record.get("response"), dict) or isinstance(record.get("result"), dict)
    return "custom_id" in record and (has_reply or isinstance(record.get("error"), dict))


def _take(
    record: Fields,
    number: int,
    exchanges: list[_Exchange],
    named: dict[str, _Exchange],
) -> None:
    """Join a record with its request or reply; a second record of the same kind stays alone."""
    side = "request" if _is_request(record) else "reply"
    name = find_text(record, "custom_id")
    exchange = named.get(name) if name else None
    if exchange is None or getattr(exchange, side) is not None:
        exchange = _Exchange(number)
        exchanges.append(exchange)
        if name:
            named.setdefault(name, exchange)
    setattr(exchange, side, record)


def _read_body(reply: Fields) -> Fields:
    """Return the answer in a reply.

    Raises:
        UnknownShapeError: the request failed; the message has the reason.
    """
    result = get_object(reply, "result")
    if result:
        if result.get("type") != "succeeded":
            raise UnknownShapeError(f"the request has no answer: {_read_reason(result)}")
        return get_object(result, "message")
    response = get_object(reply, "response")
    status = response.get("status_code")
    if get_object(reply, "error") or not isinstance(status, int) or status not in _SUCCESS:
        failed = get_object(reply, "error") or get_object(response, "body") or response
        raise UnknownShapeError(f"the request has no answer: {_read_reason(failed)}")
    return get_object(response, "body")


def _read_reason(failed: Fields) -> str:
    inner = get_object(failed, "error")
    nested = get_object(inner, "error")
    for fields in (nested, inner, failed):
        if text := find_text(fields, "message", "code", "type"):
            return text
    return f"status {failed.get('status_code')}"


def _read_pair(request: Fields, reply: Fields) -> Draft:
    pair = {"request": request, "response": reply}
    if "output" in reply or ("input" in request and "messages" not in request):
        if "embedding" in str(request.get("model", reply.get("model", ""))):
            raise UnknownShapeError("embeddings hold no conversation")
        return chat_rows.read_response(pair if reply else request)
    if chat_rows.is_anthropic(request) or chat_rows.is_anthropic(reply):
        return chat_rows.read_anthropic(pair if reply else request)
    if "choices" in reply or "messages" in request:
        return chat_rows.read_chat(pair if reply else request)
    raise UnknownShapeError("holds no conversation of an API that is known")
