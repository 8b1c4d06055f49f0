"""The page that compares two runs: flipped evals with both answers, and other differences."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import SequenceMatcher
from hashlib import sha256
from typing import Final, NamedTuple

from generator.diff.description import format_runs_headline, group_uncompared_evals
from generator.diff.runs_diff import Flip, Inequality, RunsDiff, Side, diff_runs
from generator.errors import SourceChangedError
from generator.facts.run_lines import build_run_line
from generator.facts.run_pairs import RunPair
from generator.facts.shares import RunLine
from generator.facts.site_data import SiteData
from generator.facts.titles import find_eval_title
from generator.facts.urls import build_attempt_href, build_eval_path, build_page_frame
from generator.read.summaries import RunSummary
from generator.render.environment import Frame
from records.archives.archive import OpenArchives
from records.errors import MissingRecordError
from records.files.data_folder import DataFolder
from records.reader import parse_run, read_bytes
from records.shapes.attempt import Outcome
from records.shapes.run import Run
from records.text.run_days import describe_when
from records.text.visible import make_visible


class SideBySideRow(NamedTuple):
    """A line of the aligned files, or a stretch of equal lines that is folded away."""

    kind: str
    """``same``, ``changed``, ``added``, ``removed`` or ``folded``."""
    left: int | None
    """Line number in the file before the change; None if it has no such line."""
    left_text: str
    right: int | None
    """Line number in the file after the change; None if it has no such line."""
    right_text: str
    folded: int
    """The number of lines folded away; 0 for a single line."""


_LONGEST: Final = 200_000
"""Files with more characters are not compared."""
_MOST_LINES: Final = 3_000
_CONTEXT: Final = 4
"""Equal lines shown around a difference; longer stretches are folded away."""
_FOLDED: Final = 12
"""Fewer equal lines are not folded."""


def can_be_compared(*texts: str | None) -> bool:
    """Return whether all files are small enough to be compared."""
    return all(len(text) <= _LONGEST and text.count("\n") <= _MOST_LINES for text in texts if text)


def build_side_by_side_rows(before: str | None, after: str | None) -> list[SideBySideRow]:
    """Return the rows of ``before`` (left) and ``after`` (right); None is a missing file."""
    left, right = _split_lines(before), _split_lines(after)
    rows: list[SideBySideRow] = []
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    for tag, i, i_end, j, j_end in matcher.get_opcodes():
        if tag == "equal":
            same = [_build_same_row(left, i + step, j + step) for step in range(i_end - i)]
            rows += _fold(same, first=i == 0, last=i_end == len(left) and j_end == len(right))
        else:
            rows += _build_unequal_rows(left[i:i_end], right[j:j_end], i, j)
    return rows


def _split_lines(text: str | None) -> list[str]:
    return [] if text is None else make_visible(text).rstrip("\n").split("\n")


def _build_same_row(lines: Sequence[str], left: int, right: int) -> SideBySideRow:
    return SideBySideRow("same", left + 1, lines[left], right + 1, lines[left], 0)


def _build_unequal_rows(
    left: Sequence[str], right: Sequence[str], i: int, j: int
) -> Iterator[SideBySideRow]:
    """Yield changed lines side by side, and then the further lines of the longer side."""
    for step in range(max(len(left), len(right))):
        here, there = step < len(left), step < len(right)
        yield SideBySideRow(
            kind="changed" if here and there else "removed" if here else "added",
            left=i + step + 1 if here else None,
            left_text=left[step] if here else "",
            right=j + step + 1 if there else None,
            right_text=right[step] if there else "",
            folded=0,
        )


def _fold(rows: list[SideBySideRow], *, first: bool, last: bool) -> list[SideBySideRow]:
    """Fold equal lines except a few beside differences; equal files are not folded."""
    if first and last:
        return rows
    head, tail = (0 if first else _CONTEXT), (0 if last else _CONTEXT)
    hidden = len(rows) - head - tail
    if hidden < _FOLDED:
        return rows
    gap = SideBySideRow("folded", None, "", None, "", hidden)
    return [*rows[:head], gap, *rows[len(rows) - tail :]]


_MOST_ON_PAGE: Final = 1_000_000
"""The most characters of all compared files; further files are only on attempts' pages."""


class ComparedFile(NamedTuple):
    """A file that differs between the two answers."""

    path: str
    rows: Sequence[SideBySideRow]
    """The lines of both answers side by side; empty if the file is too large to compare here."""


class FlippedEval(NamedTuple):
    """An eval at which the runs pass different shares of their attempts."""

    anchor: str
    name: str
    title: str
    href: str
    what: str
    """``fixed`` or ``broken``."""
    before: str
    """Passed out of judged attempts of the earlier run, such as ``1/3``."""
    before_href: str
    after: str
    after_href: str
    step: str | None
    """The failed step; None if it was not published."""
    reason: str | None
    files: Sequence[ComparedFile]
    answers_kept: bool
    """Whether the files of both answers were kept."""


class ComparedRun(NamedTuple):
    """A run of the pair."""

    run: RunLine
    score_percent: float | None
    """The score over the compared evals in percent; None if no eval is compared."""
    cost_usd: float | None
    """US dollars per attempt; None if they are not known."""


class LeftOut(NamedTuple):
    """The evals that are not compared for the same reason."""

    why: str
    evals: Sequence[tuple[str, str]]
    """The title and name of each eval."""


