"""Files of batches: requests and replies, joined by ``custom_id`` if both are in one file.

OpenAI's lines have ``body`` or ``response``, Anthropic's ``params`` or ``result``. A request or a
reply alone becomes a session, too.
"""

from collections.abc import Iterator

from records.foreign.fields import Fields, UnknownShapeError, find_text, get_object
from review.session_imports.common.drafts import Draft, as_unique_name
from review.session_imports.common.source_file import SourceFile
from review.session_imports.row_formats import chat_rows

NAME = "batch"
_SUCCESS = range(200, 300)


def recognises(source: SourceFile) -> bool:
    """Return whether the file holds requests or replies of a batch."""
    return any(_is_request(record) or _is_reply(record) for record in source.head)


def read(source: SourceFile) -> Iterator[Draft]:
    """Yield the session of each request, and report each part that could not be read."""
    # The number of the first record of each exchange, and its request, its reply, or both.
    exchanges: list[tuple[int, dict[str, Fields]]] = []
    named: dict[str, dict[str, Fields]] = {}
    for number, record in source.read_records():
        if not (_is_request(record) or _is_reply(record)):
            source.report_problem(number, "is neither a request nor a reply of a batch")
            continue
        # A second record of the same kind stays alone.
        side = "request" if _is_request(record) else "reply"
        name = find_text(record, "custom_id")
        exchange = named.get(name) if name else None
        if exchange is None or side in exchange:
            exchange = dict[str, Fields]()
            exchanges.append((number, exchange))
            if name:
                named.setdefault(name, exchange)
        exchange[side] = record
    for number, exchange in exchanges:
        with source.catch_problems(number):
            asked, answered = get_object(exchange, "request"), get_object(exchange, "reply")
            request = get_object(asked, "body") or get_object(asked, "params")
            draft = _read_pair(request, _read_body(answered) if answered else {})
            draft.part = find_text(asked, "custom_id") or find_text(answered, "custom_id")
            draft.identity = as_unique_name(answered.get("id")) or draft.identity
            draft.place = number
            yield draft


def _is_request(record: Fields) -> bool:
    has_body = isinstance(record.get("body"), dict) or isinstance(record.get("params"), dict)
    return "custom_id" in record and has_body


def _is_reply(record: Fields) -> bool:
    has_reply = isinstance(record.get("response"), dict) or isinstance(record.get("result"), dict)
    return "custom_id" in record and (has_reply or isinstance(record.get("error"), dict))


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
