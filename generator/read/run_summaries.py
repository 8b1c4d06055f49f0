"""Summaries of runs: made of records, and stored for the next build."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from math import fsum
from pathlib import Path
from typing import NamedTuple, TypeVar

from pydantic import TypeAdapter

from generator.read.summaries import (
    Amount,
    AttemptFailure,
    EvalResult,
    ReplacedVerdict,
    RequestTally,
    Results,
    RunSummary,
    Tally,
    share_plan,
)
from records.files.data_folder import list_run_paths
from records.files.plain_files import Stamp
from records.runs.failure_words import FailureWords, explain_attempt
from records.runs.finish_reasons import End, end_by
from records.runs.sent_parameters import EFFORT
from records.shapes.attempt import JUDGED, Attempt, FaultClass, Outcome
from records.shapes.run import Imported, Run
from records.suites.result_formats import OTHER_TOOLS
from records.text.visible import make_one_line

_PARTS = ("grader", "toolchain", "answer")
"""The parts of the key of a verdict."""

_LONGEST_REASON = 200
"""The most characters of a reason in a table; the attempt's page has the whole reason."""

_LONGEST_NAME = 120
"""The most characters of a test's name or an effort."""

_REFUSALS = frozenset({FaultClass.CONTENT_FILTER, FaultClass.REFUSED_REQUEST})


def summarize_run(run: Run, digest: str = "", archive_digest: str | None = None) -> RunSummary:
    """Return the summary of a published run; the digests are of its record and archive.

    `RecordsFolder.place` adds where the record is.
    """
    imported = run.provenance if isinstance(run.provenance, Imported) else None
    effort = run.model.parameters.get(EFFORT)
    failed = [attempt for attempt in run.attempts if attempt.outcome is Outcome.FAILED]
    failures: dict[str, list[AttemptFailure]] = {}
    for attempt in failed:
        words = explain_attempt(attempt) or FailureWords(None, None)
        functions = (
            make_one_line(test.name.partition("[")[0], _LONGEST_NAME)
            for test in attempt.tests or ()
            if test.outcome is Outcome.FAILED
        )
        expected = words.expected and make_one_line(words.expected, _LONGEST_REASON)
        got = words.got and make_one_line(words.got, _LONGEST_REASON)
        step = attempt.failed_step and attempt.failed_step.value
        failures.setdefault(attempt.eval, []).append(
            AttemptFailure(
                attempt.sample, step, [*dict.fromkeys(functions)], expected, got, words.more
            )
        )
    attempts: dict[str, list[Attempt]] = {name: [] for name in run.planned}
    for attempt in run.attempts:
        attempts[attempt.eval].append(attempt)
    results = tuple(
        EvalResult(
            passed=sum(each.outcome is Outcome.PASSED for each in tried),
            judged=sum(each.outcome in JUDGED for each in tried),
            planned=run.samples,
            failed_step=next((each.failed_step.value for each in tried if each.failed_step), None),
            tests_share=_compute_tests_share(tried),
        )
        for tried in attempts.values()
    )
    alike = Counter(results).items()
    origins = [each.carried_over for each in run.attempts if each.carried_over is not None]
    generations = [attempt.generation for attempt in run.attempts if attempt.generation]
    timed = [
        (tokens, seconds)
        for generation in generations
        if (tokens := generation.tokens.output) is not None and (seconds := generation.duration_s)
    ]
    return RunSummary(
        head=run.build_head(),
        local=False,
        name=run.model.name,
        provider=run.model.provider,
        asked_from=min([run.date, *(origin.asked_from.date() for origin in origins)]),
        source=imported.source if imported else None,
        of_other_tool=imported is not None and imported.importer in OTHER_TOOLS,
        corrected_passed=imported.corrected_passed if imported else None,
        effort=None if effort is None else make_one_line(str(effort), _LONGEST_NAME),
        results=Results(share_plan(run.planned), results),
        tally=Tally(
            passed=sum(result.passed * number for result, number in alike),
            judged=sum(result.judged * number for result, number in alike),
            planned=sum(result.planned * number for result, number in alike),
            evals_passed=sum(
                (each.passed / each.judged * number for each, number in alike if each.judged), 0.0
            ),
            evals_judged=sum(number for result, number in alike if result.judged),
        ),
        cost_usd=_add_up(each.cost_usd for each in generations),
        generation_s=_add_up(each.duration_s for each in generations),
        input_tokens=_add_up(each.tokens.input for each in generations),
        output_tokens=_add_up(each.tokens.output for each in generations),
        timed_tokens=sum(tokens for tokens, _ in timed),
        timed_s=fsum(seconds for _, seconds in timed),
        carried=len(origins),
        carried_from=sorted({origin.run for origin in origins}),
        requests=_count_requests(run),
        artifact=None,
        failed_steps=Counter(
            attempt.failed_step.value if attempt.failed_step else "" for attempt in failed
        ),
        failures=failures,
        kept=frozenset(
            (attempt.eval, attempt.sample)
            for attempt in run.attempts
            if attempt.artifact is not None
        ),
        regraded=[replaced for attempt in run.attempts for replaced in _list_replaced(attempt)],
        digest=digest,
        archive_digest=archive_digest,
    )


