"""Keys of the API: shown once when they are made, kept as hashes, scoped, expiring, revocable."""

import fcntl
import hashlib
import hmac
import os
import secrets
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Lock
from typing import Annotated, Final, Literal

from pydantic import Field, TypeAdapter, ValidationError

from leaderboard.api.run_shapes import Channel
from records.errors import InvalidRecordError
from records.files.problems import first_problem
from records.reader import read_bytes
from records.shapes.base import Digest, Moment, Record
from records.writer import atomic_file
from review.errors import KeyNameError

PREFIX: Final = "osk_"
Scope = Literal["sessions:read", "sessions:write", "runs:read", "runs:write"]
"""A permitted action of a key."""
SCOPES: Final[Sequence[Scope]] = ("sessions:read", "sessions:write", "runs:read", "runs:write")

_USED_EVERY: Final = timedelta(minutes=1)
"""How exactly the last use is noted: not every request writes to the disk."""


class ApiKey(Record):
    """One key, without its secret."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][\w.-]{0,39}$")]
    """Its name, by its owner."""
    digest: Digest
    """SHA-256 of the key. A key has 160 random bits, so that no slow hash is needed."""
    scopes: tuple[Scope, ...]
    """Its permitted actions."""
    channel: Channel = "development"
    """The only runs that it may read and write: published records, or development runs."""
    created_at: Moment
    """When it was made."""
    expires_at: Moment | None
    """From when on it is refused; null for never."""
    revoked_at: Moment | None = None
    """When it was revoked; null while it holds."""
    last_used_at: Moment | None = None
    """When it was last accepted, to the minute; null if it never was."""

    def holds(self, now: datetime) -> bool:
        """Return whether it is accepted at a time."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


_KEYS: Final = TypeAdapter(tuple[ApiKey, ...])


class KeyStore:
    """The keys of a data folder, in a file that only its owner reads and git ignores.

    Processes that change the file take turns by a lock, so that noting a use never undoes a
    revocation. A revoked key is refused from the next request on: the file is read again whenever
    its stamp differs.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._turn = Lock()
        self._read: tuple[tuple[int, int, int], tuple[ApiKey, ...]] | None = None

    def listed(self) -> tuple[ApiKey, ...]:
        """Return all keys, the oldest first.

        Raises:
            InvalidRecordError: the file cannot be read.
        """
        try:
            status = self._path.stat()
        except FileNotFoundError:
            return ()
        stamp = (status.st_mtime_ns, status.st_ino, status.st_size)
        cached = self._read
        if cached is not None and cached[0] == stamp:
            return cached[1]
        try:
            keys = _KEYS.validate_json(read_bytes(self._path))
        except ValidationError as error:
            raise InvalidRecordError(self._path, "", first_problem(error)) from error
        self._read = stamp, keys
        return keys

    def create(
        self,
        name: str,
        scopes: Sequence[Scope],
        days: int | None,
        channel: Channel = "development",
    ) -> str:
        """Make a key and return it: it is nowhere else.

        Raises:
            KeyNameError: a key that holds has this name, or it is no name.
        """
        now = datetime.now(UTC)
        key = PREFIX + secrets.token_hex(20)
        with self._alone():
            api_keys = self.listed()
            if any(api_key.name == name and api_key.holds(now) for api_key in api_keys):
                raise KeyNameError(f"{name} is a key already: revoke it, or choose another name")
            try:
                new_key = ApiKey(
                    name=name,
                    digest=_digest(key),
                    scopes=tuple(scopes),
                    channel=channel,
                    created_at=now,
                    expires_at=None if days is None else now + timedelta(days=days),
                )
            except ValidationError as error:
                problem = f"{name!r} is no name of a key: letters, digits, . _ -"
                raise KeyNameError(problem) from error
            self._write((*api_keys, new_key))
        return key

    def revoke(self, name: str) -> None:
        """Refuse a key from now on.

        Raises:
            KeyNameError: no key of this name holds.
        """
        now = datetime.now(UTC)
        with self._alone():
            api_keys = self.listed()
            if not any(api_key.name == name and api_key.holds(now) for api_key in api_keys):
                raise KeyNameError(f"{name}: no such key holds; leaderboard keys list")
            self._write(
                tuple(
                    api_key.model_copy(update={"revoked_at": now})
                    if api_key.name == name and api_key.holds(now)
                    else api_key
                    for api_key in api_keys
                )
            )

    def accepted(self, key: str) -> ApiKey | None:
        """Return the stored key that equals ``key`` and holds; None if there is no such key.

        Every key is compared, each in constant time, so that the time does not reveal them.
        """
        now, digest = datetime.now(UTC), _digest(key).encode()
        accepted_key: ApiKey | None = None
        for api_key in self.listed():
            if hmac.compare_digest(api_key.digest.encode(), digest) and api_key.holds(now):
                accepted_key = api_key
        if accepted_key is not None and _is_news(accepted_key, now):
            self._note_use(accepted_key.digest, now)
        return accepted_key

    def _note_use(self, digest: str, now: datetime) -> None:
        with self._alone():
            api_keys = self.listed()
            used = tuple(
                api_key.model_copy(update={"last_used_at": now})
                if api_key.digest == digest
                else api_key
                for api_key in api_keys
            )
            self._write(used)

    @contextmanager
    def _alone(self) -> Generator[None]:
        """Keep other threads and processes from changing the keys."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._turn:
            lock = os.open(self._path.with_name(f".{self._path.name}.lock"), _LOCK, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX)
                yield
            finally:
                os.close(lock)

    def _write(self, keys: tuple[ApiKey, ...]) -> None:
        with atomic_file(self._path) as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(_KEYS.dump_json(keys, indent=2) + b"\n")


_LOCK: Final = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


def _is_news(key: ApiKey, now: datetime) -> bool:
    return key.last_used_at is None or now - key.last_used_at >= _USED_EVERY


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()
