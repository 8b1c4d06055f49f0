"""Results of another benchmark as every reader hands them over by a user's choices, and are kept.

`data/imports/` keeps these facts and not the file itself: a log holds whole conversations, which
may contain secrets, and may be a thousand times as large. The kept file can be imported again.
"""

import math
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import Field, ValidationError, model_validator

from records.errors import InvalidRecordError
from records.foreign.files import FilePart, ForeignFile
from records.reader import build_record_error
from records.shapes import attempt
from records.shapes.base import Digest, LeftOut, Moment, Name, OutsideText, Parameter, Record
from records.suites.result_formats import ResultFormat
from records.text.visible import make_one_line

KIND = "results of another benchmark"
"""By which a kept file is recognised."""
MOST_SAMPLES = 5_000
"""Samples of one benchmark: each has a page, and a column of the matrix."""
MOST_TASKS = 500
MOST_REPETITIONS = 100
LONGEST_NAME = 200
"""Characters of a name."""
LONGEST_IDENTITY = 400
"""Characters of a run's identity."""
LONGEST_REASON = 300
"""Characters of a reason; the rest is cut."""
_SHOWN = 40
"""Characters of a score in a message."""
_LISTED = 500
"""Characters of the names of scores in a message."""


class ResultChoices(NamedTuple):
    """Choices of the user, for files that do not hold them."""

    score: str | None = None
    """The score that decides, of a file that has several."""
    passes_at: float | None = None
    """The lowest score that passes."""
    name: str | None = None
    """The benchmark's name."""
    source: str | None = None
    """Where the results were published."""

    def choose_score(self, path: Path, named: list[str], location: str) -> str:
        """Return the score that decides, of those that a file has.

        Raises:
            InvalidRecordError: there is none, none of the chosen name, or several and no choice.
        """
        listed = make_one_line(", ".join(named), _LISTED)
        if self.score is not None:
            if self.score not in named:
                raise InvalidRecordError(
                    path, location, f"has no score {self.score!r}; there are: {listed or 'none'}"
                )
            return self.score
        if not named:
            raise InvalidRecordError(path, location, "has no score")
        if len(named) > 1:
            raise InvalidRecordError(
                path, location, f"has several scores: name one of them by --score: {listed}"
            )
        return named[0]

    def is_pass(self, part: FilePart, name: str, value: float) -> bool:
        """Return whether a score passes; the part of the file and its field are for messages.

        Raises:
            InvalidRecordError: it is neither 0 nor 1, and no lowest passing score was named.
        """
        if self.passes_at is not None and -math.inf < value < math.inf:
            return value >= self.passes_at
        if value in {0, 1}:
            return value == 1
        raise part.make_error(
            name,
            f"the score {make_one_line(str(value), _SHOWN)} is neither 0 nor 1: "
            "name the lowest score that passes, such as --pass-at 0.5",
        )


class SampleKey(NamedTuple):
    """A sample of a benchmark."""

    task: str
    sample: str
    content: str
    """Digest of its content; empty where it is not known."""


class SampleResult(Record):
    """One answer of a model to one sample of a benchmark."""

    task: Name
    """The part of the benchmark that the sample belongs to."""
    sample: Name
    """The identity of the sample within its task."""
    label: Name | None = None
    """The name of the sample for readers; null where the identity serves."""
    content: Digest | None = None
    """Digest of the sample's content; null where the file has none."""
    repetition: Annotated[int, Field(ge=1, le=MOST_REPETITIONS)] = 1
    """Which answer to the sample, from 1."""
    outcome: attempt.Outcome
    failed_step: LeftOut[attempt.StepName | None] = None
    """The step at which it failed; null if the file names none."""
    reason: Annotated[OutsideText, Field(max_length=LONGEST_REASON)] | None = None
    """The reason of a failure, or of a missing verdict; null where the file has none."""
    fault: attempt.FaultClass | None = None
    """The class of the fault of a result without a verdict; null if the file names none."""
    generation: attempt.Generation | None = None
    """Tokens, cost and time; null where none of them is known."""

    @property
    def key(self) -> SampleKey:
        """The sample, which is another one if its content is."""
        return SampleKey(self.task, self.sample, self.content or "")

    @model_validator(mode="after")
    def _fault_has_evidence(self) -> Self:
        if self.outcome is attempt.Outcome.INFRASTRUCTURE and not self.reason:
            raise ValueError("a result without a verdict needs its reason")
        return self


