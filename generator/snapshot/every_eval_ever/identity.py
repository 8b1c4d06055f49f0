"""The names of a run in Every Eval Ever: they follow from the record, so each export repeats them.

Their store takes a new identity for a new result. So identities are made of the run's own id, and
times are those of the run, never of the export.
"""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, time
from hashlib import sha256
from typing import NamedTuple
from uuid import UUID

from records.shapes.run import Run


def format_details(values: Mapping[str, object]) -> dict[str, str]:
    """Return the known values as texts: texts as they are, all others as JSON."""
    return {name: _format_value(value) for name, value in values.items() if value is not None}


def _format_value(value: object) -> str:
    if isinstance(value, str):
        return value
    kind = type(value)
    # JSON writes these so, too; half a million attempts have many.
    return repr(value) if kind is int or kind is float else json.dumps(value, ensure_ascii=False)


SCHEMA_VERSION = "0.3.0"
"""The version of the schema that is written."""

OVERALL = "overall"
"""The identity of the score of a run that its attempts belong to; the same in each run."""

_OTHER = re.compile(r"[^a-z0-9]+")


class RunIdentity(NamedTuple):
    """A run under the names of Every Eval Ever."""

    collection: str
    """The benchmark version, which no other board may call so."""
    model_id: str
    """``developer/model``, of which both are names of folders."""
    evaluation_id: str
    """The run."""
    evaluation_name: str
    """Version and condition: results of two conditions are never one."""
    moment: datetime
    """When the run ended, or the midnight that stands for it."""
    day_only: bool
    """Only a day is known, so the moment is its midnight, UTC."""
    day_of_import: bool
    """The source names no day, so the day is that of the import."""
    uuid: str
    """A UUID of version 4 that is made of the run's id."""

    @property
    def timestamp(self) -> str:
        """The moment in seconds since 1970, as text."""
        return str(int(self.moment.timestamp()))

    @property
    def timestamp_is(self) -> str | None:
        """What the moment is if it is not the end of the run."""
        if self.day_of_import:
            return "midnight of the day of the import, UTC; the source names no day"
        return "midnight of the day, UTC" if self.day_only else None

    def build_time_field(self) -> dict[str, str]:
        """Return the field for the time of the run; none if not even its day is known."""
        return {} if self.day_of_import else {"evaluation_timestamp": self.timestamp}

    @property
    def aggregate_path(self) -> str:
        """Where the file of scores stands."""
        return f"data/{self.collection}/{self.model_id}/{self.uuid}.json"

    @property
    def samples_path(self) -> str:
        """Where the file of attempts stands."""
        return f"data/{self.collection}/{self.model_id}/{self.uuid}_samples.jsonl"


def make_title_slug(title: str) -> str:
    """Return the title of a site as a name of files."""
    return _OTHER.sub("-", title.lower()).strip("-") or "leaderboard"


def build_run_identity(title: str, run: Run) -> RunIdentity:
    """Name a run; ``title`` is that of the site."""
    collection = f"{make_title_slug(title)}-{run.benchmark_version}"
    model_id = run.model.slug.replace(":", "-").rstrip(".")
    exact = run.finished_at or run.started_at
    moment = exact or datetime.combine(run.date, time(), UTC)
    return RunIdentity(
        collection=collection,
        model_id=model_id,
        evaluation_id=f"{collection}/{model_id.replace('/', '_')}/{run.run_id}",
        evaluation_name=f"{collection}/{run.experiment.name}",
        moment=moment,
        day_only=exact is None,
        day_of_import=run.day_of_import,
        uuid=str(UUID(bytes=sha256(run.run_id.encode()).digest()[:16], version=4)),
    )
