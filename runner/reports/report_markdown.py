"""The markdown of a report: the failures of a run, from its record and archive.

All text of models and graders is in fenced blocks that this text cannot close.
"""

import difflib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

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
    environment = Environment(  # noqa: S701 - markdown: `inline` and `fence` escape
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    text = environment.get_template("report.md.jinja").render(
        run=run,
        failures=failures,
        patterns=patterns,
        impact=impact,
        same_suite=same_suite,
        cost=known,
        day=describe_day(run),
        steps=Counter(str(each.attempt.failed_step or "not published") for each in failures),
        format_count=format_count,
        one_line=make_one_line,
        inline=_format_inline,
        fence=_fence_text,
        diff_files=_diff_files,
        longest={"message": MESSAGE_LINES, "task": TASK_LINES, "diff": DIFF_LINES},
    )
    return text.rstrip("\n")


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


def _diff_files(reference: Mapping[str, str], answer: Mapping[str, str]) -> Iterator[str]:
    for path in sorted({*reference, *answer}):
        before, after = reference.get(path, ""), answer.get(path, "")
        if before != after:
            yield diff_file(path, before, after)


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
