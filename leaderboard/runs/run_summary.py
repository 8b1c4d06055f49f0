"""The text on runs: the forecast of costs before them, and the summary after their end."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from generator.site_links import build_table_path
from leaderboard.project import build_data_option, build_suite_option
from leaderboard.terminal.shell_commands import format_command_line, with_budget
from leaderboard.terminal.streams import ExitCode, is_json, say, say_json
from records.files.data_folder import DataFolder
from records.reader import find_benchmark
from records.runs.hosts import BUILD, HOST, count_answers, describe_host_mixture
from records.shapes.attempt import Attempt, Outcome
from records.shapes.registry import ModelEntry
from records.shapes.run import Executed, Run
from records.suites.experiments import DEFAULT, is_of_a_trial
from records.text.numbers import format_count, format_dollars
from records.text.visible import make_one_line
from runner.models.costs import find_rates
from runner.models.registry import LOCAL, find_routing_warning
from runner.runs.forecast import Forecast, costs_nothing, forecast_costs
from runner.runs.history import History, read_histories
from runner.runs.plan import RunPlan, RunScope, RunSettings, draft_plans
from runner.runs.progress import watcher
from runner.runs.publish import list_obstacles
from runner.suite.mint import make_benchmark


def say_forecasts(settings: RunSettings, scope: RunScope) -> int:
    """Print the expected costs of the requested runs; return the exit code.

    No model is asked, and no file is written.
    """
    version = make_benchmark(scope.destination.suite).version
    history_by_model = read_histories(scope.destination.data, version)
    plans = draft_plans(settings, scope, version)
    rows = [_build_forecast_row(plan, history_by_model) for plan in plans]
    if is_json():
        say_json([row for row, _, _ in rows])
        return ExitCode.DONE
    for plan, (_, line, _) in zip(plans, rows, strict=True):
        say(line)
        if plan.carry_over is not None:
            for run_id, why in plan.carry_over.refused.items():
                say(f"  nothing is carried over from run {run_id[:8]}: it {why}")
    say_routing_warnings([plan.entry for plan in plans if plan.entry is not None])
    forecasts = [run_forecast for _, _, run_forecast in rows if run_forecast is not None]
    if len(forecasts) > 1:
        expected = [each.expected_usd for each in forecasts if each.expected_usd is not None]
        most = [each.most_usd for each in forecasts if each.most_usd is not None]
        is_expected, is_bounded = len(expected) == len(forecasts), len(most) == len(forecasts)
        about = f"about {format_dollars(sum(expected))}" if is_expected else "an unknown amount"
        bound = f"at most {format_dollars(sum(most))}" if is_bounded else "without a known bound"
        say(f"Together {format_count(len(forecasts), 'run')}: {about}, {bound}")
    return ExitCode.DONE


def say_routing_warnings(models: Iterable[ModelEntry]) -> None:
    """Print, each once, the warnings about models whose requests a gateway may pass to any host."""
    for warning in dict.fromkeys(map(find_routing_warning, models)):
        if warning is not None:
            say(warning, err=True)


def _build_forecast_row(
    plan: RunPlan, history_by_model: Mapping[tuple[str, str], History]
) -> tuple[Mapping[str, object], str, Forecast | None]:
    """Return the cost of a run as JSON and as a line, and its forecast.

    The forecast is None if the run costs nothing.
    """
    run, entry, carry_over = plan.run, plan.entry, plan.carry_over
    attempts, evals = run.planned_attempts, list(plan.evals.values())
    row: dict[str, object] = {
        "model": run.model.slug,
        "experiment": run.experiment.name,
        "attempts": attempts,
        "carried_over": {},
        "asked": attempts,
    }
    line = f"{watcher.format_run_title(run)}: {format_count(attempts, 'attempt')}"
    if carry_over is not None:
        numbers, reasons = carry_over.count_by_run(), Counter(carry_over.asked.values())
        row |= {
            "carried_over": numbers,
            "asked": len(carry_over.asked),
            "asked_because": dict(reasons),
            "refused": [{"run_id": run, "why": why} for run, why in carry_over.refused.items()],
        }
        for run_id, number in numbers.items():
            line += f", {number} carried over from run {run_id[:8]}"
        why = ", ".join(f"{number} {reason}" for reason, number in reasons.items())
        line += f", {len(carry_over.asked)} asked{f' ({why})' if why else ''}"
    if entry is None or costs_nothing(entry):
        why_free = "; a local server costs nothing but time"
        if entry is None:
            why_free = ": no key is needed, and nothing is paid"
        if run.model.kind == "baseline":
            why_free = ", which cost nothing but time"
        free = {"expected_usd": 0.0, "most_usd": 0.0, "price_known": True}
        return row | free, f"{line}{why_free}", None
    # An edition lacks only a part of the whole text, so its answers cost about as much.
    name = DEFAULT if is_of_a_trial(run.experiment.name) else run.experiment.name
    history = history_by_model.get((run.model.slug, name))
    samples = run.samples
    if carry_over is not None:
        # An eval with two questions comes twice.
        evals, samples = [plan.evals[question.eval] for question in carry_over.asked], 1
        if history is None and carry_over.sources:
            history = History(carry_over.sources[::-1], is_local=False)
    run_forecast = forecast_costs(entry, evals, samples, plan.guidelines, history)
    costs, words = describe_forecast(entry, run_forecast)
    return row | costs, f"{line}, {words}", run_forecast


def describe_forecast(entry: ModelEntry, forecast: Forecast) -> tuple[dict[str, object], str]:
    """Return the forecast of a model's costs as JSON and in words."""
    priced = find_rates(entry) is not None
    costs: dict[str, object] = {
        "expected_usd": forecast.expected_usd,
        "most_usd": forecast.most_usd,
        "price_known": priced,
    }
    return costs, f"{format_cost_line([forecast])}{'' if priced else '; no price known'}"


