"""A client of a deployment, over TCP or a Unix socket, which the fixtures of graders use.

Function calls, admin calls and storage are requests of the real backend's HTTP API. Requests for
tests (time, stubs, reset) have paths below ``/_test/``, which only the embedded backend has.
"""

import base64
import json as jsonlib
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Self, cast
from urllib.parse import urlsplit

from runner.backends.backend import Address
from runner.backends.connection import Connections
from runner.backends.values import Value, decode, encode
from runner.errors import BackendBrokenError, BackendUnsupportedError
from runner.jail.deadlines import ProcessorWaits

FunctionKind = Literal["query", "mutation", "action"]

_PAGE = 1000
_EXCERPT = 500
_OK = 200
_FUNCTION_FAILED = 560
_NOT_FOUND = 404


class FunctionError(Exception):
    """A function of the deployment failed; the message is the backend's."""

    def __init__(self, message: str, data: Value, log_lines: Sequence[str]) -> None:
        """Store the backend's report.

        ``data`` is the data of a ConvexError; None for other errors.
        """
        super().__init__(message)
        self.message = message
        self.data = data
        self.log_lines = tuple(log_lines)


@contextmanager
def convert_answer_errors() -> Generator[None]:
    """Convert the errors of a block that reads an answer of a deployment to BackendBrokenError.

    The model's code runs beside the backend and can answer instead of it. So fields of an answer
    may be missing, of another type, or nested too deeply.
    """
    try:
        yield
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        reason = f"{type(error).__name__}: {error}"[:_EXCERPT]
        raise BackendBrokenError(
            f"the deployment answered what no backend of Convex answers: {reason}"
        ) from error


class ForeignAddressError(ValueError):
    """The URL of a request is of another server than the deployment."""


class RequestRefusedError(Exception):
    """The deployment refused a request before it called a function.

    The path, the arguments or the key are wrong. The message has the HTTP status and the body.
    """


class Caller(NamedTuple):
    """The caller of a function: anonymous, with the admin key, or a user."""

    admin: bool = False
    user: Mapping[str, Any] | None = None
    """The attributes of a user's identity, such as ``subject``, ``issuer`` and ``name``."""


ANYBODY = Caller()
ADMIN = Caller(admin=True)


class HttpMessage:
    """A request or an answer with a body."""

    __slots__ = ()
    body: bytes

    @property
    def text(self) -> str:
        """The body as UTF-8."""
        return self.body.decode("utf-8", "replace")

    def json(self) -> Any:  # noqa: ANN401 - JSON is anything
        """Return the body, parsed as JSON. Raises ValueError if it is not JSON."""
        return jsonlib.loads(self.body)


@dataclass(frozen=True, slots=True)
class Response(HttpMessage):
    """The answer of a deployment to an HTTP request, such as of an HTTP action."""

    status: int
    headers: Mapping[str, str]
    """The headers, with names in lower case."""
    body: bytes


