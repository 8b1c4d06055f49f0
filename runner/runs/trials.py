"""Trials of the guidelines: runs that send different editions of the text, to compare the results.

The runs of a trial take turns and share a budget. An ablation has an edition for each section,
which lacks this section. A check compares the text with an earlier text. The record of a trial is
written before its runs begin and names them all. So if the process is killed, the record shows
what is left to do.
"""

import difflib
import math
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import NamedTuple

from records.errors import MissingRecordError
from records.files.data_folder import DataFolder
from records.guidelines.sections import parse_sections, remove_sections, replace_section
from records.journal.entries import make_opening_entry
from records.journal.journal import is_cost_known
from records.reader import read_record
from records.runs.run_lookup import check_beginning, list_stored_runs
from records.shapes.base import compute_text_digest
from records.shapes.run import Run
from records.shapes.trial import TRIAL_VERSION, Edition, GuidelinesTrial, TrialRun
from records.suites.experiments import BEFORE, DEFAULT, LEFT_OUT, PLACEBO
from records.writer import write_record
from runner.answers.prompt import render_prompt
from runner.errors import BadSelectionError, CannotResumeError
from runner.evals.discovery import Eval, Suite
from runner.models import tokens
from runner.models.costs import estimate_upper_usd
from runner.runs import resume
from runner.runs.launch import launch
from runner.runs.plan import (
    Destination,
    ExperimentSetup,
    PlannedRuns,
    RunPlan,
    RunScope,
    RunSettings,
    make_run_id,
    plan_runs,
)
from runner.runs.progress.watcher import Watcher
from runner.suite.guidelines_texts import count_sent_tokens, with_placebo

_LONGEST_NAME = 40
_SEPARATOR_AND_DIGEST = 7


class TextEdition(NamedTuple):
    """An edition of the guidelines, and the experiment that sends it."""

    edition: Edition
    section: str | None
    """The section that is left out or replaced; None if no section is."""
    experiment: ExperimentSetup


def make_ablation_editions(
    suite: Suite, chosen: Sequence[str], *, with_placebos: bool
) -> list[TextEdition]:
    """Return the whole text, then the editions without each section.

    ``chosen`` names the sections; if it is empty, all sections are tried. ``with_placebos`` adds
    an edition for each section in which a placebo of its length replaces it.

    Raises:
        BadSelectionError: a chosen section does not exist or is too short for a placebo, or the
            guidelines have no sections.
    """
    slugs = list(parse_sections(suite.guidelines))
    if not slugs:
        raise BadSelectionError(f"{suite.root}/guidelines.md has no sections to leave out")
    for name in chosen:
        if name not in slugs:
            close = difflib.get_close_matches(name, slugs, n=3, cutoff=0.5)
            hint = f"close to it: {', '.join(close)}" if close else f"they have {', '.join(slugs)}"
            raise BadSelectionError(
                f"--section {name}: the guidelines have no such section; {hint}"
            )
    editions = [make_text_edition(suite.guidelines, Edition.WHOLE, None)]
    for name in dict.fromkeys(chosen or slugs):
        editions.append(make_text_edition(suite.guidelines, Edition.LEFT_OUT, name))
        if with_placebos:
            editions.append(make_text_edition(suite.guidelines, Edition.PLACEBO, name))
    return editions


def make_text_edition(whole: str, edition: Edition, section: str | None) -> TextEdition:
    """Return an edition of the guidelines ``whole``.

    ``section`` is left out or replaced by a placebo, as ``edition`` says; None changes nothing. The
    name of its experiment is cut and ends with a digest if it is too long.
    """
    if section is None:
        return TextEdition(edition, None, ExperimentSetup(DEFAULT, whole))
    name, text = f"{LEFT_OUT}{section}", replace_section(whole, section, None)
    if edition is Edition.PLACEBO:
        name, text = f"{PLACEBO}{section}", with_placebo(whole, section)
    if len(name) > _LONGEST_NAME:
        digest = compute_text_digest(section)[: _SEPARATOR_AND_DIGEST - 1]
        name = f"{name[: _LONGEST_NAME - _SEPARATOR_AND_DIGEST]}-{digest}"
    return TextEdition(edition, section, ExperimentSetup(name, text))