def format_cost_line(forecasts: Sequence[Forecast]) -> str:
    """Return the expected and the greatest cost of a run in words; unknown costs are left out."""
    unknown = sum(forecast.expected_usd is None for forecast in forecasts)
    expected = sum(forecast.expected_usd or 0 for forecast in forecasts)
    answers = sum(forecast.answers for forecast in forecasts)
    parts: list[str] = []
    if answers:
        left_out = (
            f", {unknown} of {format_count(len(forecasts), 'model')} without any left out"
            if unknown
            else ""
        )
        parts.append(
            f"about {format_dollars(expected)} by the cost of {answers} earlier answers{left_out}"
        )
    if any(forecast.most_usd is None for forecast in forecasts):
        parts.append("the greatest cost is not known: price or output limit is missing")
    else:
        most = sum(forecast.most_usd or 0 for forecast in forecasts)
        parts.append(
            f"at most {format_dollars(most)} if each answer uses the model's whole output limit"
        )
    return "; ".join(parts)


def report_runs(
    runs: Sequence[Run],
    data: DataFolder,
    again: Sequence[str],
    *,
    budget_for: Callable[[Sequence[Run]], float | None] | None = None,
) -> None:
    """Print the outcomes, costs and record of each run, and the command that resumes the rest.

    Args:
        runs: the runs.
        data: the data folder of their records.
        again: the options that the command for a resume needs, too.
        budget_for: returns the budget for the command that resumes runs, in dollars; None leaves
            the options as they are.
    """

    def format_next_command(rest: Sequence[Run]) -> str:
        return format_resume_command(rest, with_budget(again, budget_for and budget_for(rest)))

    if is_json():
        say_json([build_run_row(run, data, format_next_command([run])) for run in runs])
        return
    say()
    for run in runs:
        stopped = "stopped; " * (run.status == "aborted")
        say(f"{watcher.format_run_title(run)}: {stopped}{describe_outcomes(run)}")
        origins = Counter(
            attempt.carried_over.run for attempt in run.attempts if attempt.carried_over is not None
        )
        carried = ""
        if origins:
            numbers = (f"{number} from run {name[:8]}" for name, number in sorted(origins.items()))
            asked = len(run.attempts) - origins.total()
            carried = f"carried over: {', '.join(numbers)}; {asked} asked"
        costs = (
            watcher.format_cost(run.totals.cost_usd),
            watcher.describe_failed_tries(run.totals.failed_tries_usd),
        )
        lines = (
            carried,
            ", ".join(filter(None, costs)),
            describe_host_mixture(run.attempts),
        )
        for line in filter(None, lines):
            say(f"  {line}")
        say(f"  {find_record_path(data, run)}")
    unjudged = [run for run in runs if run.unjudged]
    for run in unjudged:
        say(f"\n{explain_unjudged(run)}")
    if unjudged:
        say(f"Go on with:\n{format_next_command(unjudged)}")


def format_resume_command(runs: Sequence[Run], again: Sequence[str]) -> str:
    """Return the shell command that resumes ``runs``."""
    return format_command_line("run", "--resume", *(run.short_id for run in runs), *again)


def suggest_resume(run: Run, folder_options: Sequence[str]) -> str:
    """Return the shell command that resumes a run; a server of the user's is to be filled in."""
    address = ["--api-base", "URL"] if run.model.slug.startswith(f"{LOCAL}/") else []
    return format_resume_command([run], [*address, *folder_options])


def find_record_path(data: DataFolder, run: Run) -> Path:
    """Return the current path of the record of a run, which may have been published."""
    return (data.local if is_local(data, run) else data).get_run_file(*run.key)


def is_local(data: DataFolder, run: Run) -> bool:
    """Return whether a run is not published."""
    return not data.get_run_file(*run.key).exists()


