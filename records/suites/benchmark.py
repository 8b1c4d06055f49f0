"""A benchmark version: the limits within which scores are comparable."""

import hashlib
from typing import Annotated, Literal

from pydantic import Field

from records.shapes.base import BenchmarkId, Count, Digest, EvalName, Moment, Name, Record


class EvalDigests(Record):
    """The task of an eval and how it was judged; null where that was not published."""

    task: Digest | None
    """Digest of the task."""
    grader: Digest | None
    """Digest of the grader and the files beside it."""
    config: Digest | None
    """Digest of eval.toml."""


class Benchmark(Record):
    """The definition of one benchmark version."""

    schema_version: Literal[1]
    """Version of this shape."""
    version: BenchmarkId
    """Its name in runs."""
    title: Name
    """For a reader, such as ``2026-11 · 14 evals``."""
    protocol: Annotated[int, Field(ge=1)] | None
    """The grading protocol's number; null where the version was imported."""
    digest: Digest
    """Over everything below; for an imported version over its sorted eval names."""
    system_prompt: Digest | None
    """Digest of the system prompt and the prompt template; null where not published."""
    guidelines: Digest | None
    """Digest of the guidelines sent by default; null where it was not published."""
    guidelines_tokens: Count | None
    """Their length in tokens; null where it is not known."""
    evals: Annotated[dict[EvalName, EvalDigests], Field(min_length=1)]
    """Every eval of the version by its name."""
    minted_at: Moment | None
    """Null where the version was imported and its date was not published."""
    source: str | None
    """Where an imported version was published; null for our own."""


def digest_of_texts(*texts: str) -> str:
    """Return a SHA-256 over texts, each with its length, so that no two lists look the same.

    It differs from `records.archives.archive.digest_of`, and has to: minted versions hold these
    digests.
    """
    digest = hashlib.sha256()
    for text in texts:
        data = text.encode()
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()
