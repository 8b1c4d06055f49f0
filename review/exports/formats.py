"""The formats by name, and writing a selection in one of them: one session in memory at a time."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from records.session import Session
from review.exports import (
    deepeval,
    huggingface,
    inspect,
    openai,
    plain_text,
    platforms,
    promptfoo,
)
from review.exports.parquet import parquet_pieces
from review.exports.rows import ExportOptions, Row, SessionRows, prepared


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A file that some program loads."""

    summary: str
    layout: Literal["array", "lines", "text", "parquet"]
    """A JSON array, JSON on each line, plain text, or Parquet."""
    rows: Callable[[Session, ExportOptions], SessionRows]

    @property
    def suffix(self) -> str:
        """How a file of it is called."""
        suffixes = {"array": ".json", "lines": ".jsonl", "text": ".md", "parquet": ".parquet"}
        return suffixes[self.layout]

    @property
    def media_type(self) -> str:
        """What HTTP calls it."""
        return {
            "array": "application/json; charset=utf-8",
            "lines": "application/jsonl; charset=utf-8",
            "text": "text/markdown; charset=utf-8",
            "parquet": "application/vnd.apache.parquet",
        }[self.layout]


FORMATS: Final[Mapping[str, ExportFormat]] = {
    "deepeval": ExportFormat("DeepEval test cases, one a turn", "array", deepeval.rows),
    "deepeval-goldens": ExportFormat("DeepEval multi-turn goldens", "array", deepeval.goldens),
    "openai": ExportFormat("chat JSONL, for fine-tuning tools too", "lines", openai.chat),
    "openai-evals": ExportFormat("samples of openai/evals", "lines", openai.evals),
    "text": ExportFormat("plain text for people", "text", plain_text.text),
    "inspect": ExportFormat("Inspect dataset", "lines", inspect.samples),
    "inspect-scores": ExportFormat("labels as Inspect scores", "lines", inspect.scores),
    "promptfoo": ExportFormat("promptfoo tests", "array", promptfoo.tests),
    "huggingface": ExportFormat("rows for Hugging Face datasets", "lines", huggingface.rows),
    "parquet": ExportFormat("the same rows in Parquet", "parquet", huggingface.rows),
    "braintrust": ExportFormat("Braintrust dataset rows", "lines", platforms.braintrust),
    "langsmith": ExportFormat("LangSmith examples", "lines", platforms.langsmith),
    "langfuse": ExportFormat("Langfuse dataset items", "lines", platforms.langfuse),
}


@dataclass(slots=True)
class ExportCounts:
    """What became of the sessions so far."""

    sessions: int = 0
    rows: int = 0
    skipped: Counter[str] = field(default_factory=Counter[str])
    """Turns and sessions that are no row, by the reason."""


def exported(
    sessions: Iterable[Session], form: ExportFormat, options: ExportOptions, counts: ExportCounts
) -> Iterator[str]:
    """Yield the text of an export piece by piece; ``counts`` grows meanwhile.

    The same sessions and options give the same bytes. Rows of Parquet, which is no text, are JSON
    lines here, for people to look at: `file_pieces` gives the file.
    """
    before, between, after = {
        "array": ("[\n", ",\n", "\n]\n"),
        "text": ("", "\n\n", "\n"),
    }.get(form.layout, ("", "\n", "\n"))
    yield before
    written = 0
    for row in _rows(sessions, form, options, counts):
        yield (between if written else "") + _written(row, form)
        written += 1
    if written or form.layout == "array":
        yield after


def file_pieces(
    sessions: Iterable[Session], form: ExportFormat, options: ExportOptions, counts: ExportCounts
) -> Iterator[bytes]:
    """Yield the bytes of the file of an export piece by piece; ``counts`` grows meanwhile.

    Raises:
        MissingPackageError: the format needs a package that is not installed; nothing was yielded.
    """
    if form.layout == "parquet":
        return parquet_pieces(_rows(sessions, form, options, counts))
    return (piece.encode() for piece in exported(sessions, form, options, counts))


def _rows(
    sessions: Iterable[Session], form: ExportFormat, options: ExportOptions, counts: ExportCounts
) -> Iterator[Row]:
    for session in sessions:
        found = form.rows(prepared(session, options), options)
        counts.sessions += 1
        counts.rows += len(found.rows)
        counts.skipped.update(found.skipped)
        yield from found.rows


def _written(row: Row, form: ExportFormat) -> str:
    if form.layout == "text":
        return str(row["text"])
    # Some JSONL readers end a line at U+2028, U+2029 and U+0085, so these are escaped.
    text = json.dumps(row, ensure_ascii=False)
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("\x85", "\\u0085")
