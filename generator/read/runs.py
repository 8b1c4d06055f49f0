"""From a record to its summary, as text that is kept from build to build, and back."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, Final

from generator.digests import digest_of
from generator.read.summaries import (
    EvalResult,
    PlannedEvals,
    Regraded,
    Results,
    RunSummary,
    Tally,
    compact,
)
from records.run import Attempt, Imported, Outcome, Run, StepName

_FIRST: Final = ord("0")
"""The letter of the first way in which an eval ended: a text of letters is read fastest."""

_JUDGED: Final = frozenset({Outcome.PASSED, Outcome.FAILED})


def run_text(run: Run, record: str) -> str:
    """Return the summary of a run as text; ``record`` is the digest of its bytes."""
    imported = run.provenance if isinstance(run.provenance, Imported) else None
    kinds, codes = _results(run)
    totals = run.totals
    head = [
        run.run_id,
        run.model.slug,
        run.model.name,
        run.model.provider,
        run.model.kind == "baseline",
        run.experiment.name,
        run.benchmark_version,
        run.status,
        run.date.isoformat(),
        imported.source if imported else None,
        imported.corrected_passed if imported else None,
        run.withdrawn.reason if run.withdrawn else None,
        totals.cost_usd,
        totals.cost_known_for,
        totals.generation_s,
        totals.generation_known_for,
        totals.tokens.input,
        totals.tokens.output,
        _regraded(run),
        _kept(run),
        plan_name(run.planned),
        json.dumps(kinds),
        "".join([chr(_FIRST + code) for code in codes]),
        _tally(kinds, codes),
    ]
    body = compact(head)
    return f"{record} {digest_of(body.encode())} {body}"


def plan_name(evals: Sequence[str]) -> str:
    """Return what a list of evals is kept under."""
    return digest_of("\n".join(evals).encode())


@dataclass(frozen=True, slots=True)
class RecordsFolder:
    """The data folder that a record lies in."""

    root: str
    local: bool
    """Whether it holds development runs."""
    artifacts: Collection[str]
    """Archives that are there, by path."""

    def archive(self, run: RunSummary) -> Path | None:
        """Return the archive of a run; None where there is none."""
        if not self.artifacts:
            return None
        path = archive_path(self.root, run.slug, run.run_id)
        return Path(path) if path in self.artifacts else None


def archive_path(root: str, slug: str, run_id: str) -> str:
    """Return where the archive of a run lies in the data folder ``root``."""
    return f"{root}/artifacts/{slug}/{run_id}.zip"


class RunReader:
    """Turns kept text into summaries that share what is the same in many of them."""

    def __init__(self) -> None:
        self._plans: dict[str, PlannedEvals] = {}
        self._results: dict[tuple[Any, ...], EvalResult] = {}

    def learn(self, name: str, evals: Sequence[str]) -> None:
        """Take a list of evals that runs planned."""
        if name not in self._plans:
            self._plans[name] = PlannedEvals(evals)

    def run(self, place: RecordsFolder, text: str) -> RunSummary:
        """Return the summary of a run of the data folder ``place``."""
        record, told, body = text.split(" ", 2)
        (
            run_id, slug, name, provider, baseline, experiment, version, status, day, source,
            corrected, withdrawn, cost_usd, cost_known_for, generation_s, generation_known_for,
            input_tokens, output_tokens, regraded, kept_attempts, plan_key, kinds, letters, tally,
        ) = json.loads(body)  # fmt: skip
        plan = self._plans[plan_key]
        archive = archive_path(place.root, slug, run_id)
        kept = archive in place.artifacts
        attempts: list[tuple[int, int]] = kept_attempts
        return RunSummary(
            run_id=run_id,
            local=place.local,
            slug=slug,
            name=name,
            provider=provider,
            baseline=baseline,
            experiment=experiment,
            version=version,
            status=status,
            date=date.fromisoformat(day),
            source=source,
            corrected_passed=corrected,
            withdrawn=withdrawn,
            results=Results(plan, partial(self._ends, kinds, letters)),
            tally=Tally(*tally),
            cost_usd=cost_usd,
            cost_known_for=cost_known_for,
            generation_s=generation_s,
            generation_known_for=generation_known_for,
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            artifact=Path(archive) if kept else None,
            kept=frozenset((plan.evals[at], sample) for at, sample in attempts),
            regraded=[Regraded(date.fromisoformat(one), *rest) for one, *rest in regraded],
            digest=f"{told}{'local' if place.local else ''}{'kept' if kept else ''}",
            record=record,
        )

    def _ends(self, kinds: str, letters: str) -> tuple[EvalResult, ...]:
        known = enumerate(json.loads(kinds))
        ends = {chr(_FIRST + code): self._shared(*kind) for code, kind in known}
        return tuple(map(ends.__getitem__, letters))

    def _shared(self, *kind: Any) -> EvalResult:  # noqa: ANN401 - as JSON holds it
        return self._results.setdefault(kind, EvalResult(*kind))


def _regraded(run: Run) -> list[list[object]]:
    again = [one for one in run.attempts if one.earlier_verdicts and one.graded_at is not None]
    days = sorted({one.graded_at.date() for one in again if one.graded_at is not None})
    return [
        [
            day.isoformat(),
            len(of_day),
            sum(one.earlier_verdicts[-1].outcome is not one.outcome for one in of_day),
        ]
        for day in days
        if (of_day := [one for one in again if one.graded_at and one.graded_at.date() == day])
    ]


def _results(run: Run) -> tuple[list[EvalResult], list[int]]:
    """Return the ways in which planned evals ended, and for each eval, in order, which of them.

    Attempts are sorted as the plan is.
    """
    if run.samples > 1 or len(run.attempts) != len(run.planned):
        results = _grouped(run)
        kinds = list(dict.fromkeys(results))
        number = {kind: place for place, kind in enumerate(kinds)}
        return kinds, [number[result] for result in results]
    ends: dict[tuple[Outcome, StepName | None, float | None], int] = {}
    codes: list[int] = []
    for one in run.attempts:
        share = _share(one) if one.outcome in _JUDGED else None
        codes.append(ends.setdefault((one.outcome, one.failed_step, share), len(ends)))
    return [_result([(outcome, step)], 1, share) for outcome, step, share in ends], codes


def _kept(run: Run) -> list[list[int]]:
    """Return place in the plan and sample of the attempts whose files were kept."""
    kept = [one for one in run.attempts if one.artifact is not None]
    place = {name: at for at, name in enumerate(run.planned)} if kept else {}
    return [[place[one.eval], one.sample] for one in kept]


def _tally(kinds: Sequence[EvalResult], codes: Iterable[int]) -> Tally:
    """Add up the ways in which evals ended, each as often as it occurs."""
    times = Counter(codes)
    counted = [(kind, times[code]) for code, kind in enumerate(kinds)]
    judged = [(kind, number) for kind, number in counted if kind.judged]
    return Tally(
        passed=sum(kind.passed * number for kind, number in judged),
        judged=sum(kind.judged * number for kind, number in judged),
        planned=sum(kind.planned * number for kind, number in counted),
        evals_passed=sum((kind.passed / kind.judged * number for kind, number in judged), 0.0),
        evals_judged=sum(number for _, number in judged),
    )


def _grouped(run: Run) -> list[EvalResult]:
    """Return how each planned eval ended over all its samples, in order."""
    attempts: dict[str, list[Attempt]] = {name: [] for name in run.planned}
    for attempt in run.attempts:
        attempts[attempt.eval].append(attempt)
    return [
        _result([(one.outcome, one.failed_step) for one in tried], run.samples, _tests_share(tried))
        for tried in attempts.values()
    ]


def _result(
    ends: Sequence[tuple[Outcome, StepName | None]], planned: int, tests_share: float | None
) -> EvalResult:
    """Add up how the attempts at one eval ended."""
    passed = sum(outcome is Outcome.PASSED for outcome, _ in ends)
    judged = sum(outcome in _JUDGED for outcome, _ in ends)
    failed_step = next((step.value for _, step in ends if step is not None), None)
    return EvalResult(passed, judged, planned, failed_step, tests_share)


def _tests_share(attempts: Sequence[Attempt]) -> float | None:
    """Return the mean share of tests passed over judged attempts, 0 for one that failed before.

    None where it was not published which tests there were.
    """
    shares = [_share(one) for one in attempts if one.outcome in _JUDGED]
    known = [share for share in shares if share is not None]
    return sum(known) / len(known) if known and len(known) == len(shares) else None


def _share(attempt: Attempt) -> float | None:
    """Return the share of tests that a judged attempt passed; None where that is not known."""
    if attempt.tests:
        return attempt.tests_passed / len(attempt.tests)
    return None if attempt.steps is None else 0.0
