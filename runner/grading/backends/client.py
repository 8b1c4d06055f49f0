"""A client of a deployment, over TCP or a Unix socket: what a grader's fixtures are made of.

Function calls, admin calls and storage are the real backend's HTTP API. What only a test can ask
for (time, stubs, a fresh start) stands under ``/_test/``, which the real backend does not have.
"""

import base64
import json as jsonlib
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Literal, Self, cast
from urllib.parse import urlsplit

from runner.errors import BackendBrokenError, BackendUnsupportedError
from runner.grading.backends.base import Address
from runner.grading.backends.connection import Connections
from runner.grading.backends.values import Value, decode, encode
from runner.jail.deadlines import ProcessorWaits

FunctionKind = Literal["query", "mutation", "action"]

_PAGE = 1000
_SHOWN = 500
_OK = 200
_FUNCTION_FAILED = 560
_NOT_FOUND = 404


class FunctionError(Exception):
    """A function of the deployment failed; the message is the backend's."""

    def __init__(self, message: str, data: Value, log_lines: Sequence[str]) -> None:
        """Keep what the backend said.

        ``data`` is what a ConvexError carried; None where the function failed otherwise.
        """
        super().__init__(message)
        self.message = message
        self.data = data
        self.log_lines = tuple(log_lines)


class NonsenseError(BackendBrokenError):
    """A deployment answered what no backend of Convex answers."""


@contextmanager
def understanding() -> Generator[None]:
    """Read an answer of a deployment, whatever it may be.

    The model's code runs beside the backend and can answer in its place: fields may be missing, of
    another type, nested too deeply. Raises NonsenseError for all of that.
    """
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, RecursionError) as error:
        raise NonsenseError(_nonsense(error)) from error
    except (TypeError, ValueError) as error:
        raise NonsenseError(_nonsense(error)) from error


class ForeignAddressError(ValueError):
    """A URL was to be asked that is not the deployment's."""


class RequestRefusedError(Exception):
    """The deployment refused a request before it reached a function: path, arguments, key."""

    def __init__(self, status: int, text: str) -> None:
        """Keep the HTTP status and the body."""
        super().__init__(f"HTTP {status}: {text}")
        self.status = status
        self.text = text


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls a function: anybody, somebody with the admin key, or a user."""

    admin: bool = False
    user: Mapping[str, Any] | None = None
    """The user's attributes (``subject``, ``issuer``, ``name``, ...), as an identity has them."""


ANYBODY = Caller()
ADMIN = Caller(admin=True)


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What a URL answered."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes


@dataclass(frozen=True, slots=True)
class Called:
    """What a function returned, and what it printed."""

    value: Value
    log_lines: tuple[str, ...] = field(default_factory=tuple[str, ...])


