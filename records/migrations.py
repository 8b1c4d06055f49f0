"""Older shapes of records, each lifted to the next version until it is current.

A migration is a function from the parsed JSON of one version to that of the next. It may rely on
nothing but the shape it knows; its result is checked by the current model like any record.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from records.shapes.attempt import Attempt
from records.shapes.totals import totals

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
            raise UnknownVersionError(f"there was never a version {version}")
        fields = MIGRATIONS[kind, version](fields)
        version += 1
    return fields


def _run_1_to_2(old: Fields) -> Fields:
    """Durations were whole milliseconds, and a cost was always the provider's.

    Totals had no number of the attempts for which they were known; the next version computes them
    again.
    """
    return {
        **old,
        "schema_version": 2,
        "attempts": [_attempt_1_to_2(attempt) for attempt in old["attempts"]],
    }


def _attempt_1_to_2(old: Fields) -> Fields:
    generation = old["generation"]
    return {
        **old,
        "steps": _timed_in_seconds(old["steps"]),
        "tests": _timed_in_seconds(old["tests"]),
        "generation": None if generation is None else _generation_1_to_2(generation),
    }


def _timed_in_seconds(entries: list[Fields] | None) -> list[Fields] | None:
    if entries is None:
        return None
    return [_in_seconds(entry, {"duration_ms": "duration_s"}) for entry in entries]


def _generation_1_to_2(old: Fields) -> Fields:
    new = _in_seconds(
        old,
        {"duration_ms": "duration_s", "time_to_first_token_ms": "time_to_first_token_s"},
    )
    cost = new.pop("cost")
    return {**new, "cost_usd": cost, "cost_basis": "unknown" if cost is None else "reported"}


def _in_seconds(old: Fields, renamed: Mapping[str, str]) -> Fields:
    new = {name: value for name, value in old.items() if name not in renamed}
    for before, after in renamed.items():
        new[after] = None if old[before] is None else old[before] / 1000
    return new


def _run_2_to_3(old: Fields) -> Fields:
    """The possible costs of failed tries, the host and the address were unrecorded."""
    attempts = [_attempt_2_to_3(attempt) for attempt in old["attempts"]]
    sums = totals([Attempt.model_validate(attempt) for attempt in attempts])
    return {
        **old,
        "schema_version": 3,
        "model": {**old["model"], "max_output_tokens": None, "origin": None},
        "budget_usd": None,
        "totals": sums.model_dump(mode="json"),
        "attempts": attempts,
    }


def _attempt_2_to_3(old: Fields) -> Fields:
    generation = old["generation"]
    return {
        **old,
        "generation": None if generation is None else _generation_2_to_3(generation),
        "failed_tries_usd": None,
    }


def _generation_2_to_3(old: Fields) -> Fields:
    is_counted = any(count is not None for count in old["tokens"].values())
    return {
        **old,
        "answered_by": None,
        "tokens_basis": "reported" if is_counted else "unknown",
    }


def _report_1_to_2(old: Fields) -> Fields:
    """Reports did not repeat the run's version, experiment, steps and messages; they need not."""
    return {**old, "schema_version": 2}


def migrate_entry(fields: Fields, version: int, current: int) -> Fields:
    """Return a line of the journal of a run of schema version ``version`` in the current shape.

    Raises:
        LookupError, TypeError, ValueError, AttributeError: it does not have the shape that its
            version promises.
    """
    if fields["entry"] == "opened":
        return {**fields, "run": migrate("run", fields["run"], current)}
    for before in range(version, current):
        attempt, generation = _PARTS[before]
        if fields["entry"] == "graded":
            fields = {**fields, "attempt": attempt(fields["attempt"])}
        elif fields["generation"] is not None:
            fields = {**fields, "generation": generation(fields["generation"])}
    return fields


_PARTS: Final[Mapping[int, tuple[Migration, Migration]]] = {
    1: (_attempt_1_to_2, _generation_1_to_2),
    2: (_attempt_2_to_3, _generation_2_to_3),
}
"""By the version of runs they start from, the migrations of an attempt and of a generation."""

MIGRATIONS: Final[Mapping[tuple[str, int], Migration]] = {
    ("run", 1): _run_1_to_2,
    ("run", 2): _run_2_to_3,
    ("report", 1): _report_1_to_2,
}
"""By kind of record and the version a migration starts from."""
