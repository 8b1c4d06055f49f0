"""Shape of a benchmark version, within which scores are comparable."""

import hashlib
from typing import Annotated, Literal

from pydantic import Field

from records.shapes.base import (
    BenchmarkId,
    Count,
    Digest,
    EvalName,
    LeftOut,
    Moment,
    Name,
    Positive,
    Record,
)
from records.suites.levels import Level
from records.suites.result_formats import ResultFormat


class EvalDigests(Record):
    """Digests of an eval; a digest is null if its text was not published."""

    task: Digest | None
    """Digest of the task."""
    grader: Digest | None
    """Digest of the grader and the files beside it."""
    config: Digest | None
    """Digest of eval.toml."""
    tools: LeftOut[Digest | None] = None
    """Digest of what else judges (emulator, tools, reference), since that changed a verdict on a
    stored answer; null if it never did."""
    title: LeftOut[Name | None] = None
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
    """The lowest score that passes; null where the files themselves have verdicts."""


class Benchmark(Record):
    """The definition of one benchmark version."""

    schema_version: Literal[1]
    """Version of this shape."""
    version: BenchmarkId
    """The version's name in runs."""
    title: Name
    """The version's name for readers, such as ``2026-11 · 14 evals``."""
    protocol: Positive | None
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
    levels: LeftOut[dict[EvalName, Level]] = Field(default_factory=dict)
    """The level of each eval when the version was minted, outside of all digests; empty if the
    suite did not tell levels apart."""
    held_out: LeftOut[tuple[EvalName, ...]] = ()
    """The evals because of which no section of the guidelines may be written or changed, sorted;
    outside of all digests."""
    minted_at: Moment | None
    """When the version was minted; null for an imported version without a published date."""
    source: str | None
    """The publication of an imported version, as an address or in words, or the name of the tool
    that wrote the results; null for a version of this project."""
    imported: LeftOut[ImportedBenchmark | None] = None
    """How results of another benchmark were read; null for benchmarks of Convex code."""
    follows: LeftOut[BenchmarkId | None] = None
    """The version that was minted before, whose runs moved to this one; null for the first version,
    and if none was recorded."""
    toolchain: LeftOut[Digest | None] = None
    """Digest of the newest emulator and tools that were proven to judge as the version does; null
    if none were recorded."""

    def compute_prompt_digest(self, name: str) -> str | None:
        """Return the digest of the question of an eval: the task, and the prompt around it.

        The prompt around it names packages and files; guidelines belong to a run's condition. None
        if the version lacks the eval, or a text was not published.
        """
        task = self.evals[name].task if name in self.evals else None
        if task is None or self.system_prompt is None:
            return None
        return compute_texts_digest(self.system_prompt, task)

    def compute_judge_digest(self, name: str) -> str | None:
        """Return the digest of all that decides verdicts on an eval; None as above."""
        digests = self.evals.get(name)
        if digests is None or digests.grader is None or digests.config is None:
            return None
        tools = () if digests.tools is None else (digests.tools,)
        return compute_texts_digest(str(self.protocol), digests.grader, digests.config, *tools)

    @property
    def source_address(self) -> str | None:
        """The source if it is an address on the web."""
        is_address = self.source is not None and self.source.startswith(("https://", "http://"))
        return self.source if is_address else None


def compute_texts_digest(*texts: str) -> str:
    """Return the SHA-256 of texts, each preceded by its length, so that different lists differ.

    Minted versions have these digests. So the function must stay different from
    `records.shapes.base.compute_list_digest`.
    """
    digest = hashlib.sha256()
    for text in texts:
        data = text.encode()
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()