def check_editions(before: str, suite: Suite, commit: str) -> list[TextEdition]:
    """Return an edition of today's guidelines, and one of ``before``, their text at ``commit``."""
    earlier = ExperimentSetup(f"{BEFORE}{commit[:12]}", before)
    return [
        make_text_edition(suite.guidelines, Edition.WHOLE, None),
        TextEdition(Edition.BEFORE, None, earlier),
    ]


class ChangedText(NamedTuple):
    """The differences between two texts of the guidelines."""

    sections: Sequence[str]
    """The sections that differ, or that only one of the texts has."""
    rest: bool
    """True if the text outside of all sections differs, or only the order of sections."""

    def __str__(self) -> str:
        parts = list(self.sections)
        if self.rest:
            parts.append("the text outside of sections, which concerns every eval")
        return ", ".join(parts) or "nothing"

    def select_evals(self, evals: Sequence[Eval]) -> list[Eval]:
        """Return the evals that exercise a changed section; all of ``evals`` if `rest` is true."""
        changed = set(self.sections)
        return [
            evaluation
            for evaluation in evals
            if self.rest or changed & set(evaluation.config.guidelines)
        ]


def find_changed_sections(before: str, suite: Suite) -> ChangedText:
    """Return the differences between the text ``before`` and the guidelines of ``suite``.

    Raises:
        BadSelectionError: a section cannot be read.
    """
    try:
        old, new = parse_sections(before), parse_sections(suite.guidelines)
    except ValueError as error:
        raise BadSelectionError(f"the guidelines as they were: {error}") from error
    names = tuple(
        name
        for name in {**old, **new}
        # The next section can change the blank lines at the end of a section.
        if name not in old or name not in new or old[name].rstrip() != new[name].rstrip()
    )
    rest_changed = remove_sections(before).strip() != remove_sections(suite.guidelines).strip()
    moved = not names and not rest_changed and before.strip() != suite.guidelines.strip()
    return ChangedText(names, rest_changed or moved)


def plan_trial(
    settings: RunSettings,
    editions: Sequence[TextEdition],
    scope: RunScope,
    revision: str | None,
    changed: Sequence[str],
) -> tuple[GuidelinesTrial, PlannedRuns]:
    """Plan a trial of ``editions``, whose experiments ``scope`` has: a run for each and each model.

    It checks the text against that at ``revision``; if this is None, it is an ablation.

    Raises:
        UserError: a model is unknown, a key is missing, or the benchmark version is not minted.
    """
    plans = plan_runs(settings, scope)
    whole = scope.destination.suite.guidelines
    sizes = {name: tokens.count_tokens(text) for name, text in parse_sections(whole).items()}
    by_name = {edition.experiment.name: edition for edition in editions}
    trial = GuidelinesTrial(
        schema_version=TRIAL_VERSION,
        trial_id=make_run_id(),
        kind="ablation" if revision is None else "check",
        benchmark_version=plans[0].run.benchmark_version,
        revision=revision,
        changed=tuple(changed),
        began_at=datetime.now(UTC),
        budget_usd=settings.budget_usd,
        runs=tuple(
            TrialRun(
                run_id=plan.run.run_id,
                model=plan.run.model.slug,
                experiment=plan.run.experiment.name,
                edition=edition.edition,
                section=edition.section,
                section_tokens=None if edition.section is None else sizes[edition.section],
                tokens=count_sent_tokens(plan.guidelines or ""),
            )
            for plan in plans
            for edition in [by_name[plan.run.experiment.name]]
        ),
    )
    return trial, PlannedRuns(plans, scope.destination, budget_usd=trial.budget_usd)


def find_trial(beginning: str, destination: Destination) -> tuple[Destination, GuidelinesTrial]:
    """Return the trial whose id starts with ``beginning``, and its data folder.

    Raises:
        AmbiguousRunError: several trials in one folder have such an id, or the beginning is too
            short.
        CannotResumeError: no trial has such an id, or several trials have.
    """
    check_beginning(beginning, "trial")
    trials: list[tuple[Destination, GuidelinesTrial]] = []
    for publish in (False, True):
        candidate = destination._replace(publish=publish)
        with suppress(MissingRecordError):
            path = candidate.folder.trials.find_file(beginning)
            trials.append((candidate, read_record(GuidelinesTrial, path)))
    ids = sorted({trial.trial_id for _, trial in trials})
    if len(ids) > 1:
        raise CannotResumeError(
            f"--resume {beginning}: begins the ids of several trials: {', '.join(ids)}"
        )
    if trials:
        return trials[0]
    raise CannotResumeError(
        f"--resume {beginning}: no such trial in {destination.data.root}; its id was printed "
        "at its start, and is the name of a file in trials/"
    )


