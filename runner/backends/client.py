"""A client of a deployment, over TCP or a Unix socket: the base of a grader's fixtures.

Function calls, admin calls and storage are the real backend's HTTP API. Requests for tests only
(time, stubs, a fresh start) have paths under ``/_test/``, which the real backend does not have.
"""

import base64
import json as jsonlib
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Literal, Self, cast
from urllib.parse import urlsplit

from runner.backends.backend import Address
from runner.backends.connection import Connections
from runner.backends.values import Value, decode, encode
from runner.errors import BackendBrokenError, BackendUnsupportedError
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
        """Store the backend's report.

        ``data`` is the data of a ConvexError; None where the function failed otherwise.
        """
        super().__init__(message)
        self.message = message
        self.data = data
        self.log_lines = tuple(log_lines)


class NonsenseError(BackendBrokenError):
    """The answer of a deployment is not like any answer of Convex's backends."""


@contextmanager
def understanding() -> Generator[None]:
    """Read an answer of a deployment, which may have any content.

    The model's code runs beside the backend and can answer in its place: fields may be missing, of
    another type, nested too deeply. Raises NonsenseError in all these cases.
    """
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, RecursionError) as error:
        raise NonsenseError(_nonsense(error)) from error
    except (TypeError, ValueError) as error:
        raise NonsenseError(_nonsense(error)) from error


class ForeignAddressError(ValueError):
    """The URL of a request is not the deployment's."""


class RequestRefusedError(Exception):
    """The deployment refused a request before it reached a function: path, arguments, key."""

    def __init__(self, status: int, text: str) -> None:
        """Store the HTTP status and the body."""
        super().__init__(f"HTTP {status}: {text}")
        self.status = status
        self.text = text


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller of a function: anonymous, with the admin key, or a user."""

    admin: bool = False
    user: Mapping[str, Any] | None = None
    """The user's attributes in an identity (``subject``, ``issuer``, ``name``, ...)."""


ANYBODY = Caller()
ADMIN = Caller(admin=True)


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """The answer of a URL."""

    status: int
    headers: Mapping[str, str]
    """The headers, with names in lower case."""
    body: bytes


@dataclass(frozen=True, slots=True)
class Called:
    """The result and the printed lines of a function call."""

    value: Value
    log_lines: tuple[str, ...] = field(default_factory=tuple[str, ...])


