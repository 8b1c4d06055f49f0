"""The page of two runs: flipped evals with both answers, and other differences."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Final, NamedTuple

from generator.blocks.diff_view import SideBySideRow, comparable, side_by_side
from generator.diff.runs_diff import Flip, Inequality, RunsDiff, Side, diff_runs
from generator.diff.words import headline
from generator.errors import SourceChangedError
from generator.facts.page_frame import frame
from generator.facts.run_lines import run_line
from generator.facts.run_pairs import RunPair
from generator.facts.shares import RunLine
from generator.facts.site_data import SiteData
from generator.facts.titles import eval_title
from generator.facts.urls import attempt_href, eval_path
from generator.read.summaries import RunSummary
from generator.render.environment import Frame
from records.archives.archive import read_attempt
from records.errors import MissingRecordError
from records.files.data_folder import DataFolder
from records.reader import parse_run, read_bytes
from records.shapes.attempt import Outcome
from records.shapes.run import Run

_MOST_ON_PAGE: Final = 1_000_000
"""Characters of files that are compared; those after them are on the pages of the attempts."""


class ComparedFile(NamedTuple):
    """A file that the two answers do not have alike."""

    path: str
    rows: Sequence[SideBySideRow]
    """Before beside after; empty where it is too large to compare here."""


class FlippedEval(NamedTuple):
    """An eval that one of the runs passed and the other failed."""

    anchor: str
    name: str
    title: str
    href: str
    what: str
    """fixed or broken."""
    before: str
    """Attempts passed of those judged, such as ``1/3``."""
    before_href: str
    after: str
    after_href: str
    step: str | None
    """Where it failed; None where that was not published."""
    reason: str | None
    files: Sequence[ComparedFile]
    answers_kept: bool
    """Both answers are there to be compared."""


class ComparedRun(NamedTuple):
    """One of the two runs."""

    run: RunLine
    score_percent: float | None
    """Over the evals compared; None where there are none."""
    cost_usd: float | None
    """Per attempt; None where it is not known."""


class LeftOut(NamedTuple):
    """Evals that are not compared, and why."""

    why: str
    evals: Sequence[tuple[str, str]]
    """Title and name of each."""


class PairPage(NamedTuple):
    """Two runs of one model, eval by eval."""

    template = "pages/pair.html"

    frame: Frame
    headline: str
    before: ComparedRun
    after: ComparedRun
    flips: Sequence[FlippedEval]
    """Broken evals first."""
    reasons_published: bool
    """Whether a reason is the publisher's, of a run that was imported."""
    inequalities: Sequence[Inequality]
    left_out: Sequence[LeftOut]
    shown: Sequence[FlippedEval]
    """Flips of which both answers were kept: each has a part of its own."""
    unshown: str | None
    """Why no flip is shown with its answers; None where some flip is, or nothing flipped."""


def pair_page(site: SiteData, folders: Sequence[DataFolder], pair: RunPair) -> PairPage:
    """Read both records and gather the page of ``pair``; ``folders`` are published, then local.

    Raises:
        InvalidRecordError: an archive is damaged.
        SourceChangedError: a record changed since its summary was read.
    """
    records = [_record(folders[-1] if run.local else folders[0], run) for run in pair.runs]
    before, after = (Side(record.run_id[:8], [record]) for record in records)
    diff = diff_runs(before, after, site.summaries.benchmarks)
    scores = diff.scores or (None, None)
    compared = [
        ComparedRun(run_line(site, run), None if score is None else 100 * score, cost)
        for run, score, cost in zip(pair.runs, scores, diff.costs, strict=True)
    ]
    first, other = pair.runs
    flips = list(_flips(site, pair, records, diff))
    return PairPage(
        frame=frame(
            f"{other.name}: run {other.run_id[:8]} against {first.run_id[:8]}",
            pair.path,
            f"What {other.name} passed on {other.date} and not on {first.date}, and the reverse.",
        ),
        headline=headline(diff),
        before=compared[0],
        after=compared[1],
        flips=flips,
        reasons_published=any(_is_published(pair, flip) for flip in flips),
        shown=[flip for flip in flips if flip.answers_kept],
        unshown=_unshown(pair, flips),
        inequalities=diff.inequalities,
        left_out=[
            LeftOut(why, [(eval_title(site, name), name) for name in names])
            for why, names in (
                ("Not compared, for task or grader changed", diff.changed_evals),
                ("Judged before only", diff.only_before),
                ("Judged after only", diff.only_after),
            )
            if names
        ],
    )