def choose_exit_code(runs: Sequence[Run]) -> int:
    """Return exit code 3 if an attempt has no verdict, else 0."""
    return ExitCode.INFRASTRUCTURE if any(run.unjudged for run in runs) else ExitCode.DONE


def build_run_row(run: Run, data: DataFolder, resume: str) -> dict[str, object]:
    """Return a run as JSON, with the path of its record and the command that resumes it."""
    return {
        "run_id": run.run_id,
        "model": run.model.slug,
        "experiment": run.experiment.name,
        "status": run.status,
        "outcomes": _count_outcomes(run),
        "carried_over": sum(attempt.carried_over is not None for attempt in run.attempts),
        "cost_usd": run.totals.cost_usd,
        "failed_tries_usd": run.totals.failed_tries_usd,
        "hosts": dict(count_answers(run.attempts, HOST)),
        "fingerprints": dict(count_answers(run.attempts, BUILD)),
        "record": str(find_record_path(data, run)),
        "resume": resume if run.unjudged else None,
    }


def describe_outcomes(run: Run) -> str:
    """Return the number of attempts of a run with each outcome, in words."""
    return ", ".join(
        f"{count} {name.replace('_', ' ')}" for name, count in _count_outcomes(run).items()
    )


def _count_outcomes(run: Run) -> dict[str, int]:
    counts = Counter(attempt.outcome for attempt in run.attempts)
    return {outcome: counts[outcome] for outcome in Outcome if counts[outcome]}


def build_attempt_row(attempt: Attempt) -> dict[str, object]:
    """Return the outcome of an attempt as JSON, with its reason in one line."""
    return {
        "eval": attempt.eval,
        "sample": attempt.sample,
        "outcome": attempt.outcome,
        "failed_step": attempt.failed_step,
        "reason": make_one_line(attempt.explanation or "", 160) or None,
    }


def explain_unjudged(run: Run) -> str:
    """Return lines on the attempts without a verdict, with evidence of the most common reason."""
    faults = [attempt.fault for attempt in run.attempts if attempt.fault is not None]
    missing = sum(attempt.outcome is Outcome.NOT_RUN for attempt in run.attempts)
    parts: list[str] = []
    if missing:
        parts.append(
            f"Not asked, or not graded: {watcher.format_attempts(missing)} of "
            f"{watcher.format_run_title(run)}."
        )
    if faults:
        kinds = Counter(fault.kind for fault in faults)
        commonest = kinds.most_common(1)[0][0]
        evidence = next(fault.evidence for fault in reversed(faults) if fault.kind is commonest)
        parts.append(
            f"Without a verdict: {watcher.format_attempts(len(faults))} of "
            f"{watcher.format_run_title(run)} ({watcher.describe_faults(kinds)}): "
            f"{make_one_line(evidence, 200)}"
        )
    return "\n".join(parts)


def suggest_publication(run: Run, data: DataFolder) -> list[str]:
    """Return the command that publishes a local run, with `--why` if a reason is needed.

    Empty for published and imported runs.
    """
    if not is_local(data, run) or not isinstance(run.provenance, Executed):
        return []
    why = ["--why", "TEXT"] if list_obstacles(data, run) else []
    return [format_command_line("publish", run.short_id, *build_data_option(data), *why)]


def suggest_after_runs(runs: Sequence[Run], data: DataFolder, evals_root: Path | None) -> list[str]:
    """Return the commands that show ended runs, explain their failures and publish them.

    Either all runs are local or none is. The command that resumes a run without all verdicts is not
    among them.
    """
    paths: set[str] = set()
    for run in runs:
        version = find_benchmark(data, run.benchmark_version)
        evals = run.planned if version is None else version.evals
        paths.add(build_table_path(run.benchmark_version, run.planned, evals))
    of_data = build_data_option(data)
    folder_options = [*build_suite_option(evals_root), *of_data]
    only = runs[0] if len(runs) == 1 else None
    run_id = [only.short_id] if only else []
    lines = [format_command_line("runs", *run_id, *of_data)]
    if any(attempt.outcome is Outcome.FAILED for run in runs for attempt in run.attempts):
        chosen = ["-m", only.model.slug, "-e", only.experiment.name] if only else []
        lines.append(format_command_line("evals", "status", "--failed", *chosen, *folder_options))
        if only:
            lines.append(format_command_line("report", only.short_id, *folder_options))
    if only:
        lines += suggest_publication(only, data)
    elif is_local(data, runs[0]) and (
        ready := [run.short_id for run in runs if not list_obstacles(data, run)]
    ):
        lines.append(format_command_line("publish", *ready, *of_data))
    if len(paths) == 1:
        serve = format_command_line("serve", *folder_options)
        lines.append(f"{serve}   # their table: /{paths.pop()}")
    return lines
