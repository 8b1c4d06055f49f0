"""The plan of a night: the models whose runs are due, in their order, within limits of money."""

import math
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from datetime import date, timedelta
from typing import Literal, NamedTuple

from records.files.data_folder import DataFolder
from records.reader import read_models
from records.runs.run_lookup import list_stored_runs
from records.shapes.registry import ModelEntry
from records.shapes.run import Run
from records.shapes.totals import compute_run_totals
from records.suites.experiments import DEFAULT, NO_GUIDELINES
from records.text.numbers import format_count, format_dollars
from runner import errors
from runner.answers.prompt import render_prompt
from runner.evals.discovery import Suite
from runner.models.api_keys import read_key
from runner.models.costs import bound_output, estimate_upper_usd, require_rates
from runner.runs import plan
from runner.runs.history import OLDEST, UnfinishedRun, find_unfinished, read_histories
from runner.suite.mint import make_benchmark

SHORTEST_DAYS = 1
LONGEST_DAYS = 60
AGE_PER_DAY = 6
"""The days of a model's age for each day between its runs: 1 day between them in its first week,
60 days after a year."""
CHEAP_USD = 5.0
"""The cost of a run, in dollars, up to which it does not lengthen the interval."""
DEAR_USD = 50.0
"""The cost of a run, in dollars, from which the interval is at least `DEAR_DAYS`."""
DEAR_DAYS = 14


class Schedule(NamedTuple):
    """The days of a model's latest and next run of the whole suite, under an experiment."""

    entry: ModelEntry
    last: date | None
    """The day of the latest run of the whole of today's suite; None if there is none."""
    next: date | None
    """The first day on which a run is due; None if no run has begun: then it is due at once."""

    def is_due(self, day: date) -> bool:
        """Return whether a run is due on ``day``; never after the provider retired the model."""
        if self.entry.retires is not None and self.entry.retires <= day:
            return False
        return self.next is None or self.next <= day


