"""Shapes of the lines of a journal: plan of the run, requests under a budget, replies, verdicts."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, TypeAdapter, ValidationError, model_validator

from records.archives.archive import AttemptArtifact, Message
from records.errors import InvalidRecordError
from records.files.json_limits import find_large_object
from records.reader import build_record_error
from records.shapes.attempt import Attempt, AttemptKey, CarriedOver, Fault, Generation
from records.shapes.base import Dollars, EvalName, OutsideText, Positive, Record
from records.shapes.run import Run
from records.shapes.totals import compute_run_totals


class Opened(Record):
    """The first line: the plan of the run."""

    entry: Literal["opened"] = "opened"
    """Always opened."""
    schema_version: Literal[1] = 1
    """Version of the journal's shape."""
    run: Run
    """The run without attempts."""

    @model_validator(mode="after")
    def _is_only_a_plan(self) -> Self:
        if self.run.attempts:
            raise ValueError("run.attempts must be empty in a journal's first line")
        return self


class Asking(Record):
    """A request is about to be sent under a budget, or an attempt was not asked to its end.

    An earlier verdict on the attempt is void. The next `Generated` of the attempt has the result of
    the request. If none follows, the process was killed or stopped, and the request may have been
    billed.
    """

    entry: Literal["asking"] = "asking"
    """Always asking."""
    eval: EvalName
    """The eval asked for."""
    sample: Positive
    """Number of the sample of the eval."""
    at_most_usd: Dollars
    """The most that the request may cost, in US dollars; 0 if no request is sent."""

    @property
    def place(self) -> AttemptKey:
        """Eval and sample."""
        return AttemptKey(self.eval, self.sample)


class Generated(Record):
    """A model was asked, or its answer to an earlier run was carried over.

    A later line for the same attempt replaces this line and its verdict.
    """

    entry: Literal["generated"] = "generated"
    """Always generated."""
    eval: EvalName
    """The eval asked for."""
    sample: Positive
    """Number of the sample of the eval."""
    messages: tuple[Message, ...]
    """The messages to the model; empty for baselines."""
    reply: OutsideText | None
    """The raw reply; null if none came."""
    generation: Generation | None
    """How the reply was generated; null for baselines, and if no reply came."""
    fault: Fault | None
    """Why no usable reply came; null if a usable reply came."""
    failed_tries_usd: Dollars | None = None
    """The most that requests for this attempt without a usable reply may have cost, in US dollars,
    including requests before the run was resumed; null if it is not known."""
    carried_over: CarriedOver | None = None
    """The origin of the answer, if an earlier run asked for it; else null."""

    @property
    def place(self) -> AttemptKey:
        """Eval and sample."""
        return AttemptKey(self.eval, self.sample)

    @property
    def is_whole(self) -> bool:
        """Whether a complete reply came, which is graded and never asked for again."""
        return self.fault is None and self.reply is not None


class Graded(Record):
    """An attempt was judged. A later line for the same attempt replaces this line."""

    entry: Literal["graded"] = "graded"
    """Always graded."""
    attempt: Attempt
    """The attempt with its verdict."""
    files: Mapping[str, OutsideText]
    """The files of the reply, by path."""
    logs: Mapping[str, OutsideText]
    """Output of the steps that ran, by step name."""

    @property
    def place(self) -> AttemptKey:
        """Eval and sample."""
        return self.attempt.place


Entry = Annotated[Opened | Asking | Generated | Graded, Field(discriminator="entry")]

_ENTRY: TypeAdapter[Entry] = TypeAdapter(Entry)


def make_opening_entry(run: Run) -> Opened:
    """Return the first line of a journal for ``run``, which begins or goes on."""
    begun = {
        "attempts": (),
        "status": "running",
        "finished_at": None,
        "totals": compute_run_totals(()),
    }
    return Opened(run=run.model_copy(update=begun))


def build_artifact(generated: Generated | None, graded: Graded) -> AttemptArtifact:
    """Return the files of an attempt for the archive, from its two entries."""
    return AttemptArtifact(
        eval=graded.attempt.eval,
        sample=graded.attempt.sample,
        messages=generated.messages if generated else (),
        reply=generated.reply if generated else None,
        files=graded.files,
        logs=graded.logs,
    )


def parse_entry(path: Path, offset: int, line: bytes) -> Entry:
    """Return the entry in a line; ``path`` and ``offset`` are only for messages.

    Raises:
        InvalidRecordError: the line is not an entry.
    """
    if reason := find_large_object(line):
        raise InvalidRecordError(path, f"at byte {offset}", reason)
    try:
        return _ENTRY.validate_json(line, strict=True)
    except ValidationError as error:
        problem = build_record_error(path, error)
        raise InvalidRecordError(
            path, f"at byte {offset}: {problem.field}", problem.reason
        ) from error


def encode_entry(entry: Entry) -> bytes:
    """Return the line of an entry, with its newline."""
    return entry.model_dump_json().encode() + b"\n"