class ModelResults(Record):
    """The results of one model in one variant, as one run of the other tool."""

    model: Name
    """As the file names it."""
    variant: Name | None = None
    """How the model was asked, where it was asked in several ways: a prompt, a reasoning effort, a
    solver; null where the file names none. Each variant is a row of its own."""
    identity: Annotated[str, Field(max_length=LONGEST_IDENTITY)] = ""
    """The run's identity at its source; empty where it has none: then its results are."""
    parameters: dict[str, Parameter] = Field(default_factory=dict)
    """The parameters that were asked for, as far as the file has them."""
    began_at: Moment | None = None
    ended_at: Moment | None = None
    day: date | None = None
    """The day on which it began; null where it is not known."""
    is_whole: bool = True
    """False where the other tool ended before all samples."""
    results: Annotated[tuple[SampleResult, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _ends_after_its_beginning(self) -> Self:
        if self.began_at and self.ended_at and self.ended_at < self.began_at:
            raise ValueError("ends before it begins")
        return self


class BoardResults(Record):
    """The results of one benchmark in one file."""

    schema_version: Literal[1] = 1
    """Version of this shape."""
    kind: Literal["results of another benchmark"] = KIND
    """Always the same."""
    format: ResultFormat
    """The format of the file that was read."""
    tool: Name | None = None
    """Name and version of the program that wrote the file; null where the file has neither."""
    file: Name
    """The name of that file."""
    file_digest: Digest
    """SHA-256 of that file."""
    source: Name | None = None
    """The address of publication, or a text; null where it is unknown."""
    name: Name
    """The benchmark's name."""
    score: Name | None = None
    """The score that decides, where the file has named scores."""
    passes_at: float | None = None
    """The lowest score that passes; null where the file itself has verdicts."""
    runs: Annotated[tuple[ModelResults, ...], Field(min_length=1)]

    def list_results(self) -> Iterator[SampleResult]:
        """Yield the results of all runs."""
        for run in self.runs:
            yield from run.results


def make_board_results(
    file: ForeignFile,
    choices: ResultChoices,
    *,
    name: str,
    **facts: Any,  # noqa: ANN401 - checked by the shape
) -> BoardResults:
    """Return the results of one benchmark in one file; ``name`` counts if the user chose none.

    ``facts`` are other fields of the results, as far as the file has them.

    Raises:
        InvalidRecordError: a name is too long, has several lines, or nothing of it can be seen.
    """
    return file.validate_facts(
        BoardResults,
        "",
        file=file.name,
        file_digest=file.digest,
        source=choices.source,
        name=choices.name or name,
        passes_at=choices.passes_at,
        **facts,
    )


def list_not_reached(
    data_set: FilePart, task: str, results: Iterable[SampleResult], reason: str | None = None
) -> Iterator[SampleResult]:
    """Yield the samples in a data set's `sample_ids` that have no result, with the reason.

    Raises:
        InvalidRecordError: they are no list, or more than a benchmark can have.
    """
    planned = data_set.require_list("sample_ids") if data_set.get("sample_ids") else []
    if len(planned) > MOST_SAMPLES:
        excess = f"has {len(planned)} samples, the most are {MOST_SAMPLES}"
        raise data_set.make_error("sample_ids", excess)
    location = data_set.name_place("sample_ids")
    reached = {(result.task, result.sample) for result in results}
    for sample in dict.fromkeys(map(str, planned)):
        if (task, sample) not in reached:
            yield data_set.file.validate_facts(
                SampleResult,
                location,
                task=task,
                sample=sample,
                outcome=attempt.Outcome.NOT_RUN,
                reason=reason,
            )


def make_generation(
    tokens: attempt.Tokens,
    *,
    cost_usd: float | None,
    duration_s: float | None,
    finish_reason: str | None = None,
) -> attempt.Generation | None:
    """Return the facts of an answer; None if no amount is known."""
    has_tokens = tokens != attempt.NO_TOKENS
    if not has_tokens and cost_usd is None and duration_s is None:
        return None
    return attempt.Generation(
        duration_s=duration_s,
        time_to_first_token_s=None,
        finish_reason=finish_reason,
        answered_by=None,
        tries=None,
        tokens=tokens,
        tokens_basis=attempt.TokensBasis.REPORTED if has_tokens else attempt.TokensBasis.UNKNOWN,
        cost_usd=cost_usd,
        cost_basis=attempt.CostBasis.UNKNOWN if cost_usd is None else attempt.CostBasis.REPORTED,
        reply_digest=None,
    )


def recognise_kept_copy(file: ForeignFile) -> bool:
    """Return whether a file is a copy that an import kept."""
    return file.fields.get("kind") == KIND


def read_kept_copy(file: ForeignFile, choices: ResultChoices) -> BoardResults:
    """Return the results as they were kept: choices of a command change nothing of them.

    Raises:
        InvalidRecordError: the file was changed to something else.
    """
    del choices
    file.document  # noqa: B018 - refuses a file that holds too much
    try:
        return BoardResults.model_validate_json(file.data, strict=True)
    except ValidationError as error:
        raise build_record_error(file.path, error) from error
