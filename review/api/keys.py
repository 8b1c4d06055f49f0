"""Keys of the API: shown once when they are made, kept as hashes, scoped, expiring, revocable."""

import hashlib
import hmac
import os
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field, TypeAdapter, ValidationError

from records.base import Digest, Moment, Record
from records.errors import InvalidRecordError, first_problem
from records.writer import atomic_file
from review.errors import KeyNameError

PREFIX: Final = "osk_"
Scope = Literal["sessions:read"]
"""What a key may do."""
SCOPES: Final[Sequence[Scope]] = ("sessions:read",)


class ApiKey(Record):
    """One key, without its secret."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][\w.-]{0,39}$")]
    """What its owner calls it."""
    digest: Digest
    """SHA-256 of the key. A key has 160 random bits, so that no slow hash is needed."""
    scopes: tuple[Scope, ...]
    """What it may do."""
    created_at: Moment
    """When it was made."""
    expires_at: Moment | None
    """From when on it is refused; null for never."""
    revoked_at: Moment | None = None
    """When it was revoked; null while it holds."""

    def holds(self, now: datetime) -> bool:
        """Say whether it is accepted at a time."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


_KEYS: Final = TypeAdapter(tuple[ApiKey, ...])


class KeyStore:
    """The keys of a data folder, in a file that only its owner reads and git ignores."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def listed(self) -> tuple[ApiKey, ...]:
        """Return all keys, the oldest first.

        Raises:
            InvalidRecordError: the file cannot be read.
        """
        if not self._path.exists():
            return ()
        try:
            return _KEYS.validate_json(self._path.read_bytes())
        except ValidationError as error:
            raise InvalidRecordError(self._path, "", first_problem(error)) from error

    def create(self, name: str, scopes: Sequence[Scope], days: int | None) -> str:
        """Make a key and return it: it is nowhere else.

        Raises:
            KeyNameError: a key that holds has this name, or it is no name.
        """
        now = datetime.now(UTC)
        known = self.listed()
        if any(one.name == name and one.holds(now) for one in known):
            raise KeyNameError(f"{name} is a key already: revoke it, or choose another name")
        key = PREFIX + secrets.token_hex(20)
        try:
            made = ApiKey(
                name=name,
                digest=_digest(key),
                scopes=tuple(scopes),
                created_at=now,
                expires_at=None if days is None else now + timedelta(days=days),
            )
        except ValidationError as error:
            raise KeyNameError(f"{name!r} is no name of a key: letters, digits, . _ -") from error
        self._write((*known, made))
        return key

    def revoke(self, name: str) -> None:
        """Refuse a key from now on.

        Raises:
            KeyNameError: no key of this name holds.
        """
        now = datetime.now(UTC)
        known = self.listed()
        if not any(one.name == name and one.holds(now) for one in known):
            raise KeyNameError(f"{name}: no such key holds; leaderboard keys list")
        self._write(
            tuple(
                one.model_copy(update={"revoked_at": now})
                if one.name == name and one.holds(now)
                else one
                for one in known
            )
        )

    def accepts(self, key: str, scope: Scope) -> bool:
        """Say whether a key holds and may do this; every key is compared in constant time."""
        now, asked = datetime.now(UTC), _digest(key).encode()
        found = False
        for one in self.listed():
            same = hmac.compare_digest(one.digest.encode(), asked)
            found = found or (same and one.holds(now) and scope in one.scopes)
        return found

    def _write(self, keys: tuple[ApiKey, ...]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(self._path) as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(_KEYS.dump_json(keys, indent=2) + b"\n")


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()
