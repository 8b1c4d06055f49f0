"""The work of `leaderboard ablate` and `leaderboard guidelines check`."""

from collections.abc import Sequence
from typing import Literal

import click

from generator.scores.differences.difference import Conclusion
from leaderboard.runs.publish import NOTHING_PUBLISHED, publish_ended, say_published
from leaderboard.runs.run import choose_watcher
from leaderboard.runs.run_forecasts import say_forecasts
from leaderboard.runs.run_options import RunOptions, check_models, check_options
from leaderboard.runs.run_summary import choose_exit_code
from leaderboard.suites.changed_evals import read_file_at, resolve_commit
from leaderboard.terminal.exit_codes import CHECK_FAILED, DONE
from leaderboard.terminal.shell_commands import format_command_line, with_budget
from leaderboard.terminal.streams import say
from leaderboard.trials.trial_report import Verdicts, build_verdicts, report_trial
from records.files.data_folder import DataFolder
from records.text.numbers import format_count
from runner.errors import NothingToCheckError
from runner.evals.discovery import Eval, discover
from runner.models.api_keys import load_keys
from runner.runs.forecast import compute_sufficient_budget
from runner.runs.plan import Destination, RunScope
from runner.runs.publish import check_plans
from runner.runs.resume import TRIAL_COMMANDS
from runner.runs.trials import (
    PlannedTrial,
    TextEdition,
    check_editions,
    execute_trial,
    find_changed_sections,
    find_trial,
    make_ablation_editions,
    plan_resumed_trial,
    plan_trial,
)


def ablate(
    options: RunOptions, chosen: Sequence[str], again: Sequence[str], *, placebo: bool
) -> int:
    """Try the guidelines without each of their sections; return the exit code.

    Args:
        options: the options of the command.
        chosen: the sections to leave out; empty for all.
        again: the options that the command for a resume needs, too.
        placebo: whether a placebo also replaces each section.
    """
    load_keys()
    destination = _build_destination(options)
    if options.resume is not None:
        trial_destination, trial = find_trial(options.resume, "ablation", destination)
        planned = plan_resumed_trial(trial, trial_destination, options)
    else:
        if len(options.models) > 1:
            raise click.UsageError("-m: give one model, because each trial has its own budget")
        editions = make_ablation_editions(destination.suite, chosen, with_placebos=placebo)
        evals = destination.suite.select(options.pattern, options.categories)
        if options.plan:
            return _say_plan(options, editions, evals, destination)
        planned = _plan_new_trial("ablation", options, editions, evals, destination)
    return _execute(planned, options, again).exit_code


def check_guidelines(
    options: RunOptions, revision: str | None, again: Sequence[str], *, fail_on_regression: bool
) -> int:
    """Compare the guidelines with their text at a revision; return the exit code."""
    load_keys()
    destination = _build_destination(options)
    suite = destination.suite
    if options.resume is not None:
        trial_destination, trial = find_trial(options.resume, "check", destination)
        text = read_file_at(suite.root, trial.revision or "", "guidelines.md")
        planned = plan_resumed_trial(trial, trial_destination, options, text)
    elif revision is None:
        raise click.UsageError("--before REVISION: with which guidelines are these compared?")
    else:
        commit = resolve_commit(suite.root, revision, "--before")
        text = read_file_at(suite.root, commit, "guidelines.md")
        changed = find_changed_sections(text, suite)
        if changed.is_nothing:
            say(f"guidelines.md is as it was at {revision}: nothing to check", err=options.as_json)
            return DONE
        evals = changed.select_evals(suite.select(options.pattern, options.categories))
        if not evals:
            raise NothingToCheckError(
                f"--before {revision}: no chosen eval exercises the changed text: {changed}"
            )
        if not options.as_json:
            say(f"Changed: {changed}; evals: {len(evals)}")
        editions = check_editions(text, suite, commit)
        if options.plan:
            return _say_plan(options, editions, evals, destination)
        planned = _plan_new_trial(
            "check", options, editions, evals, destination, commit=commit, changed=changed.sections
        )
    executed = _execute(planned, options, again)
    regressed = any(effect.conclusion is Conclusion.WORSE for effect in executed.effects)
    return CHECK_FAILED if fail_on_regression and regressed else executed.exit_code


def _build_destination(options: RunOptions) -> Destination:
    suite = discover(options.evals_root)
    check_options(options)
    return Destination(suite, DataFolder(options.data_root))


def _say_plan(
    options: RunOptions,
    editions: Sequence[TextEdition],
    evals: Sequence[Eval],
    destination: Destination,
) -> int:
    check_models(options)
    scope = RunScope(destination, [edition.experiment for edition in editions], evals)
    return say_forecasts(options, scope, as_json=options.as_json)


def _plan_new_trial(  # noqa: PLR0913 - what makes a trial
    kind: Literal["ablation", "check"],
    options: RunOptions,
    editions: Sequence[TextEdition],
    evals: Sequence[Eval],
    destination: Destination,
    *,
    commit: str | None = None,
    changed: Sequence[str] = (),
) -> PlannedTrial:
    check_models(options)
    planned = plan_trial(
        kind,
        options,
        editions,
        evals,
        destination,
        revision=commit,
        changed=changed,
    )
    if options.publish:
        check_plans(destination.data, [plan.run for plan in planned.plans], options.why)
    return planned


def _execute(planned: PlannedTrial, options: RunOptions, again: Sequence[str]) -> Verdicts:
    """Execute the rest of a trial, and report its results."""
    trial = planned.trial
    command = (*TRIAL_COMMANDS[trial.kind].split(), "--resume", trial.trial_id[:8])
    number = format_count(len(trial.runs), "run")
    say(f"{trial.kind} {trial.trial_id[:8]}: {number}", err=options.as_json)
    watching = choose_watcher(as_json=options.as_json)
    if not planned.plans:
        runs = list(planned.over)
    else:
        try:
            runs = execute_trial(planned, options, watching)
        except KeyboardInterrupt:
            say(f"Stopped at once. Go on with:\n{format_command_line(*command, *again)}", err=True)
            raise
    trial_verdicts = build_verdicts(trial, runs, choose_exit_code(runs))
    enough = compute_sufficient_budget(planned.plans, runs, trial.budget_usd, planned.spent_usd)
    resuming = format_command_line(*command, *with_budget(again, enough))
    data = planned.destination.data
    done = publish_ended(data, runs, options.why) if options.publish else NOTHING_PUBLISHED
    report_trial(trial_verdicts, data, resuming, as_json=options.as_json)
    if not options.as_json:
        say_published(done, data)
    return trial_verdicts
