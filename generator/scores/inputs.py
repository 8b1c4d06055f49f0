"""Inputs of scores: a version's evals, and each run's results aligned to them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from generator.scores.intervals import Floats
from records.shapes.failure_classes import SET_ASIDE

Counts = NDArray[np.int32]
"""How many, for each eval of a version in its order."""


@dataclass(frozen=True, slots=True, eq=False)
class SideCounts:
    """The results of one side of a comparison at each eval, in an order that both sides share."""

    passed: Counts
    """Attempts passed, by eval."""
    judged: Counts
    """Attempts passed or failed, by eval; at least one each."""

    @property
    def means(self) -> Floats:
        """Pass rate of each eval."""
        return self.passed / self.judged

    def at(self, places: NDArray[np.intp]) -> "SideCounts":
        """Return the same side at some of the evals."""
        return SideCounts(self.passed[places], self.judged[places])


@dataclass(frozen=True)
class ScoredVersion:
    """The evals of a benchmark version, in the order that every array follows."""

    name: str
    """The name in records of runs."""
    evals: tuple[str, ...]
    """``category/name``, sorted."""
    sections: Mapping[str, tuple[str, ...]]
    """Sections of the guidelines that an eval exercises; evals without any may be left out."""

    @classmethod
    def of(
        cls,
        name: str,
        evals: Iterable[str],
        sections: Mapping[str, tuple[str, ...]] | None = None,
    ) -> Self:
        """Return the version of these evals, which may come in any order."""
        return cls(name, tuple(sorted(evals)), sections or {})

    @cached_property
    def place(self) -> Mapping[str, int]:
        """Where each eval stands in the arrays."""
        return {name: number for number, name in enumerate(self.evals)}

    @cached_property
    def by_category(self) -> Mapping[str, NDArray[np.intp]]:
        """Places of the evals of each category, categories sorted."""
        return self._grouped((name.partition("/")[0],) for name in self.evals)

    @cached_property
    def by_section(self) -> Mapping[str, NDArray[np.intp]]:
        """Places of the evals that exercise each section of the guidelines, sections sorted."""
        return self._grouped(self.sections.get(name, ()) for name in self.evals)

    @staticmethod
    def _grouped(groups_of: Iterable[tuple[str, ...]]) -> Mapping[str, NDArray[np.intp]]:
        places: dict[str, list[int]] = {}
        for number, groups in enumerate(groups_of):
            for group in groups:
                places.setdefault(group, []).append(number)
        return {group: np.array(places[group], dtype=np.intp) for group in sorted(places)}


class EvalTally(NamedTuple):
    """How one eval ended in one run; a tuple, as there are half a million in a large build."""

    passed: int
    """Attempts that passed."""
    judged: int
    """Attempts that passed or failed."""
    planned: int
    """Attempts the run set out to make."""
    test_share: float | None = None
    """Mean over judged attempts of the share of tests passed, 0 for one that never got to its
    tests; None where it is not known which tests there were."""
    classes: tuple[str, ...] = ()
    """Class of each failed attempt that a report classes, in any order."""


class Amount(NamedTuple):
    """A sum over the attempts for which it is known."""

    total: float
    known_for: int


_UNKNOWN: Final = Amount(0.0, 0)


class Amounts(NamedTuple):
    """Amounts of the attempts of a run, each over the attempts for which it is known."""

    attempts: int
    cost_usd: Amount = _UNKNOWN
    """US dollars."""
    generation_s: Amount = _UNKNOWN
    """Seconds from request to last byte."""
    input_tokens: Amount = _UNKNOWN
    """Tokens read."""
    output_tokens: Amount = _UNKNOWN
    """Tokens written."""


@dataclass(frozen=True, slots=True, eq=False)
class RunResults:
    """One run, its results aligned to the evals of its version."""

    run_id: str
    """Its identity."""
    slug: str
    """The model."""
    experiment: str
    """The condition: ``default``, ``no_guidelines``, ..."""
    order: str
    """ISO date or time that it began; later runs sort after earlier runs."""
    baseline: bool
    """The model is a baseline, which is never ranked."""
    completed: bool
    """All planned attempts were made."""
    withdrawn: bool
    """The run was withdrawn."""
    changed_program: bool
    """A program with changes made it, and its record has no reason why it is published."""
    reported: bool
    """A report analyses it."""
    passed: Counts
    """Attempts passed, by eval."""
    judged: Counts
    """Attempts passed or failed, by eval."""
    planned: Counts
    """Attempts planned, by eval; 0 where the eval was not part of the run."""
    set_aside: Counts
    """Failed attempts that a report does not hold against the model, by eval."""
    classed: Counts
    """Failed attempts that a report gives any class, by eval."""
    test_shares: Floats
    """Mean share of tests passed, by eval; NaN where it is not known."""
    amounts: Amounts
    """The amounts of its attempts."""

    @property
    def key(self) -> tuple[str, str]:
        """Model and experiment, by which runs are pooled."""
        return self.slug, self.experiment


def run_results(  # noqa: PLR0913 - one argument for each thing that a run's record says
    version: ScoredVersion,
    tallies: Mapping[str, EvalTally],
    *,
    run_id: str,
    slug: str,
    experiment: str,
    order: str,
    baseline: bool = False,
    completed: bool = True,
    withdrawn: bool = False,
    changed_program: bool = False,
    reported: bool = False,
    amounts: Amounts | None = None,
) -> RunResults:
    """Align a run's ``tallies`` by eval name to ``version``; evals of others are dropped."""
    nothing = EvalTally(0, 0, 0)
    rows = [tallies.get(name, nothing) for name in version.evals]
    # Most evals end alike, and are the same object where the caller has it so: arrays are made of
    # the few that differ, and spread out.
    kinds = {id(row): row for row in rows}
    number = {key: number_of for number_of, key in enumerate(kinds)}
    spread = np.array([number[id(row)] for row in rows], dtype=np.intp)
    passed, judged, planned, shares, classes = zip(*kinds.values(), strict=True)
    aside = [len([each for each in some if each in SET_ASIDE]) if some else 0 for some in classes]
    return RunResults(
        run_id=run_id,
        slug=slug,
        experiment=experiment,
        order=order,
        baseline=baseline,
        completed=completed,
        withdrawn=withdrawn,
        changed_program=changed_program,
        reported=reported,
        passed=np.array(passed, dtype=np.int32)[spread],
        judged=np.array(judged, dtype=np.int32)[spread],
        planned=np.array(planned, dtype=np.int32)[spread],
        set_aside=np.array(aside, dtype=np.int32)[spread],
        classed=np.array([len(some) for some in classes], dtype=np.int32)[spread],
        test_shares=np.array(shares, dtype=np.float64)[spread],  # None becomes NaN
        amounts=amounts or Amounts(0),
    )
