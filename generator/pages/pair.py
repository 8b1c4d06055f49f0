"""The page that compares two runs: flipped evals with both answers, and other differences."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from hashlib import sha256
from typing import NamedTuple

from generator import site_links
from generator.blocks.run_lines import build_run_line
from generator.diff.description import format_runs_headline, group_uncompared_evals
from generator.diff.runs_diff import RunsDiff, Side, diff_runs
from generator.errors import SourceChangedError
from generator.render.templates import PageContext, Row
from generator.run_pairs import RunPair
from generator.site_data import SiteData
from records.archives.archive import OpenArchives
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


_LONGEST = 200_000
"""Files with more characters are not compared."""
_MOST_LINES = 3_000
_CONTEXT = 4
"""Equal lines shown around a difference; longer stretches are folded away."""
_FOLDED = 12
"""Fewer equal lines are not folded."""


def can_be_compared(*texts: str | None) -> bool:
    """Return whether all files are small enough to be compared."""
    return all(len(text) <= _LONGEST and text.count("\n") <= _MOST_LINES for text in texts if text)


def build_side_by_side_rows(before: str | None, after: str | None) -> list[SideBySideRow]:
    """Return the rows of ``before`` (left) and ``after`` (right); None is a missing file.

    Equal lines are folded except a few beside differences; equal files are not folded.
    """
    left, right = [
        [] if text is None else make_visible(text).rstrip("\n").split("\n")
        for text in (before, after)
    ]
    rows: list[SideBySideRow] = []
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    for tag, i, i_end, j, j_end in matcher.get_opcodes():
        made: list[SideBySideRow] = []
        # Lines side by side, and then the further lines of the longer side.
        for step in range(max(i_end - i, j_end - j)):
            here, there = i + step < i_end, j + step < j_end
            changed = "changed" if here and there else "removed" if here else "added"
            made.append(
                SideBySideRow(
                    kind="same" if tag == "equal" else changed,
                    left=i + step + 1 if here else None,
                    left_text=left[i + step] if here else "",
                    right=j + step + 1 if there else None,
                    right_text=right[j + step] if there else "",
                    folded=0,
                )
            )
        head = 0 if i == 0 else _CONTEXT
        tail = 0 if i_end == len(left) and j_end == len(right) else _CONTEXT
        hidden = len(made) - head - tail
        if tag == "equal" and head + tail and hidden >= _FOLDED:
            gap = SideBySideRow("folded", None, "", None, "", hidden)
            made = [*made[:head], gap, *made[len(made) - tail :]]
        rows += made
    return rows


_MOST_ON_PAGE = 1_000_000
"""The most characters of all compared files; further files are only on attempts' pages."""


def build_pair_page(site: SiteData, folders: Sequence[DataFolder], pair: RunPair) -> PageContext:
    """Read both records and return the page of ``pair``.

    ``folders`` has the published data folder, and after it the local folder if it is read.

    Raises:
        InvalidRecordError: an archive is damaged.
        SourceChangedError: a record changed since its summary was read.
    """
    records: list[Run] = []
    for run in pair:
        path = folders[-1 if run.local else 0].get_run_file(run.slug, run.run_id)
        data = read_bytes(path)
        if sha256(data).hexdigest() != run.digest:
            raise SourceChangedError(path)
        records.append(parse_run(path, data))
    before, after = (Side(record.run_id[:8], [record]) for record in records)
    diff = diff_runs(before, after, site.summaries.benchmarks)
    compared = [
        Row(
            line=build_run_line(site, run),
            score_percent=None if score is None else 100 * score,
            cost_usd=cost,
        )
        for run, score, cost in zip(pair, diff.scores or (None, None), diff.costs, strict=True)
    ]
    first, other = pair
    with OpenArchives() as archives:
        flips = list(_build_flips(pair, records, archives, diff))
    names = {row.flip.eval for row in flips}
    with_answers = [flip for flip in flips if flip.answers_kept]
    return PageContext(
        "pages/pair.html",
        f"{other.name}: run {other.run_id[:8]} against {first.run_id[:8]}",
        pair.path,
        f"What {other.name} passed {describe_when(other.head)} and not "
        f"{describe_when(first.head)}, and the reverse.",
        headline=format_runs_headline(diff),
        before=compared[0],
        after=compared[1],
        flips=flips,
        # The reason of a flip is that of the run that failed.
        reasons_published=any(
            row.flip.reason is not None
            and (other if row.what == "broken" else first).source is not None
            for row in flips
        ),
        flips_with_answers=with_answers,
        without_answers=[
            run
            for run in pair
            if run.artifact is None or not names & {name for name, _ in run.kept}
        ],
        inequalities=diff.inequalities,
        basics=site,
        left_out=group_uncompared_evals(diff),
    )


def _build_flips(
    pair: RunPair,
    records: Sequence[Run],
    archives: OpenArchives,
    diff: RunsDiff,
) -> Iterator[Row]:
    """Yield the evals with another result, broken ones first; of each both answers, if kept."""
    room = _MOST_ON_PAGE
    listed = [(flip, "broken") for flip in diff.broken] + [(flip, "fixed") for flip in diff.fixed]
    for number, (flip, kind) in enumerate(listed, start=1):
        samples: list[int] = []
        answers: list[Mapping[str, str] | None] = []
        for record, run, passes in zip(
            records, pair, (kind == "broken", kind == "fixed"), strict=True
        ):
            # A sample with the outcome of its side, preferably one whose files were kept.
            outcome = Outcome.PASSED if passes else Outcome.FAILED
            sample = min(
                (attempt for attempt in record.attempts if attempt.eval == flip.eval),
                key=lambda each: (each.outcome is not outcome, each.artifact is None),
            ).sample
            samples.append(sample)
            answers.append(run.read_files(archives, flip.eval, sample))
        before, after = answers
        files: list[Row] = []
        if before is not None and after is not None:
            for path in sorted({*before, *after}):
                old, new = before.get(path), after.get(path)
                if old != new:
                    length = len(old or "") + len(new or "")
                    fits = length <= room and can_be_compared(old, new)
                    room -= length if fits else 0
                    # Without rows, the file is too large to be compared here.
                    rows = build_side_by_side_rows(old, new) if fits else ()
                    files.append(Row(path=path, rows=rows))
        yield Row(
            anchor=f"flip-{number}",
            flip=flip,
            what=kind,
            before_href=site_links.build_attempt_href(pair.before, flip.eval, samples[0]),
            after_href=site_links.build_attempt_href(pair.after, flip.eval, samples[1]),
            files=files,
            answers_kept=before is not None and after is not None,
        )
