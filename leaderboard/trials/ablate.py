"""The work of `leaderboard ablate`."""

from collections.abc import Sequence
from itertools import groupby

import click

from generator.diff.description import SAID
from generator.scores.differences.difference import Conclusion
from generator.scores.trial_effects import EditionEffect, EvalCounts, compute_trial_effects
from leaderboard.git import read_guidelines_at, resolve_commit
from leaderboard.runs import run_summary
from leaderboard.runs.publish import NOTHING_PUBLISHED, publish_ended, say_published
from leaderboard.runs.run import RunOptions, check_models, check_options, choose_watcher
from leaderboard.terminal.shell_commands import format_command_line, with_budget
from leaderboard.terminal.streams import ExitCode, is_json, say, say_aside, say_json
from records.files.data_folder import DataFolder
from records.shapes.attempt import JUDGED, Outcome
from records.shapes.run import Run
from records.shapes.trial import Edition, GuidelinesTrial
from records.text.numbers import format_count
from runner.errors import BadSelectionError
from runner.evals.discovery import discover
from runner.models.api_keys import load_keys
from runner.runs import trials
from runner.runs.forecast import compute_sufficient_budget
from runner.runs.plan import Destination, PlannedRuns, RunScope
from runner.runs.publish import check_plans
from runner.suite.held_out import refuse_shared_texts


def ablate(  # noqa: PLR0913 - the options of the command
    options: RunOptions,
    again: Sequence[str],
    *,
    sections: Sequence[str],
    placebo: bool,
    before: str | None,
    fail_on: str | None,
) -> int:
    """Try editions of the guidelines; return the exit code.

    Args:
        options: the options of runs.
        again: the options that the command for a resume needs, too.
        sections: the sections to leave out; empty for all.
        placebo: true if a placebo also replaces each section.
        before: a git revision, whose text alone is compared with today's; None to leave out
            sections.
        fail_on: None, or ``regression`` to end with `CHECK_FAILED` if a model is worse than before.
    """
    load_keys()
    suite = discover(options.evals_root)
    check_options(options)
    destination = Destination(suite, options.data)
    if options.resume is not None:
        trial_destination, trial = trials.find_trial(options.resume, destination)
        text = None
        if trial.kind == "check":
            text = read_guidelines_at(suite.root, trial.revision or "")
        trial, planned = trials.plan_resumed_trial(trial, trial_destination, options, text)
    else:
        commit, changed = None, trials.ChangedText((), rest=False)
        if before is None:
            if len(options.models) > 1:
                raise click.UsageError("-m: give one model, because each trial has its own budget")
            editions = trials.make_ablation_editions(suite, sections, with_placebos=placebo)
            evals = suite.select(options.pattern, options.categories, options.levels)
        else:
            commit = resolve_commit(suite.root, before, "--before")
            text = read_guidelines_at(suite.root, commit)
            changed = trials.find_changed_sections(text, suite)
            refuse_shared_texts(text, suite)
            if not changed.sections and not changed.rest:
                words = f"guidelines.md is as it was at {before}: nothing to check"
                say_aside(words)
                return ExitCode.DONE
            evals = changed.select_evals(
                suite.select(options.pattern, options.categories, options.levels)
            )
            if not evals:
                raise BadSelectionError(
                    f"--before {before}: no chosen eval exercises the changed text: {changed}"
                )
            if not is_json():
                say(f"Changed: {changed}; evals: {len(evals)}")
            editions = trials.check_editions(text, suite, commit)
        check_models(options)
        scope = RunScope(destination, [edition.experiment for edition in editions], evals)
        if options.plan:
            return run_summary.say_forecasts(options, scope)
        trial, planned = trials.plan_trial(options, editions, scope, commit, changed.sections)
        if options.publish:
            check_plans(destination.data, [plan.run for plan in planned.plans], options.why)
    runs, resuming = _execute(trial, planned, options, again)
    effects = _report(trial, runs, planned.destination.data, resuming, options)
    differences = [effect.difference for effect in effects if effect.difference is not None]
    regressed = any(each.conclusion is Conclusion.WORSE for each in differences)
    return ExitCode.CHECK_FAILED if fail_on and regressed else run_summary.choose_exit_code(runs)


