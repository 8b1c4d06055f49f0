"""Shape of a benchmark version, within which scores are comparable."""

import hashlib
from typing import Annotated, Literal

from pydantic import Field

from records.shapes.base import (
    BenchmarkId,
    Count,
    Digest,
    EvalName,
    Moment,
    Name,
    Record,
    is_none,
)
from records.suites.result_formats import ResultFormat


class EvalDigests(Record):
    """Digests of an eval; a digest is null if its text was not published."""

    task: Digest | None
    """Digest of the task."""
    grader: Digest | None
    """Digest of the grader and the files beside it."""
    config: Digest | None
    """Digest of eval.toml."""
    title: Annotated[Name | None, Field(exclude_if=is_none)] = None
    """Its title for readers, where no text of a suite has it."""


class ImportedBenchmark(Record):
    """A benchmark of another tool, and how its results became verdicts."""

    name: Name
    """Its name there."""
    format: ResultFormat
    """The format of the files that were read."""
    score: Name | None
    """The score that decides, where the files have named scores."""
    passes_at: float | None
    """The lowest score that passes; null where the files themselves say what passed."""


class Benchmark(Record):
    """The definition of one benchmark version."""

    schema_version: Literal[1]
    """Version of this shape."""
    version: BenchmarkId
    """The version's name in runs."""
    title: Name
    """The version's name for readers, such as ``2026-11 · 14 evals``."""
    protocol: Annotated[int, Field(ge=1)] | None
    """Number of the grading protocol; null for an imported version."""
    digest: Digest
    """Digest of all fields below; for an imported version, of its sorted eval names; for a
    benchmark of another tool, of its sorted samples and of the way in which they were judged."""
    system_prompt: Digest | None
    """Digest of the system prompt and the prompt template; null if they were not published."""
    guidelines: Digest | None
    """Digest of the guidelines of the default experiment; null if they were not published."""
    guidelines_tokens: Count | None
    """Tokens of the guidelines; null if their number is not known."""
    evals: Annotated[dict[EvalName, EvalDigests], Field(min_length=1)]
    """All evals of the version by name."""
    minted_at: Moment | None
    """When the version was minted; null for an imported version without a published date."""
    source: str | None
    """The publication of an imported version, as an address or in words, or the name of the tool
    that wrote the results; null for a version of this project."""
    imported: Annotated[ImportedBenchmark | None, Field(exclude_if=is_none)] = None
    """How results of another benchmark were read; null for benchmarks of Convex code."""

    @property
    def source_address(self) -> str | None:
        """The source if it is an address on the web."""
        is_address = self.source is not None and self.source.startswith(("https://", "http://"))
        return self.source if is_address else None


def compute_texts_digest(*texts: str) -> str:
    """Return the SHA-256 of texts, each preceded by its length, so that different lists differ.

    Minted versions have these digests. So the function must stay different from
    `records.archives.archive.compute_list_digest`.
    """
    digest = hashlib.sha256()
    for text in texts:
        data = text.encode()
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()