def schedule(
    entry: ModelEntry,
    runs: Sequence[Run],
    evals: Collection[str],
    today: date,
    unfinished: Run | None = None,
) -> Schedule:
    """Return the schedule of the model of ``entry``.

    Args:
        entry: the model's entry in models.toml.
        runs: the model's runs of today's suite under one experiment, in the order in which they
            began. Runs of a part of the suite are ignored.
        evals: the names of all evals of today's suite.
        today: the current day. If the model's release is unknown, its age is counted from its
            first run, or else from today.
        unfinished: the run to resume instead of a new run; None if there is none.
    """
    eval_names = set(evals)
    whole = [run for run in runs if eval_names <= set(run.planned)]
    last = next((run for run in reversed(whole) if not run.unjudged), None)
    day = last.date if last else None
    if unfinished is not None:
        # A run that was stopped or killed goes on at once. One with attempts without a verdict
        # waits as long as it has lasted so far: 1 day, 2, 4, 8.
        ended = unfinished.finished_at.date() if unfinished.finished_at else unfinished.date
        duration = timedelta()
        if unfinished.status == "completed":
            duration = max(ended - unfinished.date, timedelta(days=SHORTEST_DAYS))
        return Schedule(entry, day, ended + min(duration, OLDEST))
    if last is None:
        return Schedule(entry, None, None)
    born = entry.released or runs[0].date
    # The next run asks for all answers, so it may cost more than a run that carried some over.
    cost_usd = compute_run_totals(last.attempts, with_carried=True).cost_usd
    by_age = min(max((today - born).days // AGE_PER_DAY, SHORTEST_DAYS), LONGEST_DAYS)
    # The interval by cost is proportional between both bounds, and the shortest for unknown costs.
    known_usd = CHEAP_USD if cost_usd is None else cost_usd
    share = min(max((known_usd - CHEAP_USD) / (DEAR_USD - CHEAP_USD), 0.0), 1.0)
    by_cost = round(SHORTEST_DAYS + share * (DEAR_DAYS - SHORTEST_DAYS))
    return Schedule(entry, day, last.date + timedelta(days=max(by_age, by_cost)))


EXPERIMENTS = (DEFAULT, NO_GUIDELINES)
"""The experiments under which each model is asked."""

CENT = 0.01

SLACK = 1e-6
"""The tolerance in dollars for sums of floats."""

Decision = Literal["asked", "waits", "no_key", "no_price", "budget_spent"]


class MoneyLimits(NamedTuple):
    """The most dollars that may be spent; None sets no limit."""

    run_usd: float | None = None
    """The limit for a run, with all its resumes."""
    night_usd: float | None = None
    """The limit for all runs of a night together."""

    @property
    def most_usd_of_run(self) -> float | None:
        """The most dollars that a run may cost by both limits; None if neither is set."""
        limits = [usd for usd in (self.run_usd, self.night_usd) if usd is not None]
        return min(limits, default=None)


class DueRun(NamedTuple):
    """A model under an experiment whose run is due, with the questions that are left."""

    schedule: Schedule
    experiment: str
    unfinished: UnfinishedRun | None
    """The run to go on with; None if a new run begins."""
    questions: int
    """The number of attempts to ask."""
    most_usd: float | None
    """The most dollars of these attempts together; None if the price or output limit is unknown."""
    dearest_usd: float | None
    """The most dollars of a single attempt; None if unknown."""
    carried_over: int = 0
    """The number of answers that a new run carries over from earlier runs."""
    obstacle: errors.UserError | None = None
    """The reason why the model cannot be asked within a budget; None if it can."""

    @property
    def spent_usd(self) -> float:
        """The most dollars that earlier nights may have spent on the run."""
        return self.unfinished.spent_usd if self.unfinished else 0.0


class PlannedRun(NamedTuple):
    """The decision on a run that is due."""

    due: DueRun
    decision: Decision
    why: str | None
    """The reason why the run is not made; None if it is made."""
    tonight_usd: float | None = None
    """The most dollars of the run tonight; None without a limit, or if the run is not made."""

    @property
    def budget_usd(self) -> float | None:
        """The budget for `run --budget`, in dollars: the costs so far, and the most of tonight.

        It is above zero even if the model costs nothing. None without a limit.
        """
        if self.tonight_usd is None:
            return None
        return max(round(self.due.spent_usd + self.tonight_usd, 6), CENT)


def find_due_runs(  # noqa: PLR0913 - a night and its limits
    suite: Suite,
    data: DataFolder,
    today: date,
    limits: MoneyLimits,
    *,
    named: Sequence[str],
    carry_over_days: int | None,
) -> list[DueRun]:
    """Return the runs that are due on ``today``, in the order of their execution.

    Unfinished runs come first, then models without a run, then runs that have been due for the
    longest time. If ``named`` has models, these are due, and no others. New runs carry over answers
    that are at most ``carry_over_days`` days old; none if this is None.

    Raises:
        UnknownModelError: a named model is not in models.toml.
        InvalidRecordError: a record or a journal cannot be read.
    """
    models = read_models(data).models
    entries = [entry for entry in models if entry.scheduled]
    if named:
        by_slug = {entry.slug: entry for entry in models}
        if unknown := [slug for slug in named if slug not in by_slug]:
            raise errors.UnknownModelError(f"{', '.join(unknown)}: no such model in models.toml")
        entries = [by_slug[slug] for slug in named]
    version = make_benchmark(suite).version
    history_by_model = read_histories(data, version)
    evals = {evaluation.name: evaluation for evaluation in suite.evals}
    experiments = [plan.make_experiment_setup(suite, name, None) for name in EXPERIMENTS]
    runs: list[DueRun] = []
    for entry in entries:
        # A budget needs a limit on replies, and a price.
        limited_entry, obstacle = entry, None
        if limits.most_usd_of_run is not None:
            try:
                limited_entry = bound_output(entry)
                require_rates(limited_entry)
            except errors.UnknownPriceError as error:
                limited_entry, obstacle = entry, error
        for experiment in experiments:
            new = plan.make_plan(
                model=limited_entry,
                experiment=experiment,
                evals=suite.evals,
                benchmark_version=version,
                samples=1,
                harness=None,
            ).run
            unfinished = find_unfinished(list_stored_runs(data), new, today)
            history = history_by_model.get((entry.slug, experiment.name))
            earlier, going = history.runs if history else (), unfinished and unfinished.run
            scheduled = schedule(entry, earlier, list(evals), today, going)
            if not (named or scheduled.is_due(today)):
                continue
            questions, carried_over = tuple(evals), 0
            if unfinished is not None:
                questions = unfinished.questions
            elif carry_over_days is not None:
                settings = plan.RunSettings(
                    models=(entry.slug,),
                    budget_usd=limits.most_usd_of_run,
                    carry_over_days=carry_over_days,
                    publish=True,
                )
                scope = plan.RunScope(
                    plan.Destination(suite, data, publish=True), (experiment,), suite.evals
                )
                # If requests to the model cannot be made, the run itself reports the reason.
                with suppress(errors.UserError, errors.RequestNotMadeError):
                    (draft,) = plan.draft_plans(settings, scope, version)
                    if draft.carry_over is not None:
                        questions = tuple(place.eval for place in draft.carry_over.asked)
                        carried_over = len(draft.carry_over.answers)
            costs = [
                estimate_upper_usd(limited_entry, render_prompt(evals[name], experiment.guidelines))
                for name in questions
            ]
            bounds = [cost for cost in costs if cost is not None]
            is_bounded = len(bounds) == len(costs)
            runs.append(
                DueRun(
                    schedule=scheduled,
                    experiment=experiment.name,
                    unfinished=unfinished,
                    questions=len(questions),
                    carried_over=carried_over,
                    most_usd=math.fsum(bounds) if is_bounded else None,
                    dearest_usd=max(bounds, default=0.0) if is_bounded else None,
                    obstacle=obstacle,
                )
            )

    def get_turn(run: DueRun) -> tuple[int, date]:
        if run.unfinished is not None:
            return 0, run.unfinished.run.date
        return (1, date.min) if run.schedule.next is None else (2, run.schedule.next)

    return sorted(runs, key=get_turn)


def plan_night(runs: Sequence[DueRun], limits: MoneyLimits) -> list[PlannedRun]:
    """Return a decision on each of ``runs``; they get the money of the night in their order."""
    left_usd = math.inf if limits.night_usd is None else limits.night_usd
    planned: list[PlannedRun] = []
    for run in runs:
        decided = _decide_run(run, limits, left_usd)
        left_usd -= decided.tonight_usd or 0.0
        planned.append(decided)
    return planned


def _decide_run(run: DueRun, limits: MoneyLimits, left: float) -> PlannedRun:
    """Return the decision on a run; ``left`` are the dollars that are left of the night."""
    try:
        if run.questions or run.unfinished:  # else a new run carries all answers over
            read_key(run.schedule.entry)
    except errors.MissingKeyError as error:
        return PlannedRun(run, "no_key", str(error))
    if limits.most_usd_of_run is None:
        return PlannedRun(run, "asked", None)
    if run.obstacle is not None or run.most_usd is None or run.dearest_usd is None:
        why = run.obstacle or f"no price of {run.schedule.entry.slug} is known"
        return PlannedRun(run, "no_price", str(why))
    of_night = math.inf if limits.night_usd is None else limits.night_usd
    of_run = math.inf if limits.run_usd is None else max(limits.run_usd - run.spent_usd, 0.0)
    allowed = math.floor(round(min(of_night, of_run) / CENT, 4)) * CENT  # in whole cents
    if allowed + SLACK < run.dearest_usd:
        return PlannedRun(
            run,
            "budget_spent",
            f"a question may cost {format_dollars(run.dearest_usd)}, and the limits leave "
            f"{format_dollars(allowed)} for the run: raise the budget",
        )
    budget_usd = min(allowed, math.ceil(round(run.most_usd / CENT, 4)) * CENT)
    if budget_usd > left + SLACK:
        return PlannedRun(
            run,
            "waits",
            f"it may cost {format_dollars(budget_usd)}, and {format_dollars(max(left, 0.0))} of "
            "the night are left",
        )
    return PlannedRun(run, "asked", None, budget_usd)


def make_row(planned: PlannedRun) -> Mapping[str, object]:
    """Return a planned run as JSON."""
    due = planned.due
    entry, unfinished = due.schedule.entry, due.unfinished
    return {
        "slug": entry.slug,
        "experiment": due.experiment,
        "decision": planned.decision,
        "why": planned.why,
        "questions": due.questions,
        "carried_over": due.carried_over,
        "run": unfinished.run.run_id if unfinished else None,
        "verdicts": unfinished.verdicts if unfinished else 0,
        "spent_usd": due.spent_usd,
        "most_usd": due.most_usd,
        "tonight_usd": planned.tonight_usd,
        "budget_usd": planned.budget_usd,
        "key_variable": entry.api_key_env,
        "last_run": due.schedule.last.isoformat() if due.schedule.last else None,
        "next_due": due.schedule.next.isoformat() if due.schedule.next else None,
    }


def make_line(planned: PlannedRun) -> str:
    """Return a line for a planned run."""
    due = planned.due
    count = format_count(due.questions, "question")
    if due.carried_over:
        count += f", {due.carried_over} carried over"
    run_text = ""
    if due.unfinished is not None:
        run_text = f" left of run {due.unfinished.run.short_id}"
    end = planned.why
    if end is None:
        end = (
            "no limit"
            if planned.tonight_usd is None
            else f"at most {format_dollars(planned.tonight_usd)}"
        )
    word = planned.decision.replace("_", " ")
    return f"{word:<13} {due.schedule.entry.slug:<34} {due.experiment:<14} {count}{run_text}; {end}"


def make_sum_line(planned: Sequence[PlannedRun]) -> str:
    """Return a line with the number of runs that are made, and the most that they may cost."""
    runs = [run for run in planned if run.decision == "asked"]
    amounts = [run.tonight_usd for run in runs if run.tonight_usd is not None]
    bound = (
        f"at most {format_dollars(math.fsum(amounts))}" if len(amounts) == len(runs) else "no limit"
    )
    return f"Together {format_count(len(runs), 'run')}, {bound}"
