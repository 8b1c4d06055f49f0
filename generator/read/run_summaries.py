"""The cached summaries of runs: a record as JSON, and back."""

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from generator.read.summaries import (
    EvalResult,
    PlannedEvals,
    ReplacedVerdict,
    RequestTally,
    Results,
    RunSummary,
    Tally,
    UndoneLine,
)
from generator.sources import compute_digest
from records.files.data_folder import list_run_paths
from records.runs.finish_reasons import End, end_by
from records.runs.sent_parameters import EFFORT
from records.shapes.attempt import JUDGED, Attempt, FaultClass, Outcome, Verdict
from records.shapes.run import Imported, Run
from records.shapes.totals import sum_answers
from records.suites.result_formats import OTHER_TOOLS
from records.text.visible import make_one_line

_FIRST: Final = ord("0")
"""The character for the first kind of result. Results are stored as one character each, because
JSON reads a text faster than a list."""

_PARTS: Final = ("grader", "toolchain", "answer")
"""The parts of the key of a verdict."""


def format_run_text(run: Run, digest: str, archive_digest: str | None) -> str:
    """Return the summary of a run for the cache; the digests are of its record and archive."""
    fields = {
        **_build_settings(run),
        **_build_origin(run),
        **_build_publication(run),
        **_build_eval_verdicts(run),
        **_build_amounts(run),
        "digest": digest,
        "archive_digest": archive_digest,
    }
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def _build_settings(run: Run) -> dict[str, object]:
    """Return who was asked what, and when."""
    return {
        "run_id": run.run_id,
        "slug": run.model.slug,
        "name": run.model.name,
        "provider": run.model.provider,
        "baseline": run.model.kind == "baseline",
        "experiment": run.experiment.name,
        "version": run.benchmark_version,
        "effort": _find_effort(run),
        "status": run.status,
        "date": run.date.isoformat(),
        "began": run.began,
    }


def _build_origin(run: Run) -> dict[str, object]:
    """Return where an imported run was published; null or false for runs of this program."""
    imported = run.provenance if isinstance(run.provenance, Imported) else None
    return {
        "source": imported.source if imported else None,
        "of_other_tool": imported is not None and imported.importer in OTHER_TOOLS,
        "day_of_import": run.day_of_import,
        "corrected_passed": imported.corrected_passed if imported else None,
    }


def _build_publication(run: Run) -> dict[str, object]:
    """Return why the run was published or withdrawn."""
    return {
        "withdrawn": run.withdrawn.reason if run.withdrawn else None,
        "withdrawn_on": _format_day(run.withdrawn.at) if run.withdrawn else None,
        "undone_withdrawals": [
            (
                undone.reason,
                _format_day(undone.at),
                undone.undone_because,
                _format_day(undone.undone_at),
            )
            for undone in run.undone_withdrawals
        ],
        "lacks_reason": run.lacks_reason,
        "published_because": run.published_because,
    }


def _build_eval_verdicts(run: Run) -> dict[str, object]:
    """Return how the attempts at each eval ended, and why."""
    results = _list_results(run)
    codes = {result: chr(_FIRST + number) for number, result in enumerate(dict.fromkeys(results))}
    return {
        "plan": name_plan(run.planned),
        "kinds": list(codes),
        "ends": "".join(map(codes.__getitem__, results)),
        "tally": _compute_tally(results),
        "requests": _count_requests(run),
        "failed_steps": _count_failed_steps(run),
        "reasons": _find_reasons(run),
        "failed_tests": _find_failed_tests(run),
        "kept": [
            (attempt.eval, attempt.sample)
            for attempt in run.attempts
            if attempt.artifact is not None
        ],
        "regraded": _list_replaced(run),
    }


def _build_amounts(run: Run) -> dict[str, object]:
    """Return costs, times and tokens, and for how many attempts each is known."""
    totals = sum_answers(run.attempts)
    carried = [
        attempt.carried_over.run for attempt in run.attempts if attempt.carried_over is not None
    ]
    tokens = [attempt.generation.tokens for attempt in run.attempts if attempt.generation]
    return {
        "cost_usd": totals.cost_usd,
        "cost_known_for": totals.cost_known_for,
        "generation_s": totals.generation_s,
        "generation_known_for": totals.generation_known_for,
        "input_tokens": totals.tokens.input,
        "input_known_for": sum(used.input is not None for used in tokens),
        "output_tokens": totals.tokens.output,
        "output_known_for": sum(used.output is not None for used in tokens),
        "own_cost_usd": run.totals.cost_usd,
        "carried": len(carried),
        "carried_from": sorted(set(carried)),
    }


def _count_failed_steps(run: Run) -> Counter[str]:
    return Counter(
        attempt.failed_step.value if attempt.failed_step else ""
        for attempt in run.attempts
        if attempt.outcome is Outcome.FAILED
    )


def _find_effort(run: Run) -> str | None:
    """Return the reasoning effort that was asked for; None if none was, or it is not known."""
    effort = run.model.parameters.get(EFFORT)
    return None if effort is None else make_one_line(str(effort), _LONGEST_NAME)