class PairPage(NamedTuple):
    """The page that compares two runs of a model."""

    template = "pages/pair.html"

    frame: Frame
    headline: str
    before: ComparedRun
    after: ComparedRun
    flips: Sequence[FlippedEval]
    """The flipped evals, broken ones first."""
    reasons_published: bool
    """Whether some reason was published with imported results."""
    inequalities: Sequence[Inequality]
    left_out: Sequence[LeftOut]
    flips_with_answers: Sequence[FlippedEval]
    """The flips of which both answers were kept; the page shows these side by side."""
    why_no_answers: str | None
    """Why no answers are shown side by side; None if some are, or if nothing flipped."""


def build_pair_page(site: SiteData, folders: Sequence[DataFolder], pair: RunPair) -> PairPage:
    """Read both records and return the page of ``pair``.

    ``folders`` has the published data folder, and after it the local folder if it is read.

    Raises:
        InvalidRecordError: an archive is damaged.
        SourceChangedError: a record changed since its summary was read.
    """
    records = [_read_record(folders[-1] if run.local else folders[0], run) for run in pair.runs]
    before, after = (Side(record.run_id[:8], [record]) for record in records)
    diff = diff_runs(before, after, site.summaries.benchmarks)
    scores = diff.scores or (None, None)
    compared = [
        ComparedRun(build_run_line(site, run), None if score is None else 100 * score, cost)
        for run, score, cost in zip(pair.runs, scores, diff.costs, strict=True)
    ]
    first, other = pair.runs
    with OpenArchives() as archives:
        flips = list(_build_flips(site, pair, records, archives, diff))
    return PairPage(
        frame=build_page_frame(
            f"{other.name}: run {other.run_id[:8]} against {first.run_id[:8]}",
            pair.path,
            f"What {other.name} passed {describe_when(other)} and not {describe_when(first)}, "
            "and the reverse.",
        ),
        headline=format_runs_headline(diff),
        before=compared[0],
        after=compared[1],
        flips=flips,
        reasons_published=any(_is_published(pair, flip) for flip in flips),
        flips_with_answers=[flip for flip in flips if flip.answers_kept],
        why_no_answers=_explain_no_answers(pair, flips),
        inequalities=diff.inequalities,
        left_out=[
            LeftOut(why, [(find_eval_title(site, name), name) for name in names])
            for why, names in group_uncompared_evals(diff).items()
        ],
    )


def _is_published(pair: RunPair, flip: FlippedEval) -> bool:
    """Return whether the reason of a flip was published with the imported run that failed."""
    failed = pair.after if flip.what == "broken" else pair.before
    return flip.reason is not None and failed.source is not None


def _explain_no_answers(pair: RunPair, flips: Sequence[FlippedEval]) -> str | None:
    """Return why no answers are shown side by side; None if some are, or if nothing flipped."""
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


def _read_record(folder: DataFolder, run: RunSummary) -> Run:
    path = folder.get_run_file(run.slug, run.run_id)
    data = read_bytes(path)
    if sha256(data).hexdigest() != run.digest:
        raise SourceChangedError(path)
    return parse_run(path, data)


def _build_flips(
    site: SiteData,
    pair: RunPair,
    records: Sequence[Run],
    archives: OpenArchives,
    diff: RunsDiff,
) -> Iterator[FlippedEval]:
    room = _MOST_ON_PAGE
    listed = [(item, "broken") for item in diff.broken] + [(item, "fixed") for item in diff.fixed]
    for number, (flip, kind) in enumerate(listed, start=1):
        passes = kind == "broken"
        samples = [
            _choose_sample(records[0], flip, passes=passes),
            _choose_sample(records[1], flip, passes=not passes),
        ]
        before, after = [
            _read_files(archives, run, flip.eval, sample)
            for run, sample in zip(pair.runs, samples, strict=True)
        ]
        files = [] if before is None or after is None else _compare_files(before, after, room)
        room -= sum(
            len((before or {}).get(item.path, "") + (after or {}).get(item.path, ""))
            for item in files
            if item.rows
        )
        yield FlippedEval(
            anchor=f"flip-{number}",
            name=flip.eval,
            title=find_eval_title(site, flip.eval),
            href=build_eval_path(flip.eval),
            what=kind,
            before=flip.before,
            before_href=build_attempt_href(pair.before, flip.eval, samples[0]),
            after=flip.after,
            after_href=build_attempt_href(pair.after, flip.eval, samples[1]),
            step=flip.step,
            reason=flip.reason,
            files=files,
            answers_kept=before is not None and after is not None,
        )


def _choose_sample(run: Run, flip: Flip, *, passes: bool) -> int:
    """Return a sample with the outcome of its side, preferably one whose files were kept."""
    outcome = Outcome.PASSED if passes else Outcome.FAILED
    attempts = [attempt for attempt in run.attempts if attempt.eval == flip.eval]
    chosen = min(
        attempts, key=lambda attempt: (attempt.outcome is not outcome, attempt.artifact is None)
    )
    return chosen.sample


def _read_files(
    archives: OpenArchives, run: RunSummary, name: str, sample: int
) -> Mapping[str, str] | None:
    """Return the files of an answer; None if they were not kept."""
    if run.artifact is None or (name, sample) not in run.kept:
        return None
    with suppress(MissingRecordError):
        return archives.read(run.artifact, name, sample).files
    return None


def _compare_files(
    before: Mapping[str, str], after: Mapping[str, str], room: int
) -> list[ComparedFile]:
    """Return the files that differ, with their lines as long as ``room`` characters suffice."""
    files: list[ComparedFile] = []
    for path in sorted({*before, *after}):
        old, new = before.get(path), after.get(path)
        if old == new:
            continue
        length = len(old or "") + len(new or "")
        fits = length <= room and can_be_compared(old, new)
        room -= length if fits else 0
        files.append(ComparedFile(path, build_side_by_side_rows(old, new) if fits else ()))
    return files