def _execute(
    trial: GuidelinesTrial, planned: PlannedRuns, options: RunOptions, again: Sequence[str]
) -> tuple[Sequence[Run], str]:
    """Execute the rest of a trial; return its runs, and the command that resumes it."""
    command = ("ablate", "--resume", trial.trial_id[:8])
    number = format_count(len(trial.runs), "run")
    say_aside(f"{trial.kind} {trial.trial_id[:8]}: {number}")
    watching = choose_watcher()
    if not planned.plans:
        runs = list(planned.over)
    else:
        try:
            runs = trials.execute_trial(trial, planned, options, watching)
        except KeyboardInterrupt:
            say(f"Stopped at once. Go on with:\n{format_command_line(*command, *again)}", err=True)
            raise
    enough = compute_sufficient_budget(
        planned.plans, runs, planned.destination.folder, trial.budget_usd, planned.spent_usd
    )
    return runs, format_command_line(*command, *with_budget(again, enough))


def _report(
    trial: GuidelinesTrial,
    runs: Sequence[Run],
    data: DataFolder,
    resuming: str,
    options: RunOptions,
) -> Sequence[EditionEffect]:
    """Publish and print the results of a trial; return the effect of each edition."""
    done = publish_ended(data, runs, options.why) if options.publish else NOTHING_PUBLISHED
    results: dict[str, dict[str, EvalCounts]] = {}
    for run in runs:
        counts = results.setdefault(run.run_id, {})
        for attempt in run.attempts:
            if attempt.outcome in JUDGED:
                passed, judged = counts.get(attempt.eval, (0, 0))
                counts[attempt.eval] = passed + (attempt.outcome is Outcome.PASSED), judged + 1
    effects = [
        effect
        for model in dict.fromkeys(trial_run.model for trial_run in trial.runs)
        for effect in compute_trial_effects(
            [trial_run for trial_run in trial.runs if trial_run.model == model], results
        )
    ]
    published = data.trials.get_file(trial.trial_id)
    record = published if published.exists() else data.local.trials.get_file(trial.trial_id)
    if is_json():
        rows = [run_summary.build_run_row(run, data, resuming) for run in runs]
        say_json(
            {
                "trial": trial.trial_id,
                "kind": trial.kind,
                "record": str(record),
                "runs": rows,
                "effects": [_build_values(effect) for effect in effects],
            }
        )
    else:
        _say_effects(effects, runs)
        say(record)
        incomplete = [run for run in runs if run.unjudged]
        for run in incomplete[:1]:
            say(f"\n{run_summary.explain_unjudged(run)}")
        if incomplete:
            whole = format_count(len(runs), "run")
            say(f"Incomplete: {len(incomplete)} of {whole}. Go on with:\n{resuming}")
        say_published(done, data)
    return effects


def _say_effects(effects: Sequence[EditionEffect], runs: Sequence[Run]) -> None:
    """Print the effect of each edition, by model."""
    say()
    by_id = {run.run_id: run for run in runs}
    for model, of_model in groupby(effects, lambda effect: effect.run.model):
        first, *others = of_model
        ended = run_summary.describe_outcomes(by_id[first.whole.run_id])
        say(f"{model} with the whole guidelines ({first.whole.tokens} tokens): {ended}")
        for effect in (first, *others):
            run, difference = effect.run, effect.difference
            if run.edition is Edition.BEFORE:
                edition = "compared with the guidelines before"
            else:
                how = "without" if run.edition is Edition.LEFT_OUT else "with a placebo for"
                edition = f"{how} {run.section} ({run.section_tokens} tokens)"
            if difference is None:
                say(f"  {edition}: no eval was judged with both texts")
                continue
            corrected = f" (corrected over {effect.family} sections)" if effect.family > 1 else ""
            say(
                f"  {edition}: {len(difference.broken)} lost, "
                f"{len(difference.fixed)} gained of {difference.evals} evals, "
                f"{difference.points:+.1f} points ({difference.low:+.1f} to "
                f"{difference.high:+.1f}), p = {difference.p_value:.2g}{corrected}: "
                f"{SAID[difference.conclusion]}"
            )
            for change, names in (("lost", difference.broken), ("gained", difference.fixed)):
                if names:
                    say(f"    {change}: {', '.join(names)}")


def _build_values(effect: EditionEffect) -> dict[str, object]:
    difference = effect.difference
    return {
        "model": effect.run.model,
        "edition": effect.run.edition,
        "section": effect.run.section,
        "section_tokens": effect.run.section_tokens,
        "run": effect.run.run_id,
        "against": effect.whole.run_id,
        "evals": 0 if difference is None else difference.evals,
        "difference": difference and difference.value,
        "low": difference and difference.interval.low,
        "high": difference and difference.interval.high,
        "p_value": difference and difference.p_value,
        "sections": effect.family,
        "conclusion": difference and difference.conclusion,
        "lost": [] if difference is None else difference.broken,
        "gained": [] if difference is None else difference.fixed,
    }