class RecordsFolder(NamedTuple):
    """The data folder of a record."""

    root: str
    local: bool
    """Whether this is `data/local/`, which has development runs."""
    artifacts: Collection[str]
    """The paths of all existing archives."""
    names: Mapping[str, tuple[str, str]]
    """The names and makers of models by slug; they replace the names in records."""

    def find_archive(self, slug: str, run_id: str) -> Path | None:
        """Return the path of a run's archive; None if there is none."""
        for name in list_run_paths("artifacts", slug, f"{run_id}.zip"):
            path = f"{self.root}/{name}"
            if path in self.artifacts:
                return Path(path)
        return None

    def place(self, run: RunSummary) -> RunSummary:
        """Return the summary of a run of this folder."""
        name, provider = self.names.get(run.slug, (run.name, run.provider))
        archive = self.find_archive(run.slug, run.run_id)
        return replace(run, local=self.local, artifact=archive, name=name, provider=provider)


class KnownRuns:
    """The summaries of records that builds have read, for the next build."""

    def __init__(self) -> None:
        self.stored: dict[str, tuple[Stamp, RunSummary]] = {}
        """The summaries by path, each with the stamps of its record and archive."""
        self.names: Mapping[str, tuple[str, str]] = {}
        """The names and makers of models by slug."""
        self._placed: dict[str, tuple[object, RunSummary]] = {}

    def place(self, path: str, folder: RecordsFolder) -> RunSummary:
        """Return the run of the known record at ``path``; the same object if nothing changed."""
        summary = self.stored[path][1]
        run = folder.place(summary)
        facts = summary, run.name, run.provider, run.artifact
        if path not in self._placed or self._placed[path][0] != facts:
            self._placed[path] = facts, run
        return self._placed[path][1]


Value = TypeVar("Value")


@cache
def _make_adapter(kind: type[Value]) -> TypeAdapter[Value]:
    return TypeAdapter(kind)


def encode_stored(kind: type[Value], value: Value) -> bytes:
    """Return a summary as JSON."""
    return _make_adapter(kind).dump_json(value, by_alias=True, exclude_defaults=True)


def decode_stored(kind: type[Value], stored: bytes) -> Value:
    """Return a summary from JSON; equal texts, results and plans become the same objects."""
    return _make_adapter(kind).validate_json(stored)


def store_summaries(
    file: Path, program: str, kind: type[Value], summaries: Mapping[str, tuple[Stamp, Value]]
) -> None:
    """Write summaries with the stamps of their sources, by path, for the next process."""
    new = file.with_suffix(".new")
    with new.open("wb") as lines:
        lines.write(json.dumps(program).encode() + b"\n")
        for path, (stamp, value) in summaries.items():
            head = json.dumps([path, stamp]).encode()
            lines.write(head + b"\t" + encode_stored(kind, value) + b"\n")
    new.replace(file)


def load_summaries(file: Path, program: str, kind: type[Value]) -> dict[str, tuple[Stamp, Value]]:
    """Return the stored summaries; none if the file is damaged or of another program."""
    summaries: dict[str, tuple[Stamp, Value]] = {}
    try:
        with file.open("rb") as lines:
            if json.loads(next(lines, b"0")) != program:
                return {}
            for line in lines:
                head, _, stored = line.partition(b"\t")
                path, stamp = json.loads(head)
                summaries[path] = stamp, decode_stored(kind, stored)
    except (OSError, ValueError, RecursionError, LookupError, TypeError):
        return {}
    return summaries


def _add_up(amounts: Iterable[float | None]) -> Amount:
    known_amounts = [amount for amount in amounts if amount is not None]
    return Amount(round(fsum(known_amounts), 9), len(known_amounts))


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


def _list_replaced(attempt: Attempt) -> Iterator[ReplacedVerdict]:
    """Yield the verdicts on an attempt that later verdicts replaced, oldest first."""
    latest = attempt.build_verdict() if attempt.earlier_verdicts else None
    for old, new in pairwise((*attempt.earlier_verdicts, *(() if latest is None else (latest,)))):
        causes = [part for part in _PARTS if getattr(old.key, part) != getattr(new.key, part)]
        yield ReplacedVerdict(
            eval=attempt.eval,
            sample=attempt.sample,
            date=new.graded_at.date(),
            before=old.outcome.value,
            after=new.outcome.value,
            causes=tuple(causes),
            grader=new.key.grader,
            why=old.replaced_because,
        )
