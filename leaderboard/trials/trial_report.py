"""The results of a trial of the guidelines, as lines for people and as JSON."""

from collections.abc import Sequence
from dataclasses import dataclass

from generator.diff.description import SAID
from generator.scores.trial_effects import EditionEffect, EvalCounts, compute_trial_effects
from leaderboard.runs.run_summary import (
    build_run_row,
    describe_outcomes,
    explain_unjudged,
    find_record_path,
)
from leaderboard.terminal.streams import say, say_json
from records.files.data_folder import DataFolder
from records.shapes.attempt import JUDGED, Outcome
from records.shapes.run import Run
from records.shapes.trial import Edition, GuidelinesTrial
from records.text.numbers import format_count


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The results of a trial so far."""

    trial: GuidelinesTrial
    runs: Sequence[Run]
    effects: Sequence[EditionEffect]
    exit_code: int
    """The exit code: 3 if an attempt has no verdict, else 0."""


def build_verdicts(trial: GuidelinesTrial, runs: Sequence[Run], exit_code: int) -> Verdicts:
    """Return the results of a trial, with the effect of each edition on each model."""
    results = {run.run_id: count_by_eval(run) for run in runs}
    models = dict.fromkeys(trial_run.model for trial_run in trial.runs)
    effects = [
        effect
        for model in models
        for effect in compute_trial_effects(
            [trial_run for trial_run in trial.runs if trial_run.model == model], results
        )
    ]
    return Verdicts(trial, runs, effects, exit_code)


def count_by_eval(run: Run) -> EvalCounts:
    """Return the numbers of passed attempts and of attempts with a verdict, by eval."""
    counts: dict[str, tuple[int, int]] = {}
    for attempt in run.attempts:
        if attempt.outcome in JUDGED:
            passed, judged = counts.get(attempt.eval, (0, 0))
            counts[attempt.eval] = passed + (attempt.outcome is Outcome.PASSED), judged + 1
    return counts


def report_trial(verdicts: Verdicts, data: DataFolder, resuming: str, *, as_json: bool) -> None:
    """Print the effect of each edition, the record, and the command that resumes the trial."""
    trial = verdicts.trial
    published = data.get_trial_file(trial.trial_id)
    record = published if published.exists() else data.local.get_trial_file(trial.trial_id)
    if as_json:
        say_json(
            {
                "trial": trial.trial_id,
                "kind": trial.kind,
                "record": str(record),
                "runs": [
                    build_run_row(run, find_record_path(data, run), resuming)
                    for run in verdicts.runs
                ],
                "effects": [_build_values(effect) for effect in verdicts.effects],
            }
        )
        return
    say()
    by_id = {run.run_id: run for run in verdicts.runs}
    for model in dict.fromkeys(run.model for run in trial.runs):
        effects = [effect for effect in verdicts.effects if effect.run.model == model]
        whole = effects[0].whole
        ended = describe_outcomes(by_id[whole.run_id])
        say(f"{model} with the whole guidelines ({whole.tokens} tokens): {ended}")
        for effect in effects:
            _say_effect(effect)
    say(record)
    incomplete = [run for run in verdicts.runs if run.unjudged]
    for run in incomplete[:1]:
        say(f"\n{explain_unjudged(run)}")
    if incomplete:
        whole = format_count(len(verdicts.runs), "run")
        say(f"Incomplete: {len(incomplete)} of {whole}. Go on with:\n{resuming}")


def _say_effect(effect: EditionEffect) -> None:
    difference = effect.difference
    if difference is None or effect.p_value is None or effect.conclusion is None:
        say(f"  {_describe_edition(effect)}: no eval was judged with both texts")
        return
    low, high = 100 * difference.interval.low, 100 * difference.interval.high
    corrected = f" (corrected over {effect.family} sections)" if effect.family > 1 else ""
    say(
        f"  {_describe_edition(effect)}: {len(effect.lost)} lost, {len(effect.gained)} gained "
        f"of {difference.evals} evals, "
        f"{100 * difference.value:+.1f} points ({low:+.1f} to {high:+.1f}), "
        f"p = {effect.p_value:.2g}{corrected}: {SAID[effect.conclusion]}"
    )
    for change, names in (("lost", effect.lost), ("gained", effect.gained)):
        if names:
            say(f"    {change}: {', '.join(names)}")


def _describe_edition(effect: EditionEffect) -> str:
    run = effect.run
    if run.edition is Edition.BEFORE:
        return "compared with the guidelines before"
    how = "without" if run.edition is Edition.LEFT_OUT else "with a placebo for"
    return f"{how} {run.section} ({run.section_tokens} tokens)"


def _build_values(effect: EditionEffect) -> dict[str, object]:
    difference = effect.difference
    return {
        "model": effect.run.model,
        "edition": effect.run.edition.value,
        "section": effect.run.section,
        "section_tokens": effect.run.section_tokens,
        "run": effect.run.run_id,
        "against": effect.whole.run_id,
        "evals": 0 if difference is None else difference.evals,
        "difference": None if difference is None else difference.value,
        "low": None if difference is None else difference.interval.low,
        "high": None if difference is None else difference.interval.high,
        "p_value": effect.p_value,
        "sections": effect.family,
        "conclusion": effect.conclusion and effect.conclusion.value,
        "lost": list(effect.lost),
        "gained": list(effect.gained),
    }
