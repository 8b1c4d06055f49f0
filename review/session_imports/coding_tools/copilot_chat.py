"""Sessions of GitHub Copilot Chat in VS Code: exports (``chat.json``) and stored sessions.

A stored session is one JSON object, or since 2026 a log of its changes with one on each line.
Events of the agent are read by `copilot_events`.
"""

from collections.abc import Iterator
from functools import partial

from records.shapes.attempt import Tokens
from review.session_imports.coding_tools import mutation_log
from review.session_imports.coding_tools.copilot_answers import add_answer
from review.session_imports.coding_tools.copilot_events import is_event, read_events
from review.session_imports.common.adapter import ReadSession
from review.session_imports.common.drafts import Draft
from review.session_imports.common.finishing import Finishing
from review.session_imports.common.loose_fields import (
    count_at,
    length_at,
    object_at,
    optional_text,
    word_at,
)
from review.session_imports.common.reading import (
    BadLine,
    UnknownShapeError,
    list_of,
    moment,
    object_of,
    objects_in,
)
from review.session_imports.common.source_file import Fields, SourceFile

NAME = "copilot_chat"


def recognises(source: SourceFile) -> bool:
    """Return whether the file is a session, the log of a session, or events of a session."""
    return any(
        is_event(record)
        or _is_session(object_at(record, "v") if mutation_log.is_initial(record) else record)
        for record in source.head
    )


def read(source: SourceFile) -> Iterator[ReadSession | BadLine]:
    """Yield each session of a file, and each part that could not be read."""
    if any(map(is_event, source.head)):
        yield from read_events(source)
        return
    sessions: list[tuple[int, Fields]] = []
    for number, record in source.records():
        if isinstance(record, BadLine):
            yield record
        elif mutation_log.is_initial(record):
            sessions.append((number, record["v"]))
        elif "requests" in record:
            sessions.append((number, record))
        elif not sessions:
            yield source.problem(number, "stands before the first state of a session")
        else:
            try:
                mutation_log.apply(record, sessions[-1][1])
            except UnknownShapeError as error:
                yield source.problem(number, str(error))
    finish = Finishing(source)
    for number, session in sessions:
        yield from finish.read(number, partial(_read_session, session))


def _is_session(record: Fields) -> bool:
    if not isinstance(record.get("requests"), list):
        return False
    names = ("responderUsername", "requesterUsername", "initialLocation")
    return any(name in record for name in names) or any(
        "message" in request and "response" in request for request in objects_in(record["requests"])
    )


def _read_session(session: Fields) -> Draft:
    """Return the conversation of a session.

    Raises:
        UnknownShapeError: the session has no list of requests.
    """
    draft = Draft(
        may_be_empty=True,
        identity=optional_text(session, "sessionId"),
        title=optional_text(session, "customTitle", "computedTitle"),
        created_at=moment(session.get("creationDate")),
    )
    for number, request in enumerate(list_of(session.get("requests"), "requests"), 1):
        with draft.problems_at(f"request {number}"):
            _add_request(object_of(request, "it"), draft)
    return draft


def _add_request(request: Fields, draft: Draft) -> None:
    """Append a request and its answer; a request that was taken back is only counted."""
    if request.get("isHidden") or request.get("shouldBeRemovedOnSend"):
        draft.leave_out("message taken back", 2 if request.get("response") else 1)
        return
    at = moment(request.get("timestamp"))
    draft.add("user", _read_request(request, draft), at=at)
    add_answer(request, draft)
    result = object_at(request, "result")
    failed = object_at(result, "errorDetails") or object_at(request, "responseErrorDetails")
    if error := optional_text(failed, "message"):
        draft.add("program", error)
    draft.mark_last_answer(
        model=optional_text(request, "modelId"),
        tokens=_tokens(request),
        at=moment(object_at(request, "modelState").get("completedAt")),
    )
    draft.leave_out("reference", length_at(request, "contentReferences"))
    draft.leave_out("citation", length_at(request, "codeCitations"))
    draft.leave_out("proposed request", length_at(request, "followups"))


def _read_request(request: Fields, draft: Draft) -> str:
    """Return the text of a request, and below it the mark of each attachment.

    Raises:
        UnknownShapeError: the request has no text.
    """
    text = _text_of_message(request.get("message"))
    marks: list[str] = []
    for variable in objects_in(object_at(request, "variableData").get("variables")):
        is_image = variable.get("kind") == "image" or variable.get("isImage") is True
        marks.append(draft.mark_file(optional_text(variable, "name"), is_image=is_image))
    return "\n".join([text, *marks])


def _text_of_message(message: object) -> str:
    """Return the text of a request, which older versions have only in parts.

    Raises:
        UnknownShapeError: the request has no text.
    """
    if isinstance(message, str):
        return message
    fields = object_of(message, "message")
    parts = objects_in(fields.get("parts"))
    text = fields.get("text", "".join(word_at(part, "text") for part in parts) if parts else None)
    if not isinstance(text, str):
        raise UnknownShapeError("message has no text")
    return text


def _tokens(request: Fields) -> Tokens | None:
    usage = object_at(request, "usage")
    metadata = object_at(object_at(request, "result"), "metadata")
    prompt = count_at(usage, "promptTokens")
    completion = count_at(usage, "completionTokens")
    prompt = count_at(metadata, "promptTokens") if prompt is None else prompt
    completion = count_at(metadata, "outputTokens") if completion is None else completion
    if prompt is None and completion is None:
        return None
    return Tokens(input=prompt, cached_input=None, output=completion, reasoning=None)