class BackendClient:
    """A client of a deployment. Safe to use from several threads."""

    def __init__(self, address: Address, *, timeout_s: float = 60.0) -> None:
        """Prepare requests to a deployment, each of at most ``timeout_s`` seconds; send none yet.

        The time that the deployment waited for a processor does not count.
        """
        self._address = address
        self._component: str | None = None
        self._connections = Connections(address.socket, timeout_s, ProcessorWaits(*address.pids))

    def in_component(self, path: str) -> Self:
        """Return a client of the functions and tables of a component, such as ``counter/audit``.

        The new client shares the connections; its calls need a caller with the admin key. They
        raise FunctionError where there is no such component. Time, stubs and HTTP are those of the
        whole deployment.
        """
        inside = copy(self)
        inside._component = path  # noqa: SLF001 - of the same class
        return inside

    def close(self) -> None:
        """Close the connections."""
        self._connections.close()

    def __enter__(self) -> Self:
        """Return the client; the end of the block closes it."""
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
        """Call a function; return its result and printed lines.

        Raises FunctionError when it fails, RequestRefusedError when it does not even start,
        BackendBrokenError when the deployment does not answer, NonsenseError when the answer has
        another form.
        """
        request = {"path": path, "args": encode(args or {}), "format": "convex_encoded_json"}
        if self._component is not None:
            # Only this address accepts a component; it finds the kind of function itself.
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
        """Send a request to a URL of the deployment; a path alone means an HTTP action.

        Redirects are not followed. Raises ForeignAddressError for a URL of another server,
        BackendBrokenError when the deployment does not answer.
        """
        absolute = self._address.site_origin + url if url.startswith("/") else url
        if not self._is_own(absolute):
            raise ForeignAddressError(f"{url} is no address of this deployment")
        sent = {**self._authorization(caller), **(headers or {})}
        return self._request(method, absolute, body, sent)

    def _is_own(self, url: str) -> bool:
        """Return true if a URL is the deployment's: the answer may have invented it."""
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

    # --- Facts of the deployment, for callers with its key ---------------------------------------

    def tables(self) -> list[str]:
        """Return the names of the tables."""
        tables = self._pages("cli/tables", {})
        with understanding():
            return [table["name"] for table in tables]

    def documents(self, table: str) -> list[dict[str, Value]]:
        """Return all documents of a table, oldest first; also of system tables."""
        return self._pages("cli/tableData", {"table": table, "order": "asc"})

    def document(self, table: str, document_id: str) -> dict[str, Value] | None:
        """Return a document, or None."""
        found = self._system("query", "frontend/getById", {"id": document_id, "tableName": table})
        return cast("dict[str, Value] | None", found)

    def insert(self, table: str, documents: Sequence[Mapping[str, Value]]) -> list[str]:
        """Insert documents without any function, in the given order; return their ids.

        Raises FunctionError when a document does not fit the schema: then none is inserted.
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
        # The real backend does not return the ids of an import: the newest documents have them.
        newest = self._pages("cli/tableData", {"table": table, "order": "desc"}, len(documents))
        with understanding():
            return [document["_id"] for document in reversed(newest)]

    def delete(self, table: str, ids: Sequence[str]) -> None:
        """Delete documents without any function. Raises FunctionError for a missing document."""
        documents = [{"id": document_id, "tableName": table} for document_id in ids]
        self._system("mutation", "frontend/deleteDocuments", {"toDelete": documents})

    def function_spec(self) -> list[dict[str, Any]]:
        """Return the deployed functions, as ``npx convex function-spec`` lists them.

        Functions have ``identifier`` (``messages.js:list``), ``functionType`` (``Query``,
        ``Mutation``, ``Action``), ``visibility`` (``{"kind": "public"}``), ``args`` and
        ``returns``; HTTP actions ``functionType``, ``method`` and ``path``.
        """
        return self._system("query", "cli/modules:apiSpec")

    def schema(self) -> dict[str, Any] | None:
        """Return the schema as JSON (``tables``, ``schemaValidation``), or None."""
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
        """Return all scheduled runs of functions, as documents of ``_scheduled_functions``.

        They have ``name`` (``messages.js:send``), ``args`` (a list), ``scheduledTime`` in
        milliseconds and ``state`` (``{"kind": "pending"}``, ``inProgress``, ``success``,
        ``failed``, ``canceled``).
        """
        return self.documents("_scheduled_functions")

    def files(self) -> list[dict[str, Value]]:
        """Return the stored files: ``_id``, ``sha256`` (hexadecimal), ``size``, ``contentType``."""
        return self.documents("_storage")

    # --- Requests for tests only -----------------------------------------------------------------

    def reset(self) -> None:
        """Reset the deployment: no documents, files, schedules, stubs or variables, real time."""
        self._control("reset")

    def now(self) -> float:
        """Return the deployment's Unix time in seconds."""
        said = self._control("now")
        with understanding():
            return float(said["now"])

    def advance_to(self, unix_s: float) -> None:
        """Move time forward; run the jobs that become due, in order, and wait for them."""
        self._control("advance", {"to": unix_s})

    def settle(self) -> None:
        """Run the due jobs, and wait until nothing runs any more."""
        self._control("settle")

    def lower_limits(self, limits: Mapping[str, int]) -> dict[str, int]:
        """Lower limits of each transaction of a function, until the next reset; return all limits.

        Their names are those of emulator/limits.mjs: ``documentsRead``, ``documentsWritten``, …
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
        after: float = 0,
    ) -> None:
        """Answer later fetches of a URL; with ``*`` at its end, of all URLs with this beginning.

        The newest matching stub answers. ``fail`` makes the fetch fail as without a network;
        ``times`` is the number of answers of the stub, None for no limit; ``after`` is the number
        of seconds of the deployment's clock between request and answer.
        """
        stub = {
            "url": url,
            "method": method,
            "status": status,
            "headers": list((headers or {}).items()),
            "body": base64.b64encode(body).decode("ascii"),
            "fail": fail,
            "times": times,
            "after": 1000 * after,
        }
        self._control("stub", stub)

    def fetches(self) -> list[dict[str, Any]]:
        """Return every fetch that left the deployment: ``method``, ``url``, ``headers``, ``body``.

        The oldest is first. Names of headers are in lower case; ``body`` is bytes.
        """
        said = self._control("fetches")
        with understanding():
            seen = said["fetches"]
            return [{**fetch, "body": base64.b64decode(fetch["body"])} for fetch in seen]

    def take_log(self) -> tuple[str, ...]:
        """Return the lines that functions of all kinds logged since the last call, oldest first.

        Each line begins with the kind and the path of its function, such as ``query notes:list``.
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
    """Return kind and path of the function that logged a line; HTTP actions have no path."""
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
    # The real backend stores arguments as the bytes of their JSON.
    args: Value = decode(jsonlib.loads(spec["udfArgs"]))[0]
    schedule = {key: _whole(value) for key, value in spec["cronSchedule"].items()}
    return {"name": name, "udfPath": spec["udfPath"], "args": args, "schedule": schedule}


def _whole(value: Value) -> Value:
    return int(value) if isinstance(value, int | float) else value
