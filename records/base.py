"""What every record shares: strictness, immutability, and the small types fields are made of."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints


class Record(BaseModel):
    """A frozen value that refuses fields it does not know."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
        use_attribute_docstrings=True,
    )


def _in_utc(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError("a time needs its offset, such as a trailing Z")
    return moment.astimezone(UTC)


Moment = Annotated[datetime, AfterValidator(_in_utc)]
"""A time in UTC, written as ISO 8601."""

Seconds = Annotated[float, Field(ge=0)]
"""A duration."""

Dollars = Annotated[float, Field(ge=0)]
"""An amount of money in US dollars."""

Count = Annotated[int, Field(ge=0)]
"""How many there are of something."""

Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
"""A SHA-256 digest in lower-case hexadecimal."""

RunId = Annotated[str, StringConstraints(pattern=r"^[0-9a-z]{16,40}$")]
"""A run's identity: lower-case base32, 32 characters where this program drew it."""

ModelSlug = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,39}/[a-z0-9][a-z0-9._:-]{0,79}$"),
]
"""``provider/model``: two folder names, safe on every file system and in every URL."""

EvalName = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9]{3}-[a-z0-9_]{1,60}/[0-9]{3}-[a-z0-9_]{1,60}$"),
]
"""``category/name``, such as ``002-queries/009-text_search``."""

BenchmarkId = Annotated[str, StringConstraints(pattern=r"^[0-9a-z][0-9a-z-]{3,39}$")]
"""A benchmark version: the first 12 hex digits of its digest, or a name for an imported one."""

ExperimentName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$")]
"""``default``, ``no_guidelines``, or the name of a guidelines file under test."""
