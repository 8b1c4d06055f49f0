"""The markdown of a report: the failures of a run, from its record and archive.

All text of models and graders is in fenced blocks that this text cannot close.
"""

import difflib
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from records.shapes.run import Run
from records.text.numbers import format_count, format_dollars
from records.text.run_days import describe_day
from records.text.visible import make_one_line, make_visible
from runner.reports.evidence import FailedAttempt, Pattern

KEPT = "<!-- `leaderboard report --update` writes anew what is above and keeps what is below -->"
"""The mark between the text of this program and the text of people."""
TASK_LINES = 15
MESSAGE_LINES = 20
DIFF_LINES = 80
"""The most lines of each diff; the page of the attempt shows all of them."""
WIDEST = 400
"""The most characters of a line."""
COMPARED_LINES = 2_000
"""The most lines of a file that is compared: difflib's time grows with their square."""

_OWN_PART = """\
## Actions taken

None yet.
"""


def format_report_body(
    run: Run,
    failures: Sequence[FailedAttempt],
    patterns: Sequence[Pattern],
    impact: str,
    *,
    same_suite: bool,
) -> str:
    """Return the part of the report's body that this program writes.

    Args:
        run: the run.
        failures: the failed attempts of the run.
        patterns: the patterns of the failures.
        impact: a sentence with the score, and the score without failures that are set aside.
        same_suite: whether the run was graded with the tasks and references of ``failures``.
    """
    cost = run.totals.cost_usd
    known = "" if cost is None else f"{format_dollars(cost)}, known for {run.totals.cost_known_for}"
    if not known:
        has_new = not run.attempts or any(each.carried_over is None for each in run.attempts)
        known = "not known" if has_new else "none, all answers were carried over"
    rows = {
        "model": f"{make_one_line(run.model.name)} (`{run.model.slug}`)",
        "run": f"`{run.run_id}`",
        "experiment": run.experiment.name,
        "benchmark version": f"`{run.benchmark_version}`",
        "date": describe_day(run),
        "planned": f"{format_count(len(run.planned), 'eval')},"
        f" {format_count(run.samples, 'sample')} each",
        "cost": known,
    }
    lines = [f"| {name} | {value} |" for name, value in rows.items()]
    parts = ["\n".join(["## The run", "", "| | |", "|---|---|", *lines])]
    if failures:
        steps = Counter(str(each.attempt.failed_step or "not published") for each in failures)
        lines = [f"| {step} | {count} |" for step, count in steps.most_common()]
        table = ["## Failures by step", "", "| step | failures |", "|---|--:|", *lines]
        parts.append("\n".join(table))
    else:
        parts.append("## Failures\n\nNo attempt failed.")
    if patterns:
        lines = [
            f"- {_format_inline(group.claim)}: "
            f"{', '.join(f'`{name}`' for name in group.examples)}{group.left_out_note}"
            for group in patterns
        ]
        parts.append("\n".join(["## Patterns", "", *lines]))
    parts.append(f"## Net impact\n\n{impact}")
    if failures:
        parts.append("## Each failure")
        if not same_suite:
            parts.append(
                "Tasks and references are those of today's suite, which is another version than "
                "the run was graded with."
            )
    parts += ["\n\n".join(filter(None, _format_analysis(failure))) for failure in failures]
    return "\n\n".join(parts)


def with_own_part(written: str, before: str | None) -> str:
    """Return the whole body: the text of this program, then the text of people.

    Args:
        written: the result of `format_report_body`.
        before: the body so far; null for a new report. If it lacks the mark `KEPT`, people wrote
            all of it.
    """
    if before is None:
        own = _OWN_PART
    elif KEPT in before:
        own = before.partition(KEPT)[2].strip("\n")
    else:
        own = before
    return f"{written}\n\n{KEPT}\n\n{own}"


def _format_analysis(failure: FailedAttempt) -> Iterator[str]:
    attempt = failure.attempt
    sample = f", sample {attempt.sample}" if attempt.sample > 1 else ""
    step = f" failed at {attempt.failed_step}" if attempt.failed_step else " failed"
    yield f"### {attempt.eval}{sample}{step}"
    if failure.sections:
        yield f"Guidelines: {', '.join(failure.sections)}."
    if failure.expectation:
        yield _format_inline(failure.expectation)
    yield _fence_text(failure.message, "text", MESSAGE_LINES)
    if failure.task is not None:
        yield "The task begins:"
        yield _fence_text(failure.task, "text", TASK_LINES)
    if failure.answer is None:
        yield "The answer is not archived."
    else:
        reference, answer = failure.reference, failure.answer
        yield "From the reference to the answer:" if reference else "The answer:"
        for path in sorted({*reference, *answer}):
            before, after = reference.get(path, ""), answer.get(path, "")
            if before != after:
                yield _fence_text(diff_file(path, before, after), "diff", DIFF_LINES)
    lines = [
        f"- `{past.report.as_posix()}` on {past.slug}: {past.failure_class}. "
        f"{_format_inline(past.note)}"
        for past in failure.earlier
    ]
    if lines:
        yield "\n".join(["Earlier reports on this eval:", "", *lines])


def diff_file(path: str, before: str, after: str) -> str:
    """Return a unified diff of one file, from the reference to an answer."""
    old, new = before.splitlines(), after.splitlines()
    if max(len(old), len(new)) > COMPARED_LINES:
        return f"{path}: {len(old)} lines in the reference, {len(new)} in the answer: not compared"
    names = (f"reference/{path}", f"answer/{path}")
    return "\n".join(difflib.unified_diff(old, new, *names, lineterm="", n=2))


def _fence_text(text: str, language: str, longest: int) -> str:
    """Return a code block of at most ``longest`` lines, with a fence that is not in the text."""
    lines = make_visible(text).strip("\n").split("\n")
    left_out = len(lines) - longest
    if left_out > 0:
        lines = [*lines[:longest], f"… {left_out} more lines"]
    lines = [line if len(line) <= WIDEST else f"{line[:WIDEST]}…" for line in lines]
    fence = "`" * max([3, *(len(backticks) + 1 for backticks in re.findall(r"`+", text))])
    return "\n".join([f"{fence}{language}", *lines, fence])


def _format_inline(text: str) -> str:
    """Return text as one line in which markdown and HTML have no effect."""
    return re.sub(r"([\\`*_{}\[\]<>|~@#])", r"\\\1", make_one_line(text))
