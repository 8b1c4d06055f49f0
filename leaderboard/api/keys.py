"""The keys of the API. A key is shown once, when it is created, and only its hash is stored.

Keys have scopes, may expire and can be revoked.
"""

import hashlib
import hmac
import os
import secrets
from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Lock
from typing import Annotated, Literal, get_args

from pydantic import Field, TypeAdapter, ValidationError

from leaderboard.api.run_shapes import Channel
from records.errors import InvalidRecordError
from records.files.plain_files import lock_file, read_stamp
from records.files.problems import describe_first_problem
from records.reader import read_bytes
from records.shapes.base import Digest, Moment, Record
from records.writer import open_atomic_file
from review.errors import ReviewError

PREFIX = "osk_"
Scope = Literal["sessions:read", "sessions:write", "runs:read", "runs:write"]
"""A permitted action of a key."""
SCOPES: Sequence[Scope] = get_args(Scope)

_USED_EVERY = timedelta(minutes=1)
"""The least time between two notes of a key's use, so that not every request writes to the disk."""


class ApiKey(Record):
    """A key, without its secret."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][\w.-]{0,39}$")]
    """The name, which its creator chose."""
    digest: Digest
    """The SHA-256 of the key. A key has 160 random bits, so that no slow hash is needed."""
    scopes: tuple[Scope, ...]
    """The permitted actions."""
    channel: Channel = "development"
    """The channel whose runs the key may read and write: published or development runs."""
    created_at: Moment
    """The time of its creation."""
    expires_at: Moment | None
    """The time from which the key is refused; null for never."""
    revoked_at: Moment | None = None
    """The time of its revocation; null if it is not revoked."""
    last_used_at: Moment | None = None
    """The time of the last accepted use, to the minute; null if there was none."""

    def holds(self, now: datetime) -> bool:
        """Return whether the key is valid at a time: neither revoked nor expired."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


_KEYS = TypeAdapter(tuple[ApiKey, ...])


class KeyStore:
    """The keys of a data folder, in a file that only its owner can read and git ignores.

    Processes that change the file use a lock, so that the note of a use never undoes a revocation.
    A revoked key is refused from the next request on, because the file is read again when its
    stamp (mtime, inode, size) has changed.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._turn = Lock()
        self._read: tuple[str | None, tuple[ApiKey, ...]] = (None, ())

    def read_keys(self) -> tuple[ApiKey, ...]:
        """Return all keys, the oldest first.

        Raises:
            InvalidRecordError: the file cannot be read.
        """
        stamp = read_stamp(self._path)
        known_stamp, keys = self._read
        if stamp == known_stamp:
            return keys
        try:
            keys = () if stamp is None else _KEYS.validate_json(read_bytes(self._path))
        except ValidationError as error:
            raise InvalidRecordError(self._path, "", describe_first_problem(error)) from error
        self._read = stamp, keys
        return keys

    def create(
        self,
        name: str,
        scopes: Sequence[Scope],
        days: int | None,
        channel: Channel = "development",
    ) -> str:
        """Create a key and return it; it is stored nowhere else.

        Raises:
            ReviewError: the name is invalid, or a valid key has it already.
        """
        now = datetime.now(UTC)
        key = PREFIX + secrets.token_hex(20)
        with self._lock_keys():
            if self._find_digests(name, now):
                raise ReviewError(f"{name} is a key already: revoke it, or choose another name")
            try:
                new_key = ApiKey(
                    name=name,
                    digest=_compute_digest(key),
                    scopes=tuple(scopes),
                    channel=channel,
                    created_at=now,
                    expires_at=None if days is None else now + timedelta(days=days),
                )
            except ValidationError as error:
                problem = f"{name!r} is no name of a key: letters, digits, . _ -"
                raise ReviewError(problem) from error
            self._write((*self.read_keys(), new_key))
        return key

    def revoke(self, name: str) -> None:
        """Revoke a key, so that it is refused from now on.

        Raises:
            ReviewError: no valid key has this name.
        """
        now = datetime.now(UTC)
        with self._lock_keys():
            digests = self._find_digests(name, now)
            if not digests:
                raise ReviewError(f"{name}: no valid key has this name; leaderboard keys list")
            self._change(digests, revoked_at=now)

    def _find_digests(self, name: str, now: datetime) -> set[str]:
        """Return the digest of the valid key with a name; a file of other hands may have more."""
        return {key.digest for key in self.read_keys() if key.name == name and key.holds(now)}

    def _change(self, digests: Collection[str], **facts: datetime) -> None:
        """Write the facts of the keys with these digests; the lock is held."""
        self._write(
            tuple(
                key.model_copy(update=facts) if key.digest in digests else key
                for key in self.read_keys()
            )
        )

    def find_valid_key(self, key: str) -> ApiKey | None:
        """Return the valid key that equals ``key``, and note its use; None if there is none.

        Every stored key is compared, in constant time, so that the time reveals no key.
        """
        now, digest = datetime.now(UTC), _compute_digest(key).encode()
        accepted_key: ApiKey | None = None
        for api_key in self.read_keys():
            if hmac.compare_digest(api_key.digest.encode(), digest) and api_key.holds(now):
                accepted_key = api_key
        if accepted_key is not None:
            used_at = accepted_key.last_used_at
            if used_at is None or now - used_at >= _USED_EVERY:
                with self._lock_keys():
                    self._change((accepted_key.digest,), last_used_at=now)
        return accepted_key

    @contextmanager
    def _lock_keys(self) -> Generator[None]:
        """Hold the lock without which no thread or process changes the keys."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._turn, lock_file(self._path.with_name(f".{self._path.name}.lock")):
            yield

    def _write(self, keys: tuple[ApiKey, ...]) -> None:
        with open_atomic_file(self._path) as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(_KEYS.dump_json(keys, indent=2) + b"\n")


def _compute_digest(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()
