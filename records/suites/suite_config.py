"""A suite's `suite.toml`: suites with it are judged by a program of their authors' choice.

A suite without this file has graders for Convex.
"""

from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from records.shapes.base import Record

_ANY_FOLDERS = "**"
_LONGEST_TEXT = 20_000


def _check_pattern(pattern: str) -> str:
    parts = pattern.split("/")
    if any(part in {"", ".", ".."} or "\\" in part for part in parts):
        raise ValueError("a pattern is relative to the project, with forward slashes")
    if parts.count(_ANY_FOLDERS) > 1:
        raise ValueError("a pattern has ** once at most")
    if any(_ANY_FOLDERS in part and part != _ANY_FOLDERS for part in parts):
        raise ValueError("** stands alone between slashes")
    return pattern


PathPattern = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_check_pattern)]
"""Paths of files: `*` stands for any text without a slash, `**` for any folders."""

Word = Annotated[str, Field(min_length=1, max_length=4000, pattern=r"^[^\x00]+$")]
"""A word of a command."""


class AnswerFiles(Record):
    """The files that an answer may bring."""

    paths: Annotated[tuple[PathPattern, ...], Field(min_length=1, max_length=50)]
    """Patterns of the paths that are used; other files are left out."""
    required: tuple[PathPattern, ...] = ()
    """Paths of files without which an answer fails."""
    most_files: Annotated[int, Field(ge=1, le=200)] = 50
    most_bytes: Annotated[int, Field(ge=1, le=500_000)] = 200_000
    """The limit of all files together, in UTF-8."""

    @model_validator(mode="after")
    def _required_paths_are_plain(self) -> Self:
        if any("*" in path for path in self.required):
            raise ValueError("required: names whole paths, without *")
        return self


_Command = Annotated[tuple[Word, ...], Field(min_length=1, max_length=100)]
_AnswerSeconds = Annotated[float, Field(gt=0, le=600)]
_AnswerMemory = Annotated[int, Field(ge=50, le=4000)]
_AnswerProcesses = Annotated[int, Field(ge=1, le=500)]


class GraderProgram(Record):
    """The program that judges an answer, and the limits of the answer's own programs."""

    command: _Command
    """The program with its arguments; it runs in the folder `grader/` of the eval."""
    answer_s: _AnswerSeconds = 10
    """The longest time of one program of the answer, in seconds."""
    answer_memory_mb: _AnswerMemory = 1000
    """The most memory of one program of the answer, in units of 1,000,000 bytes."""
    answer_processes: _AnswerProcesses = 32
    """The most processes of one program of the answer."""


class GraderChanges(Record):
    """The fields of an eval's own `[grader]`; null for those of the suite."""

    command: _Command | None = None
    answer_s: _AnswerSeconds | None = None
    answer_memory_mb: _AnswerMemory | None = None
    answer_processes: _AnswerProcesses | None = None

    def apply_to(self, program: GraderProgram) -> GraderProgram:
        """Return the suite's grader with these fields in place of its own."""
        return program.model_copy(update=self.model_dump(exclude_none=True))


class SuiteConfig(Record):
    """The contents of suite.toml."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]
    """A short name, which the canary has, too."""
    canary: Annotated[
        str, Field(pattern=r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")
    ]
    """A random UUID in each file of the suite, by which trainers can leave the suite out."""
    system_prompt: Annotated[str, Field(min_length=1, max_length=_LONGEST_TEXT)]
    """What models are told first, on every task."""
    standards: Annotated[str, Field(max_length=_LONGEST_TEXT)] = ""
    """What models are told about good answers, in Markdown."""
    answers: AnswerFiles
    grader: GraderProgram
    """The grader of all evals; an eval.toml may change some of its fields."""
    packages: tuple[Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")], ...] = ()
    """Python packages that graders import, with all that these need. They are those installed
    beside this program."""
