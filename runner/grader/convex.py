"""A deployed backend, as a grader sees it."""

import json as jsonlib
from collections.abc import Iterable, Mapping
from typing import Final, Self

from runner.backends.base import Address
from runner.backends.client import (
    ADMIN,
    ANYBODY,
    BackendClient,
    Caller,
    FunctionKind,
    understanding,
)
from runner.backends.values import Value
from runner.grader.clock import Clock
from runner.grader.deployed import (
    Cron,
    Fetch,
    Function,
    Response,
    Scheduled,
    Schema,
    StoredFile,
)
from runner.grader.reading import (
    read_cron,
    read_fetch,
    read_file,
    read_function,
    read_scheduled,
    read_schema,
)
from runner.grader.speaking import speaking

__all__ = ["Convex", "Value"]

_ISSUER: Final = "https://users.test"
_CALL_S: Final = 15.0
"""How long a request may go without an answer."""


class Convex:
    """Calls the functions of a deployment, and looks behind them.

    Functions are called as an anonymous visitor would call them; ``admin`` calls internal ones
    too, and ``as_user`` calls as somebody who is signed in. A function that throws raises
    FunctionFailed. Whatever hangs or dies fails the test by itself.
    """

    def __init__(self, client: BackendClient, caller: Caller = ANYBODY) -> None:
        """Speak to a deployment, as a caller."""
        self._client = client
        self._caller = caller
        self.clock = Clock(client)

    @classmethod
    def connect(cls, address: Address, *, timeout_s: float = _CALL_S) -> Self:
        """Reach a deployment; every request must be answered in time."""
        return cls(BackendClient(address, timeout_s=timeout_s))

    def __repr__(self) -> str:
        """Stand in messages of failed assertions, the same every time."""
        return "convex"

    # --- Calling functions -------------------------------------------------------------------

    def query(self, path: str, args: Mapping[str, Value] | None = None) -> Value:
        """Call a query such as ``"messages:list"``."""
        return self._call("query", path, args)

    def mutation(self, path: str, args: Mapping[str, Value] | None = None) -> Value:
        """Call a mutation."""
        return self._call("mutation", path, args)

    def action(self, path: str, args: Mapping[str, Value] | None = None) -> Value:
        """Call an action."""
        return self._call("action", path, args)

    def _call(self, kind: FunctionKind, path: str, args: Mapping[str, Value] | None) -> Value:
        with speaking(path):
            return self._client.call(kind, path, args, self._caller).value

    @property
    def admin(self) -> "Convex":
        """The same deployment with its admin key: internal functions may be called too."""
        return Convex(self._client, ADMIN)

    def as_user(self, subject: str, *, issuer: str = _ISSUER, **claims: object) -> "Convex":
        """Return the same deployment as a signed-in user sees it.

        ``ctx.auth.getUserIdentity()`` then has this subject and issuer, the ``tokenIdentifier``
        that Convex makes of both, and whatever ``claims`` say (``name``, ``email``, ...).
        """
        identity = {
            "subject": subject,
            "issuer": issuer,
            "tokenIdentifier": f"{issuer}|{subject}",
            **claims,
        }
        return Convex(self._client, Caller(user=identity))

    def http(
        self,
        method: str,
        path_or_url: str,
        *,
        body: bytes | str | None = None,
        json: object = None,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """Send a request to an HTTP action (a path), or to a URL that the deployment gave out.

        Any status is an answer. ``json`` is sent as the body with its content type.
        """
        given = {name.lower(): value for name, value in (headers or {}).items()}
        if json is not None:
            body = jsonlib.dumps(json)
            given.setdefault("content-type", "application/json")
        content = body.encode() if isinstance(body, str) else body
        with speaking(f"{method} {path_or_url}"):
            answer = self._client.http(
                method, path_or_url, body=content, headers=given, caller=self._caller
            )
        return Response(answer.status, answer.headers, answer.body)

    # --- Looking behind functions ------------------------------------------------------------

    def insert(self, table: str, document: Mapping[str, Value]) -> str:
        """Store a document without any function, and return its id. The schema is obeyed."""
        return self.insert_many(table, [document])[0]

    def insert_many(self, table: str, documents: Iterable[Mapping[str, Value]]) -> list[str]:
        """Store documents in this order, all or none, and return their ids."""
        with speaking(f"insert into {table}"):
            return self._client.insert(table, list(documents))

    def table(self, name: str) -> list[dict[str, Value]]:
        """Return all documents of a table, oldest first; a table nobody wrote to is empty."""
        with speaking(f"read {name}"):
            return self._client.documents(name)

    def document(self, table: str, id: str) -> dict[str, Value] | None:  # noqa: A002 - Convex's word
        """Return a document, or None when it is not there (any more)."""
        with speaking(f"read {table}"):
            return self._client.document(table, id)

    def delete(self, table: str, id: str) -> None:  # noqa: A002 - Convex's word
        """Delete a document without any function."""
        with speaking(f"delete in {table}"):
            self._client.delete(table, [id])

    def clear(self) -> None:
        """Empty all tables and the file storage, and forget what is scheduled."""
        self.reset()

    def reset(self) -> None:
        """Bring the deployment back to how it was deployed: data, files, schedule, stubs, time."""
        with speaking("start afresh"):
            self._client.reset()

    @property
    def schema(self) -> Schema:
        """The schema as it was deployed; without tables where there is none."""
        with speaking("read the schema"), understanding():
            return read_schema(self._client.schema())

    @property
    def functions(self) -> Mapping[str, Function]:
        """All functions by path; HTTP actions by method and path (``GET /feed``)."""
        with speaking("list functions"), understanding():
            specs = map(read_function, self._client.function_spec())
            return {function.path: function for function in specs}

    @property
    def crons(self) -> Mapping[str, Cron]:
        """All cron jobs by name."""
        with speaking("list cron jobs"), understanding():
            return {cron.name: cron for cron in map(read_cron, self._client.crons())}

    def scheduled(self) -> list[Scheduled]:
        """Return every run that was ever scheduled, in the order it was scheduled."""
        with speaking("list what is scheduled"), understanding():
            return [read_scheduled(job) for job in self._client.scheduled()]

    def limit(
        self,
        *,
        documents_read: int | None = None,
        documents_written: int | None = None,
        bytes_read: int | None = None,
    ) -> None:
        """Lower what one transaction of a function may do, until the next test.

        The backend's own limits are 32,000 documents read, 16,000 written, and 16 MiB read: with
        lower ones a few documents stand for a great many, short texts for long ones, and a function
        that takes them all fails as it would.
        """
        limits = {
            "documentsRead": documents_read,
            "documentsWritten": documents_written,
            "bytesRead": bytes_read,
        }
        with speaking("lower the limits"):
            self._client.lower_limits({n: most for n, most in limits.items() if most is not None})

    def settle(self) -> None:
        """Run what is due now, and wait until nothing runs any more."""
        with speaking("run what is due"):
            self._client.settle()

    # --- The world outside -------------------------------------------------------------------

    def stub_fetch(  # noqa: PLR0913 - an answer has these parts
        self,
        url: str,
        *,
        method: str | None = None,
        status: int = 200,
        json: object = None,
        body: bytes | str | None = None,
        headers: Mapping[str, str] | None = None,
        fail: bool = False,
        times: int | None = None,
    ) -> None:
        """Answer the functions' own ``fetch`` of a URL; ``*`` at its end stands for anything.

        The newest stub that fits wins; ``times`` lets it answer only so often. ``fail`` breaks the
        connection. Without a stub no request gets an answer: there is no network.
        """
        given = {name.lower(): value for name, value in (headers or {}).items()}
        if json is not None:
            body = jsonlib.dumps(json)
            given.setdefault("content-type", "application/json")
        content = body.encode() if isinstance(body, str) else (body or b"")
        with speaking(f"stub {url}"):
            self._client.stub_fetch(
                url,
                method=method.upper() if method else None,
                status=status,
                headers=given,
                body=content,
                fail=fail,
                times=times,
            )

    def fetches(self) -> list[Fetch]:
        """Return every request that functions made to the outside, oldest first."""
        with speaking("list fetches"), understanding():
            return [read_fetch(each) for each in self._client.fetches()]

    def set_env(self, name: str, value: str) -> None:
        """Set an environment variable of the deployment; ``reset`` takes it back."""
        with speaking(f"set {name}"):
            self._client.set_env(name, value)

    def store(self, body: bytes, content_type: str | None = None) -> str:
        """Put a file into storage without any function, and return its id."""
        with speaking("store a file"):
            return self._client.store(body, content_type)

    def files(self) -> list[StoredFile]:
        """Return what is in file storage, oldest first."""
        with speaking("list files"), understanding():
            return [read_file(each) for each in self._client.files()]