class BackendClient:
    """Speaks to one deployment. Safe to use from several threads."""

    def __init__(self, address: Address, *, timeout_s: float = 60.0) -> None:
        """Speak to a deployment; nothing is sent yet. ``timeout_s`` bounds each request.

        The time that the deployment waited for a processor does not count.
        """
        self._address = address
        self._component: str | None = None
        self._connections = Connections(address.socket, timeout_s, ProcessorWaits(*address.pids))

    def in_component(self, path: str) -> Self:
        """Return a client of the functions and tables of a component, such as ``counter/audit``.

        It shares the connections; its calls need a caller with the admin key. They raise
        FunctionError where there is no such component. What belongs to the whole deployment (time,
        stubs, HTTP) is the same.
        """
        inside = copy(self)
        inside._component = path  # noqa: SLF001 - of the same class
        return inside

    def close(self) -> None:
        """Let go of the connections."""
        self._connections.close()

    def __enter__(self) -> Self:
        """Return itself; the end of the block closes it."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connections to the deployment."""
        self.close()

    # --- Functions -----------------------------------------------------------------------------

    def query(
        self, path: str, args: Mapping[str, Value] | None = None, caller: Caller = ANYBODY
    ) -> Value:
        """Call a query such as ``messages:list``. Raises FunctionError."""
        return self.call("query", path, args, caller).value

    def mutation(
        self, path: str, args: Mapping[str, Value] | None = None, caller: Caller = ANYBODY
    ) -> Value:
        """Call a mutation. Raises FunctionError."""
        return self.call("mutation", path, args, caller).value

    def action(
        self, path: str, args: Mapping[str, Value] | None = None, caller: Caller = ANYBODY
    ) -> Value:
        """Call an action. Raises FunctionError."""
        return self.call("action", path, args, caller).value

    def call(
        self,
        kind: FunctionKind | Literal["function"],
        path: str,
        args: Mapping[str, Value] | None = None,
        caller: Caller = ANYBODY,
    ) -> Called:
        """Call a function, for what it returns and prints.

        Raises FunctionError when it fails, RequestRefusedError when it is not even tried,
        BackendBrokenError when the deployment does not answer, NonsenseError when it answers
        something else.
        """
        request = {"path": path, "args": encode(args or {}), "format": "convex_encoded_json"}
        if self._component is not None:
            # Only this address takes a component; it finds out the kind itself.
            kind, request = "function", {**request, "componentPath": self._component}
        answer = self._post(f"/api/{kind}", request, caller)
        if answer.status not in {_OK, _FUNCTION_FAILED}:
            raise RequestRefusedError(answer.status, _shown(answer))
        with understanding():
            outcome = _json(answer)
            log_lines = tuple(map(str, outcome.get("logLines", ())))
            if outcome["status"] == "success":
                return Called(decode(outcome["value"]), log_lines)
            data = decode(outcome["errorData"]) if "errorData" in outcome else None
            failure = FunctionError(str(outcome["errorMessage"]), data, log_lines)
        raise failure

    # --- HTTP ----------------------------------------------------------------------------------

    def http(
        self,
        method: str,
        url: str,
        *,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        caller: Caller = ANYBODY,
    ) -> HttpAnswer:
        """Ask a URL of the deployment; a mere path is one of its HTTP actions.

        Redirects are not followed. Raises ForeignAddressError for a URL of somebody else,
        BackendBrokenError when the deployment does not answer.
        """
        absolute = self._address.site_origin + url if url.startswith("/") else url
        if not self._is_own(absolute):
            raise ForeignAddressError(f"{url} is no address of this deployment")
        sent = {**self._authorization(caller), **(headers or {})}
        return self._request(method, absolute, body, sent)

    def _is_own(self, url: str) -> bool:
        """Tell whether a URL is the deployment's: the answer may have made it up."""
        try:
            parts = urlsplit(url)
        except ValueError:
            return False
        own = {self._address.origin, self._address.site_origin}
        return f"{parts.scheme}://{parts.netloc}" in own

    def store(self, body: bytes, content_type: str | None = None) -> str:
        """Store a file as clients do, by an upload URL; return its id."""
        url = self._system("mutation", "frontend/fileStorageV2:generateUploadUrl")
        headers = {"content-type": content_type} if content_type else {}
        answer = self._request("POST", url, body, headers)
        if answer.status != _OK:
            raise RequestRefusedError(answer.status, _shown(answer))
        with understanding():
            return str(_json(answer)["storageId"])

    # --- What the deployment tells about itself, to whom has its key -----------------------------

    def tables(self) -> list[str]:
        """Return the names of the tables."""
        tables = self._pages("cli/tables", {})
        with understanding():
            return [table["name"] for table in tables]

    def documents(self, table: str) -> list[dict[str, Value]]:
        """Return all documents of a table, oldest first; system tables too."""
        return self._pages("cli/tableData", {"table": table, "order": "asc"})

    def document(self, table: str, document_id: str) -> dict[str, Value] | None:
        """Return one document, or None."""
        found = self._system("query", "frontend/getById", {"id": document_id, "tableName": table})
        return cast("dict[str, Value] | None", found)

    def insert(self, table: str, documents: Sequence[Mapping[str, Value]]) -> list[str]:
        """Insert documents past all functions, in the order given; return their ids.

        Raises FunctionError when one does not fit the schema: then none is inserted.
        """
        if not documents:
            return []
        request = {"table": table, "documents": [dict(document) for document in documents]}
        done = self._system("mutation", "frontend/addDocument", request)
        with understanding():
            if not done["success"]:
                raise FunctionError(str(done["error"]), None, ())
            if "ids" in done:
                return cast("list[str]", done["ids"])
        # The real backend does not return the ids of an import: they are those of the newest
        # documents.
        newest = self._pages("cli/tableData", {"table": table, "order": "desc"}, len(documents))
        with understanding():
            return [document["_id"] for document in reversed(newest)]

    def delete(self, table: str, ids: Sequence[str]) -> None:
        """Delete documents past all functions. Raises FunctionError when one is not there."""
        documents = [{"id": document_id, "tableName": table} for document_id in ids]
        self._system("mutation", "frontend/deleteDocuments", {"toDelete": documents})

    def function_spec(self) -> list[dict[str, Any]]:
        """Return what is deployed, as ``npx convex function-spec`` lists it.

        Functions have ``identifier`` (``messages.js:list``), ``functionType`` (``Query``,
        ``Mutation``, ``Action``), ``visibility`` (``{"kind": "public"}``), ``args`` and
        ``returns``; HTTP actions ``functionType``, ``method`` and ``path``.
        """
        return self._system("query", "cli/modules:apiSpec")

    def schema(self) -> dict[str, Any] | None:
        """Return the schema as JSON (``tables``, ``schemaValidation``); None without one."""
        schemas = self._system("query", "frontend/getSchemas")
        with understanding():
            active = schemas.get("active")
            return None if active is None else cast("dict[str, Any]", jsonlib.loads(active))

    def crons(self) -> list[dict[str, Any]]:
        """Return the cron jobs: ``name``, ``udfPath``, ``args``, ``schedule``.

        Schedules are the real backend's: ``type`` is ``interval`` (``seconds``), ``hourly``
        (``minuteUTC``), ``daily`` (``hourUTC``, ``minuteUTC``), ``weekly`` (``dayOfWeek`` from
        0 for Sunday, ...), ``monthly`` (``day``, ...) or ``cron`` (``cronExpr``).
        """
        jobs = self._system("query", "frontend/listCronJobs")
        with understanding():
            return [_cron(job["name"], job["cronSpec"]) for job in jobs]

    def scheduled(self) -> list[dict[str, Value]]:
        """Return the functions ever scheduled, as ``_scheduled_functions`` holds them.

        ``name`` (``messages.js:send``), ``args`` (a list), ``scheduledTime`` in milliseconds and
        ``state`` (``{"kind": "pending"}``, ``inProgress``, ``success``, ``failed``, ``canceled``).
        """
        return self.documents("_scheduled_functions")

    def files(self) -> list[dict[str, Value]]:
        """Return the stored files: ``_id``, ``sha256`` (hexadecimal), ``size``, ``contentType``."""
        return self.documents("_storage")

    # --- What only tests can ask for -------------------------------------------------------------

    def reset(self) -> None:
        """Start afresh: no documents, files, schedules or stubs, real time, no variables."""
        self._control("reset")

    def now(self) -> float:
        """Return the deployment's Unix time in seconds."""
        said = self._control("now")
        with understanding():
            return float(said["now"])

    def advance_to(self, unix_s: float) -> None:
        """Move time forward; whatever falls due runs, in order, and is waited for."""
        self._control("advance", {"to": unix_s})

    def settle(self) -> None:
        """Run what is due, and wait until nothing runs any more."""
        self._control("settle")

    def lower_limits(self, limits: Mapping[str, int]) -> dict[str, int]:
        """Lower limits of each transaction of a function, until the next reset; return them all.

        By their names in emulator/limits.mjs: ``documentsRead``, ``documentsWritten``, …
        """
        return self._control("limits", limits)

    def set_env(self, name: str, value: str) -> None:
        """Set an environment variable of the functions."""
        self._control("env", {"name": name, "value": value})

    def stub_fetch(  # noqa: PLR0913 - an answer has this many parts
        self,
        url: str,
        *,
        method: str | None = None,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
        fail: bool = False,
        times: int | None = None,
    ) -> None:
        """Answer later fetches of a URL; one that ends in ``*`` stands for all that begin so.

        The newest stub that fits answers. ``fail`` makes the fetch fail as without a network;
        ``times`` is how often the stub answers, None for always.
        """
        stub = {
            "url": url,
            "method": method,
            "status": status,
            "headers": list((headers or {}).items()),
            "body": base64.b64encode(body).decode("ascii"),
            "fail": fail,
            "times": times,
        }
        self._control("stub", stub)

    def fetches(self) -> list[dict[str, Any]]:
        """Return every fetch that left the deployment: ``method``, ``url``, ``headers``, ``body``.

        Oldest first; names of headers in lower case; ``body`` is bytes.
        """
        said = self._control("fetches")
        with understanding():
            seen = said["fetches"]
            return [{**fetch, "body": base64.b64decode(fetch["body"])} for fetch in seen]

    def take_log(self) -> tuple[str, ...]:
        """Return the lines that functions of all kinds logged since the last call, oldest first.

        Each begins with the kind and the path of its function, such as ``query notes:list``.
        """
        taken = self._control("log")
        with understanding():
            lines = [f"{_logged_by(each)}: {each['line']}" for each in taken["lines"]]
            left_out = int(taken["leftOut"])
        return (*lines, f"{left_out} lines more") if left_out else tuple(lines)

    # --- Requests --------------------------------------------------------------------------------

    def _system(
        self, kind: FunctionKind, path: str, args: Mapping[str, Value] | None = None
    ) -> Any:  # noqa: ANN401 - each system function answers its own
        return self.call(kind, f"_system/{path}", args, ADMIN).value

    def _pages(
        self, path: str, args: Mapping[str, Value], at_most: int | None = None
    ) -> list[dict[str, Value]]:
        found: list[dict[str, Value]] = []
        cursor = None
        while at_most is None or len(found) < at_most:
            wanted = _PAGE if at_most is None else at_most - len(found)
            options = {"numItems": min(wanted, _PAGE), "cursor": cursor}
            page = self._system("query", path, {**args, "paginationOpts": options})
            with understanding():
                found += page["page"]
                if page["isDone"]:
                    break
                cursor = page["continueCursor"]
        return found

    def _control(self, name: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        answer = self._post(f"/_test/{name}", body or {}, ADMIN)
        if answer.status == _NOT_FOUND and self._address.socket is None:
            raise BackendUnsupportedError(f"this backend has no test control {name!r}")
        if answer.status != _OK:
            raise BackendBrokenError(f"test control {name}: HTTP {answer.status}: {_shown(answer)}")
        with understanding():
            return _json(answer)

    def _post(self, path: str, body: Mapping[str, Any], caller: Caller) -> HttpAnswer:
        headers = {"content-type": "application/json", **self._authorization(caller)}
        content = jsonlib.dumps(body, ensure_ascii=False, allow_nan=False).encode()
        return self._request("POST", self._address.origin + path, content, headers)

    def _request(
        self, method: str, url: str, body: bytes | None, headers: Mapping[str, str]
    ) -> HttpAnswer:
        return HttpAnswer(*self._connections.request(method, url, body, headers))

    def _authorization(self, caller: Caller) -> dict[str, str]:
        key = self._address.admin_key
        if caller.user is not None:
            identity = base64.b64encode(jsonlib.dumps(dict(caller.user)).encode()).decode("ascii")
            return {"authorization": f"Convex {key}:{identity}"}
        return {"authorization": f"Convex {key}"} if caller.admin else {}


def _logged_by(line: Mapping[str, str]) -> str:
    """Name the function that logged a line; HTTP actions have no path."""
    kind, path = line["kind"], line["path"].replace(".js:", ":")
    return kind if kind == path else f"{kind} {path}"


def _json(answer: HttpAnswer) -> dict[str, Any]:
    try:
        found: object = jsonlib.loads(answer.body)
    except ValueError as error:
        raise NonsenseError(f"the deployment answered no JSON: {_shown(answer)}") from error
    if not isinstance(found, dict):
        raise NonsenseError(f"the deployment answered no object: {_shown(answer)}")
    return cast("dict[str, Any]", found)


def _shown(answer: HttpAnswer) -> str:
    return answer.body.decode("utf-8", "replace")[:_SHOWN] or "nothing"


def _nonsense(error: Exception) -> str:
    reason = f"{type(error).__name__}: {error}"[:_SHOWN]
    return f"the deployment answered what no backend of Convex answers: {reason}"


def _cron(name: str, spec: Mapping[str, Value]) -> dict[str, Any]:
    # The real backend keeps arguments as the bytes of their JSON.
    args: Value = decode(jsonlib.loads(spec["udfArgs"]))[0]
    schedule = {key: _whole(value) for key, value in spec["cronSchedule"].items()}
    return {"name": name, "udfPath": spec["udfPath"], "args": args, "schedule": schedule}


def _whole(value: Value) -> Value:
    return int(value) if isinstance(value, int | float) else value