def _is_published(pair: RunPair, flip: FlippedEval) -> bool:
    """Say whether the publisher of the run that failed gave the reason."""
    failed = pair.after if flip.what == "broken" else pair.before
    return flip.reason is not None and failed.source is not None


def _unshown(pair: RunPair, flips: Sequence[FlippedEval]) -> str | None:
    """Return why no answers are shown side by side; None where some are, or nothing flipped."""
    if not flips or any(flip.answers_kept for flip in flips):
        return None
    names = {flip.name for flip in flips}
    without = {
        when: run
        for when, run in zip(("before", "after"), pair.runs, strict=True)
        if run.artifact is None or not names & {name for name, _ in run.kept}
    }
    if not without:
        return "Of no such eval were both answers kept, so they cannot be shown side by side."
    whose = f" of the run {next(iter(without))}" if len(without) == 1 else ""
    how = sorted({"kept" if run.source is None else "published" for run in without.values()})
    return (
        f"The answers{whose} were not {' or not '.join(how)}, so they cannot be shown side by side."
    )


def _record(folder: DataFolder, run: RunSummary) -> Run:
    path = folder.run_file(run.slug, run.run_id)
    data = read_bytes(path)
    if sha256(data).hexdigest() != run.digest:
        raise SourceChangedError(path)
    return parse_run(path, data)


def _flips(
    site: SiteData, pair: RunPair, records: Sequence[Run], found: RunsDiff
) -> Iterator[FlippedEval]:
    room = _MOST_ON_PAGE
    listed = [(item, "broken") for item in found.broken] + [(item, "fixed") for item in found.fixed]
    for number, (flip, kind) in enumerate(listed, start=1):
        passes = kind == "broken"
        samples = [
            _shown(records[0], flip, passes=passes),
            _shown(records[1], flip, passes=not passes),
        ]
        answers = [_files(run, flip.eval, at) for run, at in zip(pair.runs, samples, strict=True)]
        before, after = answers
        files = [] if before is None or after is None else _compared(before, after, room)
        room -= sum(
            len((before or {}).get(item.path, "") + (after or {}).get(item.path, ""))
            for item in files
            if item.rows
        )
        yield FlippedEval(
            anchor=f"flip-{number}",
            name=flip.eval,
            title=eval_title(site, flip.eval),
            href=eval_path(flip.eval),
            what=kind,
            before=flip.before,
            before_href=attempt_href(pair.before, flip.eval, samples[0]),
            after=flip.after,
            after_href=attempt_href(pair.after, flip.eval, samples[1]),
            step=flip.step,
            reason=flip.reason,
            files=files,
            answers_kept=before is not None and after is not None,
        )


def _shown(run: Run, flip: Flip, *, passes: bool) -> int:
    """Return the sample of an eval that shows how its side fares, of those the first kept."""
    outcome = Outcome.PASSED if passes else Outcome.FAILED
    attempts = [attempt for attempt in run.attempts if attempt.eval == flip.eval]
    chosen = min(
        attempts, key=lambda attempt: (attempt.outcome is not outcome, attempt.artifact is None)
    )
    return chosen.sample


def _files(run: RunSummary, name: str, sample: int) -> Mapping[str, str] | None:
    """Return the files of an answer; None where they were not kept."""
    if run.artifact is None or (name, sample) not in run.kept:
        return None
    with suppress(MissingRecordError):
        return read_attempt(run.artifact, name, sample).files
    return None


def _compared(before: Mapping[str, str], after: Mapping[str, str], room: int) -> list[ComparedFile]:
    """Compare the files that differ, as long as the page has room."""
    files: list[ComparedFile] = []
    for path in sorted({*before, *after}):
        old, new = before.get(path), after.get(path)
        if old == new:
            continue
        length = len(old or "") + len(new or "")
        fits = length <= room and comparable(old, new)
        room -= length if fits else 0
        files.append(ComparedFile(path, side_by_side(old, new) if fits else ()))
    return files
