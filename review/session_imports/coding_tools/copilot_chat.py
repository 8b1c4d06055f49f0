"""Sessions of GitHub Copilot Chat in VS Code: exports (``chat.json``) and stored sessions.

A stored session is one JSON object, or since 2026 a log of its changes with one on each line.
Events of the agent are read by `copilot_events`.
"""

from collections.abc import Iterator

from records.foreign.fields import (
    Fields,
    UnknownShapeError,
    count_items,
    find_text,
    get_count,
    get_object,
    get_text,
    list_objects,
    parse_moment,
    require_list,
    require_object,
)
from records.shapes.attempt import Tokens
from review.session_imports.coding_tools import mutation_log
from review.session_imports.coding_tools.copilot_answers import add_answer
from review.session_imports.coding_tools.copilot_events import is_event, read_events
from review.session_imports.common.drafts import Draft
from review.session_imports.common.source_file import SourceFile

NAME = "copilot_chat"


def recognises(source: SourceFile) -> bool:
    """Return whether the file is a session, the log of a session, or events of a session."""
    return any(
        is_event(record)
        or _is_session(get_object(record, "v") if mutation_log.is_initial(record) else record)
        for record in source.head
    )


def read(source: SourceFile) -> Iterator[Draft]:
    """Yield each session of a file, and report each part that could not be read."""
    if any(map(is_event, source.head)):
        yield read_events(source)
        return
    sessions: list[tuple[int, Fields]] = []
    for number, record in source.read_records():
        if mutation_log.is_initial(record):
            sessions.append((number, record["v"]))
        elif "requests" in record:
            sessions.append((number, record))
        elif not sessions:
            source.report_problem(number, "stands before the first state of a session")
        else:
            with source.catch_problems(number):
                mutation_log.apply(record, sessions[-1][1])
    for number, session in sessions:
        with source.catch_problems(number):
            yield _read_session(number, session)


def _is_session(record: Fields) -> bool:
    if not isinstance(record.get("requests"), list):
        return False
    names = ("responderUsername", "requesterUsername", "initialLocation")
    return any(name in record for name in names) or any(
        "message" in request and "response" in request
        for request in list_objects(record["requests"])
    )


def _read_session(record_number: int, session: Fields) -> Draft:
    """Return the conversation of a session.

    Raises:
        UnknownShapeError: the session has no list of requests.
    """
    draft = Draft(
        may_be_empty=True,
        place=record_number,
        identity=find_text(session, "sessionId"),
        title=find_text(session, "customTitle", "computedTitle"),
        created_at=parse_moment(session.get("creationDate")),
    )
    for number, request in enumerate(require_list(session.get("requests"), "requests"), 1):
        with draft.catch_problems(f"request {number}"):
            _add_request(require_object(request, "it"), draft)
    return draft


def _add_request(request: Fields, draft: Draft) -> None:
    """Append a request and its answer; a request that was taken back is only counted."""
    if request.get("isHidden") or request.get("shouldBeRemovedOnSend"):
        draft.leave_out("message taken back", 2 if request.get("response") else 1)
        return
    at = parse_moment(request.get("timestamp"))
    draft.add("user", _read_request(request, draft), at=at)
    add_answer(request, draft)
    result = get_object(request, "result")
    failed = get_object(result, "errorDetails") or get_object(request, "responseErrorDetails")
    if error := find_text(failed, "message"):
        draft.add("program", error)
    draft.mark_last_answer(
        model=find_text(request, "modelId"),
        tokens=_read_usage(request),
        at=parse_moment(get_object(request, "modelState").get("completedAt")),
    )
    draft.leave_out("reference", count_items(request, "contentReferences"))
    draft.leave_out("citation", count_items(request, "codeCitations"))
    draft.leave_out("proposed request", count_items(request, "followups"))


def _read_request(request: Fields, draft: Draft) -> str:
    """Return the text of a request, and below it the mark of each attachment.

    Raises:
        UnknownShapeError: the request has no text.
    """
    text = _read_message_text(request.get("message"))
    marks: list[str] = []
    for variable in list_objects(get_object(request, "variableData").get("variables")):
        is_image = variable.get("kind") == "image" or variable.get("isImage") is True
        marks.append(draft.mark_file(find_text(variable, "name"), is_image=is_image))
    return "\n".join([text, *marks])


def _read_message_text(message: object) -> str:
    """Return the text of a request, which older versions have only in parts.

    Raises:
        UnknownShapeError: the request has no text.
    """
    if isinstance(message, str):
        return message
    fields = require_object(message, "message")
    parts = list_objects(fields.get("parts"))
    text = fields.get("text", "".join(get_text(part, "text") for part in parts) if parts else None)
    if not isinstance(text, str):
        raise UnknownShapeError("message has no text")
    return text


def _read_usage(request: Fields) -> Tokens | None:
    usage = get_object(request, "usage")
    metadata = get_object(get_object(request, "result"), "metadata")
    prompt = get_count(usage, "promptTokens")
    completion = get_count(usage, "completionTokens")
    prompt = get_count(metadata, "promptTokens") if prompt is None else prompt
    completion = get_count(metadata, "outputTokens") if completion is None else completion
    if prompt is None and completion is None:
        return None
    return Tokens(input=prompt, cached_input=None, output=completion, reasoning=None)
