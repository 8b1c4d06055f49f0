"""The answers that a run carries over from earlier runs, in words and as JSON."""

from collections import Counter
from collections.abc import Mapping, Sequence

from records.shapes.run import Run
from runner.evals.discovery import Eval
from runner.runs.carry_over import CarryOver
from runner.runs.history import History


def make_carry_over_row(carry_over: CarryOver | None, attempts: int) -> dict[str, object]:
    """Return as JSON how many of ``attempts`` a run carries over, and how many it asks for."""
    if carry_over is None:
        return {"carried_over": {}, "asked": attempts}
    return {
        "carried_over": carry_over.count_by_run(),
        "asked": len(carry_over.asked),
        "asked_because": dict(Counter(carry_over.asked.values())),
        "refused": [{"run_id": run, "why": why} for run, why in carry_over.refused.items()],
    }


def describe_carry_over(carry_over: CarryOver) -> str:
    """Return the number of answers from each earlier run, and of those asked for, with reasons."""
    parts = [
        f"{number} carried over from run {run_id[:8]}"
        for run_id, number in carry_over.count_by_run().items()
    ]
    reasons = Counter(carry_over.asked.values())
    why = ", ".join(f"{number} {reason}" for reason, number in reasons.items())
    parts.append(f"{len(carry_over.asked)} asked{f' ({why})' if why else ''}")
    return ", ".join(parts)


def list_refusals(carry_over: CarryOver) -> list[str]:
    """Return a line for each earlier run of which no answer is carried over, with the reason."""
    return [
        f"  nothing is carried over from run {run[:8]}: it {why}"
        for run, why in carry_over.refused.items()
    ]


def list_evals_to_ask(carry_over: CarryOver, evals: Sequence[Eval]) -> list[Eval]:
    """Return the eval of each question that is asked; an eval with two questions comes twice."""
    by_name: Mapping[str, Eval] = {evaluation.name: evaluation for evaluation in evals}
    return [by_name[question.eval] for question in carry_over.asked]


def make_history(carry_over: CarryOver) -> History | None:
    """Return the runs whose answers are carried over, for an estimate of costs; None without."""
    if not carry_over.sources:
        return None
    return History(carry_over.sources[::-1], is_local=False)


def describe_carried_answers(run: Run) -> str:
    """Return the number of carried answers from each earlier run; empty if there are none."""
    origins = [attempt.carried_over for attempt in run.attempts]
    numbers = Counter(origin.run for origin in origins if origin is not None)
    if not numbers:
        return ""
    runs = ", ".join(
        f"{number} from run {run_id[:8]}" for run_id, number in sorted(numbers.items())
    )
    return f"carried over: {runs}; {len(run.attempts) - numbers.total()} asked"