def _format_day(moment: datetime | None) -> str | None:
    return None if moment is None else moment.date().isoformat()


def _parse_day(day: str | None) -> date | None:
    return None if day is None else date.fromisoformat(day)


def name_plan(evals: Sequence[str]) -> str:
    """Return the digest by which a list of evals is stored."""
    return compute_digest("\n".join(evals).encode())


@dataclass(frozen=True, slots=True)
class RecordsFolder:
    """The data folder of a record."""

    root: str
    local: bool
    """Whether this is `data/local/`, which has development runs."""
    artifacts: Collection[str]
    """The paths of all existing archives."""

    def find_archive(self, slug: str, run_id: str) -> Path | None:
        """Return the path of a run's archive; None if there is none."""
        for name in list_run_paths("artifacts", slug, f"{run_id}.zip"):
            path = f"{self.root}/{name}"
            if path in self.artifacts:
                return Path(path)
        return None


class RunSummaries:
    """The maker of summaries from cached texts; equal values become the same objects."""

    def __init__(self) -> None:
        self._names: Mapping[str, tuple[str, str]] = {}
        self._plans: dict[str, PlannedEvals] = {}
        self._results: dict[tuple[Any, ...], EvalResult] = {}
        self._texts: dict[str, str] = {}
        """Names of evals and tests, and reasons; each text is in memory once for all runs."""
        self._summaries: dict[str, tuple[str, RunSummary]] = {}

    def call(self, models: Mapping[str, tuple[str, str]]) -> None:
        """Set the names and makers of models by slug; they replace the names in records."""
        if models != self._names:
            self._names = models
            self._summaries.clear()

    def forget(self) -> None:
        """Keep no summary any longer, for a process that only passes them on."""
        self._summaries.clear()

    def learn(self, name: str, evals: Sequence[str]) -> None:
        """Add a list of planned evals, whose digest is ``name``."""
        if name not in self._plans:
            self._plans[name] = PlannedEvals(evals)

    def parse_summary(self, path: str, folder: RecordsFolder, text: str) -> RunSummary:
        """Return the summary of the run at ``path``; the same object if nothing changed."""
        text_before, run = self._summaries.get(path, ("", None))
        if (
            run is None
            or text_before != text
            or run.artifact != folder.find_archive(run.slug, run.run_id)
        ):
            run = self._build_summary(folder, json.loads(text))
            self._summaries[path] = text, run
        return run

    def _build_summary(self, folder: RecordsFolder, fields: dict[str, Any]) -> RunSummary:
        kinds = enumerate(fields.pop("kinds"))
        ends = {chr(_FIRST + code): self._share_result(*kind) for code, kind in kinds}
        values = tuple(map(ends.__getitem__, fields.pop("ends")))
        shared = self._share_text
        made: dict[str, Any] = {
            "local": folder.local,
            "artifact": folder.find_archive(fields["slug"], fields["run_id"]),
            "date": date.fromisoformat(fields["date"]),
            "withdrawn_on": _parse_day(fields["withdrawn_on"]),
            "undone_withdrawals": [
                UndoneLine(reason, _parse_day(on), because, date.fromisoformat(undone_on))
                for reason, on, because, undone_on in fields["undone_withdrawals"]
            ],
            "results": Results(self._plans[fields.pop("plan")], values),
            "tally": Tally(*fields["tally"]),
            "requests": RequestTally(*fields["requests"]) if fields["requests"] else None,
            "reasons": {shared(name): shared(why) for name, why in fields["reasons"].items()},
            "failed_tests": {
                shared(name): [(shared(test), sample) for test, sample in failed]
                for name, failed in fields["failed_tests"].items()
            },
            "kept": frozenset((shared(name), sample) for name, sample in fields["kept"]),
            "regraded": [_read_replaced(field) for field in fields["regraded"]],
        }
        if (called := self._names.get(fields["slug"])) is not None:
            made["name"], made["provider"] = called
        return RunSummary(**fields | made)

    def _share_text(self, text: str) -> str:
        return self._texts.setdefault(text, text)

    def _share_result(self, *kind: Any) -> EvalResult:  # noqa: ANN401 - as JSON holds it
        return self._results.setdefault(kind, EvalResult(*kind))


_LONGEST_REASON: Final = 200
"""The most characters of a reason in a table; the attempt's page has the whole reason."""

_LONGEST_NAME: Final = 120
"""The most characters of a test's name or an effort."""


def _find_reasons(run: Run) -> dict[str, str]:
    """Return the reason of the first failed attempt at each eval that has a known reason."""
    reasons: dict[str, str] = {}
    for attempt in run.attempts:
        if attempt.outcome is Outcome.FAILED and attempt.reason is not None:
            reasons.setdefault(attempt.eval, make_one_line(attempt.reason, _LONGEST_REASON))
    return reasons


