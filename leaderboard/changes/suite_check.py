"""The results of `suite check` from a job that a stranger may control: read strictly, and counted.

All other parts of a description are computed by this program. Of the results only the names of
evals that the suite has, and answers and verdicts of the right form, are accepted.
"""

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from records.files.json_limits import find_excess

LARGEST: Final = 4 * 1024 * 1024
"""The most bytes of the file."""
_MOST_VALUES: Final = 100_000
_MOST_ROWS: Final = 10_000
_ANSWER: Final = re.compile(r"reference|baseline/(?:empty|stub)|(?:pass|fail)/[A-Za-z0-9_-]{1,80}")


@dataclass(frozen=True, slots=True)
class CheckedEval:
    """The numbers of answers to an eval with right, wrong and no verdicts."""

    right: int = 0
    """Answers with the expected verdict."""
    wrong: int = 0
    """Answers with another verdict."""
    left_out: int = 0
    """Answers without a verdict, because the reference of the eval did not pass."""


@dataclass(frozen=True, slots=True)
class CheckResults:
    """The results by eval, or the reason why there are none."""

    evals: Mapping[str, CheckedEval]
    fault: str | None
    """The reason why there are no results; None if there are."""


def read_check_results(path: Path, names: Collection[str]) -> CheckResults:
    """Return the results in the file at ``path`` for the evals called ``names``."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError:
        return CheckResults({}, "the job of this pull request left none")
    if len(data) > LARGEST or find_excess(data, _MOST_VALUES) is not None:
        return CheckResults({}, "the job of this pull request left a file that is too large")
    try:
        rows: object = json.loads(data)
    except (ValueError, RecursionError):
        return CheckResults({}, "the job of this pull request left a file that is not JSON")
    if not isinstance(rows, list) or len(cast("list[object]", rows)) > _MOST_ROWS:
        return CheckResults({}, "the job of this pull request left a file of another form")
    return _count_rows(cast("list[object]", rows), names)


def _count_rows(rows: list[object], names: Collection[str]) -> CheckResults:
    counts: dict[str, CheckedEval] = {}
    seen: set[tuple[str, str]] = set()
    for row in rows:
        fields = cast("dict[str, object]", row) if isinstance(row, dict) else {}
        name, answer = fields.get("eval"), fields.get("answer")
        holds, left_out = fields.get("holds"), fields.get("left_out")
        if not (isinstance(name, str) and isinstance(answer, str)) or name not in names:
            return CheckResults({}, "the job of this pull request names an eval that is not there")
        if not isinstance(holds, bool) or not isinstance(left_out, bool):
            return CheckResults({}, "the job of this pull request left rows of another form")
        if _ANSWER.fullmatch(answer) is None or (name, answer) in seen:
            return CheckResults({}, "the job of this pull request left rows of another form")
        seen.add((name, answer))
        so_far = counts.get(name, CheckedEval())
        counts[name] = CheckedEval(
            right=so_far.right + (holds and not left_out),
            wrong=so_far.wrong + (not holds and not left_out),
            left_out=so_far.left_out + left_out,
        )
    return CheckResults(counts, None)
