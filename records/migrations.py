"""Older shapes of records, each lifted to the next version until it is current.

A migration is a function from the parsed JSON of one version to that of the next. It may rely on
nothing but the shape it knows; its result is checked by the current model like any record.
"""

from collections.abc import Callable
from typing import Any, Final

Fields = dict[str, Any]
Migration = Callable[[Fields], Fields]


class UnknownVersionError(ValueError):
    """The record's schema version is none that this program knows."""


def migrate(kind: str, fields: Fields, current: int) -> Fields:
    """Return ``fields`` in the shape of version ``current``.

    Raises:
        UnknownVersionError: the version is missing, newer than this program, or never existed.
        LookupError, TypeError, ValueError, AttributeError: the record does not have the shape
            that its version promises.
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
"""By kind of record and the version a migration starts from. No version before today's was ever
released, so there is none yet."""
