"""A benchmark version: what scores are comparable within."""

from typing import Annotated, Literal

from pydantic import Field

from records.base import BenchmarkId, Count, Digest, EvalName, Moment, Record


class EvalDigests(Record):
    """What an eval asked and how it was judged; null where that was not published."""

    task: Digest | None
    grader: Digest | None
    config: Digest | None


class Benchmark(Record):
    """The definition of one benchmark version."""

    schema_version: Literal[1]
    version: BenchmarkId
    title: str
    """For a reader, such as ``2026-11 · 14 evals``."""
    protocol: Annotated[int, Field(ge=1)] | None
    """The grading protocol's number; null where the version was imported."""
    digest: Digest
    """Over everything below; for an imported version over its sorted eval names."""
    system_prompt: Digest | None
    guidelines: Digest | None
    guidelines_tokens: Count | None
    evals: Annotated[dict[EvalName, EvalDigests], Field(min_length=1)]
    minted_at: Moment | None
    """Null where the version was imported and its date was not published."""
    source: str | None
    """Where an imported version was published; null for our own."""
