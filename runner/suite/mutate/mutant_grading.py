"""The mutants of an eval: their making, their grading, and the explanations of survivors."""

import inspect
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import chain, islice
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Literal, NamedTuple

from pydantic import Field
from tree_sitter import Node

from records.grouping import group_values
from records.shapes.attempt import Outcome, StepName
from records.shapes.base import Record
from records.suites.given_app import is_deletion
from runner.answers.rules import is_script
from runner.answers.syntax import get_node_text, parse_source, walk_descendants
from runner.evals.discovery import Eval
from runner.evals.text_files import read_settings
from runner.grading.grade import Graders, Submission
from runner.grading.worker.protocol import SelectedTests
from runner.suite.mutate import of_convex, of_language
from runner.suite.mutate.mutant import Edit, Mutant, apply_edits

_Operator = Callable[[Node], Iterable[Edit | tuple[Edit, ...]]]
LIMIT = 25
"""The default number of mutants of an eval that are graded, because all would take minutes."""
SEED = 1
"""The default seed of the selection."""


OPERATORS: Mapping[str, _Operator] = MappingProxyType(
    {
        name: operator
        for module in (of_convex, of_language)
        for name, operator in sorted(vars(module).items())
        if inspect.isgeneratorfunction(operator)
        and operator.__module__ == module.__name__
        and not name.startswith("_")
    }
)
"""The kinds of mutation, by name."""


def make_mutants(answer: Mapping[str, str]) -> list[Mutant]:
    """Return all mutants of an answer with different files, sorted by file, line and operator."""
    by_content: dict[tuple[str, str], Mutant] = {}
    for path, text in answer.items():
        if is_script(path) and not is_deletion(text):
            for mutant in _mutate_file(answer, path, text):
                by_content.setdefault((path, mutant.files[path]), mutant)
    return sorted(by_content.values(), key=lambda each: (each.path, each.line, each.operator))


def choose_mutants(every: Sequence[Mutant], most: int, seed: int) -> list[Mutant]:
    """Return at most ``most`` mutants, chosen at random, with about the same number per operator.

    The same mutants and the same seed give the same choice.
    """
    chance = random.Random(seed)  # noqa: S311 - a sample, not a secret
    groups = list(group_values((mutant.operator, mutant) for mutant in every).values())
    for group in groups:
        chance.shuffle(group)
    chance.shuffle(groups)
    longest = max(map(len, groups), default=0)
    turns = chain.from_iterable(
        (group[turn] for group in groups if turn < len(group)) for turn in range(longest)
    )
    return sorted(islice(turns, most), key=every.index)


def _mutate_file(answer: Mapping[str, str], path: str, text: str) -> Iterator[Mutant]:
    source = text.encode()
    lines = source.split(b"\n")
    for node in walk_descendants(parse_source(path, text)):
        for name, operator in OPERATORS.items():
            for made in operator(node):
                edits = (made,) if isinstance(made, Edit) else made
                changed = apply_edits(source, edits)
                if changed != text:
                    # Earlier edits only change imports.
                    edit = max(edits, key=lambda each: each.start)
                    line = source.count(b"\n", 0, edit.start)
                    # The top-level definition around the node, which has a name or none.
                    top = node
                    while top.parent is not None and top.parent.type != "program":
                        top = top.parent
                    top = top.child_by_field_name("declaration") or top
                    parts = (top, *top.named_children)
                    named = (part.child_by_field_name("name") for part in parts)
                    names = [get_node_text(each) for each in named if each is not None]
                    yield Mutant(
                        operator=name,
                        path=path,
                        function=names[0] if names else "",
                        line=line + 1,
                        before=lines[line].decode().strip(),
                        change=edit.describe(source),
                        files={**answer, path: changed},
                    )