def _find_failed_tests(run: Run) -> dict[str, list[tuple[str, int]]]:
    """Return the failed test functions by eval, each with the first sample that failed it."""
    by_eval: dict[str, dict[str, int]] = {}
    for attempt in run.attempts:
        if attempt.outcome is Outcome.FAILED:
            for test in attempt.tests or ():
                if test.outcome is Outcome.FAILED:
                    function = make_one_line(test.name.partition("[")[0], _LONGEST_NAME)
                    by_eval.setdefault(attempt.eval, {}).setdefault(function, attempt.sample)
    return {name: list(failed.items()) for name, failed in by_eval.items()}


_REFUSALS: Final = frozenset({FaultClass.CONTENT_FILTER, FaultClass.REFUSED_REQUEST})


def _count_requests(run: Run) -> RequestTally | None:
    """Return how the run's own requests ended; None if it made none."""
    imported = isinstance(run.provenance, Imported)
    own = [attempt for attempt in run.attempts if attempt.carried_over is None]
    if imported or run.model.kind == "baseline" or (run.attempts and not own):
        return None
    begun = [attempt for attempt in own if attempt.outcome is not Outcome.NOT_RUN]
    faults = [attempt.fault.kind if attempt.fault else None for attempt in begun]
    generations = [attempt.generation for attempt in begun]
    ends = [end_by(attempt.finish_reason if attempt else None) for attempt in generations]
    each = list(zip(faults, ends, strict=True))
    return RequestTally(
        asked=len(begun),
        refused=sum(fault in _REFUSALS or end is End.FILTER for fault, end in each),
        cut_off=sum(
            fault is FaultClass.TRUNCATED_BY_SERVER or end in {End.LIMIT, End.CONTEXT}
            for fault, end in each
        ),
        retried=sum(attempt is not None and (attempt.tries or 1) > 1 for attempt in generations),
        spoiled=sum(attempt.outcome is Outcome.INFRASTRUCTURE for attempt in begun),
    )


def _list_replaced(run: Run) -> list[list[object]]:
    """Return the replaced verdicts, each as a list that `_read_replaced` reads."""
    return [
        [
            attempt.eval,
            attempt.sample,
            new.graded_at.date().isoformat(),
            old.outcome.value,
            new.outcome.value,
            [part for part in _PARTS if getattr(old.key, part) != getattr(new.key, part)],
            new.key.grader,
            old.replaced_because,
        ]
        for attempt in run.attempts
        if attempt.earlier_verdicts
        for old, new in pairwise(_list_verdicts(attempt))
    ]


def _list_verdicts(attempt: Attempt) -> list[Verdict]:
    """Return all verdicts on an attempt, oldest first."""
    latest = attempt.build_verdict()
    return [*attempt.earlier_verdicts, *(() if latest is None else (latest,))]


def _read_replaced(values: Sequence[Any]) -> ReplacedVerdict:
    name, sample, day, before, after, causes, grader, why = values
    when = date.fromisoformat(day)
    return ReplacedVerdict(name, sample, when, before, after, tuple(causes), grader, why)


def _compute_tally(results: Sequence[EvalResult]) -> Tally:
    """Return the sums over the results of all evals."""
    counted = Counter(results).items()
    return Tally(
        passed=sum(result.passed * number for result, number in counted),
        judged=sum(result.judged * number for result, number in counted),
        planned=sum(result.planned * number for result, number in counted),
        evals_passed=sum(
            (result.passed / result.judged * number for result, number in counted if result.judged),
            0.0,
        ),
        evals_judged=sum(number for result, number in counted if result.judged),
    )


def _list_results(run: Run) -> list[EvalResult]:
    """Return the result of each planned eval over all its samples, in the order of the plan."""
    attempts: dict[str, list[Attempt]] = {name: [] for name in run.planned}
    for attempt in run.attempts:
        attempts[attempt.eval].append(attempt)
    return [_build_result(tried, run.samples) for tried in attempts.values()]


def _build_result(attempts: Sequence[Attempt], planned: int) -> EvalResult:
    """Return the result of an eval from the attempts at it."""
    failed_steps = (each.failed_step for each in attempts if each.failed_step is not None)
    return EvalResult(
        passed=sum(each.outcome is Outcome.PASSED for each in attempts),
        judged=sum(each.outcome in JUDGED for each in attempts),
        planned=planned,
        failed_step=next((step.value for step in failed_steps), None),
        tests_share=_compute_tests_share(attempts),
    )


def _compute_tests_share(attempts: Sequence[Attempt]) -> float | None:
    """Return the mean share of passed tests over judged attempts.

    An attempt that failed before the tests counts as 0. None if the tests of an attempt are not
    known.
    """
    judged = [attempt for attempt in attempts if attempt.outcome in JUDGED]
    if not judged or not all(attempt.tests or attempt.steps is not None for attempt in judged):
        return None
    shares = (each.tests_passed / len(each.tests) if each.tests else 0.0 for each in judged)
    return sum(shares) / len(judged)