class BackendClient:
    """A client of a deployment. Safe to use from several threads."""

    def __init__(self, address: Address, *, timeout_s: float = 60.0) -> None:
        """Prepare requests to a deployment; none is sent yet.

        Each request may take ``timeout_s`` seconds. The time that the deployment waited for a
        processor does not count.
        """
        self._address = address
        self._component: str | None = None
        self._connections = Connections(address.socket, timeout_s, ProcessorWaits(*address.pids))

    def in_component(self, path: str) -> Self:
        """Return a client of the functions and tables of a component, such as ``counter/audit``.

        The new client shares the connections. Its calls need a caller with the admin key, and raise
        FunctionError if there is no such component. Its methods for time, stubs and HTTP concern
        the whole deployment.
        """
        inside = copy(self)
        inside._component = path  # noqa: SLF001 - of the same class
        return inside

    def close(self) -> None:
        """Close the connections."""
        self._connections.close()

    def __enter__(self) -> Self:
        """Return this client; the end of the `with` block closes it."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connections to the deployment."""
        self.close()

    # --- Functions -----------------------------------------------------------------------------

    def call(
        self,
        kind: FunctionKind | Literal["function"],
        path: str,
        args: Mapping[str, Value] | None = None,
        caller: Caller = ANYBODY,
    ) -> Value:
        """Call a function such as ``messages:list``, and return its result.

        Raises FunctionError if the function fails, RequestRefusedError if it is not called,
        BackendBrokenError if the deployment does not answer, or the answer has a wrong form.
        """
        request = {"path": path, "args": encode(args or {}), "format": "convex_encoded_json"}
        if self._component is not None:
            # Only /api/function accepts a component; the backend finds the kind of function.
            kind, request = "function", {**request, "componentPath": self._component}
        answer = self._post(f"/api/{kind}", request, caller)
        if answer.status not in {_OK, _FUNCTION_FAILED}:
            raise RequestRefusedError(f"HTTP {answer.status}: {_make_excerpt(answer)}")
        with convert_answer_errors():
            outcome = _parse_json(answer)
            if outcome["status"] == "success":
                return decode(outcome["value"])
            log_lines = tuple(map(str, outcome.get("logLines", ())))
            data = decode(outcome["errorData"]) if "errorData" in outcome else None
            failure = FunctionError(str(outcome["errorMessage"]), data, log_lines)
        raise failure

    # --- HTTP ----------------------------------------------------------------------------------

    def send_http(
        self,
        method: str,
        url: str,
        *,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        caller: Caller = ANYBODY,
    ) -> Response:
        """Send a request to a URL of the deployment; a path alone means an HTTP action.

        Redirects are not followed. Raises ForeignAddressError for a URL of another server,
        BackendBrokenError if the deployment does not answer.
        """
        absolute = self._address.site_origin + url if url.startswith("/") else url
        if not self._is_own(absolute):
            raise ForeignAddressError(f"{url} is no address of this deployment")
        sent = {**self._make_authorization(caller), **(headers or {})}
        return self._send_request(method, absolute, body, sent)

    def _is_own(self, url: str) -> bool:
        """Return true if a URL is of this deployment; the model's code may return other URLs."""
        try:
            parts = urlsplit(url)
        except ValueError:
            return False
        own = {self._address.origin, self._address.site_origin}
        return f"{parts.scheme}://{parts.netloc}" in own

    def store(self, body: bytes, content_type: str | None = None) -> str:
        """Store a file by an upload URL, as clients do; return its id."""
        url = self.call_system("mutation", "frontend/fileStorageV2:generateUploadUrl")
        headers = {"content-type": content_type} if content_type else {}
        answer = self._send_request("POST", url, body, headers)
        if answer.status != _OK:
            raise RequestRefusedError(f"HTTP {answer.status}: {_make_excerpt(answer)}")
        with convert_answer_errors():
            return str(_parse_json(answer)["storageId"])

    # --- Facts of the deployment, for callers with its key ---------------------------------------

    def list_documents(self, table: str) -> list[dict[str, Value]]:
        """Return all documents of a table, also of a system table; the oldest is first."""
        return self.list_items("cli/tableData", {"table": table, "order": "asc"})

    def insert(self, table: str, documents: Sequence[Mapping[str, Value]]) -> list[str]:
        """Insert documents in this order, without a function of the project; return their ids.

        Raises FunctionError if a document does not fit the schema; then none is inserted.
        """
        if not documents:
            return []
        request = {"table": table, "documents": [dict(document) for document in documents]}
        done = self.call_system("mutation", "frontend/addDocument", request)
        with convert_answer_errors():
            if not done["success"]:
                raise FunctionError(str(done["error"]), None, ())
            if "ids" in done:
                return cast("list[str]", done["ids"])
        # The real backend does not return the ids of an import: the newest documents have them.
        newest = self.list_items("cli/tableData", {"table": table, "order": "desc"}, len(documents))
        with convert_answer_errors():
            return [document["_id"] for document in reversed(newest)]

    # --- Requests for tests only -----------------------------------------------------------------

    def read_time(self) -> float:
        """Return the deployment's Unix time in seconds."""
        reply = self.call_control("now")
        with convert_answer_errors():
            return float(reply["now"])

    def advance_to(self, unix_s: float) -> None:
        """Move the deployment's time forward to ``unix_s``, a Unix time in seconds.

        Runs the jobs that become due, in order, and waits for their end.
        """
        self.call_control("advance", {"to": unix_s})

    def take_log(self) -> tuple[str, ...]:
        """Return the lines that functions logged since the last call, the oldest first.

        Each line begins with the kind and the path of its function, such as ``query notes:list``.
        If lines were left out, the last line has their number.
        """
        reply = self.call_control("log")
        with convert_answer_errors():
            lines: list[str] = []
            for line in reply["lines"]:
                kind, path = line["kind"], line["path"].replace(".js:", ":")
                # An HTTP action has a kind and no path of its own.
                name = kind if kind == path else f"{kind} {path}"
                lines.append(f"{name}: {line['line']}")
            left_out = int(reply["leftOut"])
        return (*lines, f"{left_out} lines more") if left_out else tuple(lines)

    # --- Requests --------------------------------------------------------------------------------

    def call_system(
        self, kind: FunctionKind, path: str, args: Mapping[str, Value] | None = None
    ) -> Any:  # noqa: ANN401 - each system function has another result
        """Call a function of the backend itself, by its path without ``_system/``."""
        return self.call(kind, f"_system/{path}", args, ADMIN)

    def list_items(
        self, path: str, args: Mapping[str, Value], at_most: int | None = None
    ) -> list[dict[str, Value]]:
        """Return the items of all pages of a system query, or the first ``at_most`` items."""
        items: list[dict[str, Value]] = []
        cursor = None
        while at_most is None or len(items) < at_most:
            size = _PAGE if at_most is None else at_most - len(items)
            options = {"numItems": min(size, _PAGE), "cursor": cursor}
            page = self.call_system("query", path, {**args, "paginationOpts": options})
            with convert_answer_errors():
                items += page["page"]
                if page["isDone"]:
                    break
                cursor = page["continueCursor"]
        return items

    def call_control(self, name: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Send a request for tests only, such as ``reset`` or ``settle``.

        docs/backend.md lists them. Raises BackendUnsupportedError for the real backend.
        """
        answer = self._post(f"/_test/{name}", body or {}, ADMIN)
        if answer.status == _NOT_FOUND and self._address.socket is None:
            raise BackendUnsupportedError(f"this backend has no test control {name!r}")
        if answer.status != _OK:
            raise BackendBrokenError(
                f"test control {name}: HTTP {answer.status}: {_make_excerpt(answer)}"
            )
        with convert_answer_errors():
            return _parse_json(answer)

    def _post(self, path: str, body: Mapping[str, Any], caller: Caller) -> Response:
        headers = {"content-type": "application/json", **self._make_authorization(caller)}
        content = jsonlib.dumps(body, ensure_ascii=False, allow_nan=False).encode()
        return self._send_request("POST", self._address.origin + path, content, headers)

    def _send_request(
        self, method: str, url: str, body: bytes | None, headers: Mapping[str, str]
    ) -> Response:
        return Response(*self._connections.send_request(method, url, body, headers))

    def _make_authorization(self, caller: Caller) -> dict[str, str]:
        key = self._address.admin_key
        if caller.user is not None:
            identity = base64.b64encode(jsonlib.dumps(dict(caller.user)).encode()).decode("ascii")
            return {"authorization": f"Convex {key}:{identity}"}
        return {"authorization": f"Convex {key}"} if caller.admin else {}


def _parse_json(answer: Response) -> dict[str, Any]:
    try:
        content: object = jsonlib.loads(answer.body)
    except ValueError as error:
        reason = f"the deployment answered no JSON: {_make_excerpt(answer)}"
        raise BackendBrokenError(reason) from error
    if not isinstance(content, dict):
        raise BackendBrokenError(f"the deployment answered no object: {_make_excerpt(answer)}")
    return cast("dict[str, Any]", content)


def _make_excerpt(answer: Response) -> str:
    return answer.text[:_EXCERPT] or "nothing"