class Explanation(Record):
    """The reason why mutants survive. It applies to each mutant that has all the given fields.

    A mutant is identified by its operator, file, function and the text of the changed line in the
    reference, and not by the number of the line, which other edits change.
    """

    operator: Annotated[str, Field(min_length=1)]
    file: str | None = None
    function: str | None = None
    """The name of the top-level definition that contains the line."""
    line: str | None = None
    """The text of the line in the reference, without the blanks around it."""
    change: str | None = None
    """The replacement as `suite mutate` prints it; needed if a line has several mutants."""
    because: Literal["equivalent", "accepted"]
    """``equivalent``: the mutant behaves like the reference, so no test can find it. ``accepted``:
    the mutant behaves differently, but the task permits this, or a test would cost too much; it
    counts as survived."""
    reason: Annotated[str, Field(min_length=1)]

    def explains(self, mutant: Mutant) -> bool:
        """Return true if the explanation applies to a mutant."""
        return (
            self.operator == mutant.operator
            and self.file in {None, mutant.path}
            and self.function in {None, mutant.function}
            and self.line in {None, mutant.before}
            and self.change in {None, mutant.change}
        )

    def __str__(self) -> str:
        """Return the fields that identify the mutants, in one line."""
        fields = [self.operator, self.file, self.function, self.line, self.change]
        return ", ".join(part for part in fields if part is not None)


class _Explained(Record):
    survivor: tuple[Explanation, ...] = ()


def read_explanations(folder: Path) -> tuple[Explanation, ...]:
    """Return the explanations of an eval; empty if there is no file.

    Raises:
        InvalidEvalError: the file is invalid; the message names the field.
    """
    explained = read_settings(folder / "calibration" / "survivors.toml", _Explained)
    return explained.survivor if explained else ()


class Fate(StrEnum):
    """The result of grading a mutant."""

    KILLED = "killed"
    SURVIVED = "survived"
    ACCEPTED = "accepted"
    """A survivor whose different behaviour an explanation accepts without a test."""
    EQUIVALENT = "equivalent"
    """A survivor that behaves like the reference, by an explanation; not part of the score."""
    UNJUDGED = "unjudged"
    """A mutant without a verdict, because our machinery failed; not part of the score."""


class Tried(NamedTuple):
    """A graded mutant with its fate."""

    mutant: Mutant
    fate: Fate
    step: StepName | None
    """The first step that failed; None unless the mutant was killed."""


class Trial(NamedTuple):
    """The graded mutants of an eval."""

    evaluation: str
    of: int
    """The number of all mutants of the eval."""
    tried: Sequence[Tried]
    stale: Sequence[Explanation]
    """The explanations of mutants that do not exist."""
    needless: Sequence[Explanation]
    """The explanations whose mutants are all killed."""

    def count(self, fate: Fate) -> int:
        """Return the number of mutants with this fate."""
        return sum(each.fate is fate for each in self.tried)

    @property
    def changing(self) -> int:
        """The number of graded mutants that change behaviour, or are not known to be equivalent."""
        return len(self.tried) - self.count(Fate.EQUIVALENT) - self.count(Fate.UNJUDGED)

    @property
    def score(self) -> float | None:
        """The share of `changing` mutants that are killed, from 0 to 1; None if there are none."""
        return self.count(Fate.KILLED) / self.changing if self.changing else None


def try_eval(evaluation: Eval, graders: Graders, *, most: int | None, seed: int) -> Trial:
    """Grade mutants of the reference of an eval.

    ``most`` is the most mutants; None grades all.

    Raises:
        InvalidEvalError: a file of the eval cannot be used.
    """
    every = make_mutants(evaluation.read_answer())
    explanations = read_explanations(evaluation.folder)
    chosen = every if most is None else choose_mutants(every, most, seed)
    selection = SelectedTests(stop_at_failure=True)
    submitted = [
        graders.submit(Submission(evaluation, selection, files=mutant.files)) for mutant in chosen
    ]
    tried: list[Tried] = []
    for mutant, grading in zip(chosen, submitted, strict=True):
        verdict, fate = grading.result(), Fate.UNJUDGED
        if verdict.outcome is Outcome.FAILED:
            fate = Fate.KILLED
        elif verdict.outcome is Outcome.PASSED:
            explained = next((each for each in explanations if each.explains(mutant)), None)
            fate = Fate(explained.because) if explained else Fate.SURVIVED
        tried.append(Tried(mutant, fate, verdict.failed_step))
    killed = [each.mutant for each in tried if each.fate is Fate.KILLED]
    return Trial(
        evaluation=evaluation.name,
        of=len(every),
        tried=tried,
        stale=[each for each in explanations if not any(map(each.explains, every))],
        # Those whose mutants were all graded and killed.
        needless=[
            explanation
            for explanation in explanations
            if (about := [mutant for mutant in every if explanation.explains(mutant)])
            and all(mutant in killed for mutant in about)
        ],
    )
