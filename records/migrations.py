"""Migrations of records in older shapes to the current schema version.

A migration is a function that takes the parsed JSON of one version and returns the JSON of the next
version. It may rely only on the shape of the version that it takes. The current model validates the
final result, like any record.
"""

from collections.abc import Callable
from typing import Any, Final

Fields = dict[str, Any]
Migration = Callable[[Fields], Fields]


class UnknownVersionError(ValueError):
    """This program cannot read the schema version of the record."""


def migrate(kind: str, fields: Fields, current: int) -> Fields:
    """Return ``fields`` in the shape of version ``current``.

    Raises:
        UnknownVersionError: the version is missing, newer than ``current``, or has no migration.
        LookupError, TypeError, ValueError, AttributeError: the record does not have the shape of
            its version.
    """
    version = fields.get("schema_version")
    if not isinstance(version, int) or isinstance(version, bool):
        raise UnknownVersionError("must be a whole number")
    if version > current:
        raise UnknownVersionError(f"{version} is newer than this program, which knows {current}")
    while version != current:
        if (kind, version) not in MIGRATIONS:
            raise UnknownVersionError(
                f"{version} is not read: this program reads version {current}"
            )
        fields = MIGRATIONS[kind, version](fields)
        version += 1
    return fields


MIGRATIONS: Final[dict[tuple[str, int], Migration]] = {}
"""Migrations by the kind of record and the version that they take. There is none yet, because no
earlier version was released."""
