"""Random drawing of the attempts of an audit, spread over evals and verdicts.

Half of the sample are passed attempts, and half are failed attempts. Within each half, all attempts
have the same chance. They are sorted by eval, in random order within an eval, and each k-th attempt
from a random start is taken (systematic sampling with a fractional interval; Cochran 1977, Sampling
Techniques, section 8). So an eval has its share of the sample, rounded up or down, and shares of
right and wrong attempts in the sample are unbiased estimates for all attempts.
"""

import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from records.sessions.audit import Audit, AuditedOutcome, AuditItem, AuditStratum, make_audit_id
from records.shapes.attempt import StepName
from review.errors import AuditError

_OUTCOMES: tuple[AuditedOutcome, ...] = ("passed", "failed")


@dataclass(frozen=True, slots=True, order=True)
class Candidate:
    """An attempt that can be drawn."""

    eval: str
    outcome: AuditedOutcome
    run_id: str
    sample: int
    failed_step: StepName | None


@dataclass(frozen=True, slots=True)
class Request:
    """Size and seed of a drawing, and the share of attempts that two people judge."""

    size: int
    """Number of attempts to draw; if there are fewer, all are drawn."""
    seed: int
    double: float
    """Share of the drawn attempts, 0 to 1, that two people judge."""


def draw(
    benchmark_version: str,
    candidates: Sequence[Candidate],
    request: Request,
    *,
    at: datetime,
    session_of: Callable[[str, str, int], str],
) -> Audit:
    """Draw an audit. The same request and candidates, in any order, give the same attempts.

    Args:
        benchmark_version: the version whose graders judged the attempts.
        candidates: all attempts that can be drawn.
        request: size and seed of the drawing.
        at: the present time.
        session_of: returns the id of an attempt's session, for its run, eval and sample.

    Raises:
        AuditError: there is nothing to draw from.
    """
    if not candidates:
        raise AuditError(f"{benchmark_version}: no attempt that passed or failed and was kept")
    chance = random.Random(request.seed)  # noqa: S311 - a draw that anybody can repeat
    ordered = sorted(candidates)
    passed, failed = ([each for each in ordered if each.outcome == name] for name in _OUTCOMES)
    # Of each outcome, half of the sample is drawn, or more if the other has too few.
    half = request.size // 2
    rest = request.size - half
    drawn: list[tuple[Candidate, float]] = []
    for having, size in (
        (passed, min(len(passed), half + max(0, rest - len(failed)))),
        (failed, min(len(failed), rest + max(0, half - len(passed)))),
    ):
        if size:
            jumbled = sorted(having, key=lambda candidate: (candidate.eval, chance.random()))
            step, start = len(jumbled) / size, chance.random()
            for number in range(size):
                index = min(math.floor((start + number) * step), len(jumbled) - 1)
                drawn.append((jumbled[index], step))
    chance.shuffle(drawn)
    doubled = set(chance.sample(range(len(drawn)), round(request.double * len(drawn))))
    counts = Counter((candidate.eval, candidate.outcome) for candidate in ordered)
    drawn_counts = Counter((candidate.eval, candidate.outcome) for candidate, _ in drawn)
    return Audit(
        schema_version=1,
        audit_id=make_audit_id(benchmark_version, request.seed),
        benchmark_version=benchmark_version,
        drawn_at=at,
        seed=request.seed,
        runs=tuple(sorted({candidate.run_id for candidate in ordered})),
        strata=tuple(
            AuditStratum(
                eval=name,
                outcome=outcome,
                population=counts[name, outcome],
                drawn=drawn_counts[name, outcome],
            )
            for name in sorted({candidate.eval for candidate in ordered})
            for outcome in _OUTCOMES
            if counts[name, outcome]
        ),
        steps=dict(Counter(each.failed_step for each in ordered if each.failed_step is not None)),
        items=tuple(
            AuditItem(
                session=session_of(candidate.run_id, candidate.eval, candidate.sample),
                **asdict(candidate),
                weight=weight,
                reviewers=2 if index in doubled else 1,
            )
            for index, (candidate, weight) in enumerate(drawn)
        ),
    )