def plan_resumed_trial(
    trial: GuidelinesTrial,
    destination: Destination,
    settings: RunSettings,
    before: str | None,
) -> tuple[GuidelinesTrial, PlannedRuns]:
    """Plan the rest of a trial recorded at ``destination``.

    ``before`` is the text of the guidelines at the trial's revision. If the trial was killed
    before a run began, this run is planned like the other runs of its model.

    Raises:
        CannotResumeError: the trial would no longer be the same, or no run of a model began.
        RunInUseError: another process is executing one of the runs.
    """
    ids = {trial_run.run_id for trial_run in trial.runs}
    stored_runs = list_stored_runs(destination.data)
    recorded = {stored.run_id: stored.read() for stored in stored_runs if stored.run_id in ids}
    if settings.budget_usd is not None:
        trial = trial.model_copy(update={"budget_usd": settings.budget_usd})
    evals = {evaluation.name: evaluation for evaluation in destination.suite.evals}
    over: list[Run] = []
    plans: list[RunPlan] = []
    spent: list[float] = []
    for trial_run in trial.runs:
        whole, section = destination.suite.guidelines, trial_run.section
        if section is not None and section not in parse_sections(whole):
            raise CannotResumeError(
                f"run {trial_run.run_id}: the guidelines have no {section} any more"
            )
        edition = (
            ExperimentSetup(trial_run.experiment, before)
            if trial_run.edition is Edition.BEFORE
            else make_text_edition(whole, trial_run.edition, section).experiment
        )
        begun = recorded.get(trial_run.run_id)
        if begun is None:
            siblings = (each.run_id for each in trial.runs if each.model == trial_run.model)
            sibling = next(filter(None, map(recorded.get, siblings)), None)
            if sibling is None:
                raise CannotResumeError(
                    f"trial {trial.trial_id} was stopped before {trial_run.model} was asked "
                    "anything: begin a new trial"
                )
            now = datetime.now(UTC)
            fresh = {"run_id": trial_run.run_id, "started_at": now, "date": now.date()}
            setup = {"experiment": edition.make_experiment()}
            run = make_opening_entry(sibling).run.model_copy(update=fresh | setup)
        else:
            run = begun
        resume.check_circumstances(run, destination.suite, settings)
        if edition.make_experiment() != run.experiment:
            raise CannotResumeError(f"run {run.run_id} was sent other guidelines than today's")
        finished = None if begun is None else resume.finish_if_judged(destination, run)
        if finished is None:
            plans.append(resume.plan_rest(run, destination, edition, settings))
            continue
        over.append(finished)
        if trial.budget_usd is None:
            continue
        entry = resume.find_model_again(
            f"run {run.run_id}", run.model, finished.budget_usd, destination.data, settings
        )
        for attempt in finished.attempts:
            most = None
            if attempt.generation is None or not is_cost_known(attempt.generation):
                # The provider did not report the cost: the most that it may be counts.
                messages = render_prompt(evals[attempt.eval], edition.guidelines)
                most = estimate_upper_usd(entry, messages)
            spent.append(max(attempt.most_usd, most or 0.0))
    return trial, PlannedRuns(plans, destination, over, trial.budget_usd, math.fsum(spent))


def execute_trial(
    trial: GuidelinesTrial, planned: PlannedRuns, settings: RunSettings, watcher: Watcher
) -> list[Run]:
    """Execute the rest of a trial; return the records of all its runs, in the trial's order."""
    executed = launch(planned, settings, watcher, trial=trial)
    by_id = {run.run_id: run for run in (*planned.over, *executed)}
    return [by_id[trial_run.run_id] for trial_run in trial.runs]


def publish_trials(data: DataFolder) -> list[str]:
    """Move local trials whose runs are all published to the published records.

    Returns the ids of the moved trials.
    """
    moved: list[str] = []
    for path in list(data.local.trials.list_files()):
        trial = read_record(GuidelinesTrial, path)
        if all(
            data.get_run_file(trial_run.model, trial_run.run_id).exists()
            for trial_run in trial.runs
        ):
            write_record(data.trials, trial)
            path.unlink()
            moved.append(trial.trial_id)
    return moved
