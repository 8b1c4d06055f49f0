"""The questions of a new run for which no answer of an earlier run can be used."""

from dataclasses import dataclass

from records.files.data_folder import DataFolder
from records.shapes.registry import ModelEntry
from runner.errors import RequestNotMadeError, UserError
from runner.evals.discovery import Suite
from runner.runs.plan import Destination, ExperimentSetup, RunScope, select_runs
from runner.runs.settings import RunSettings


@dataclass(frozen=True, slots=True)
class OpenQuestions:
    """The questions of a new run, and the answers that it need not ask for."""

    evals: tuple[str, ...]
    """The eval of each question."""
    carried_over: int = 0
    """The number of answers that come from earlier runs."""


def find_open_questions(  # noqa: PLR0913 - a run, its suite and its limits
    entry: ModelEntry,
    experiment: ExperimentSetup,
    suite: Suite,
    data: DataFolder,
    version: str,
    *,
    budget_usd: float | None,
    days: int | None,
) -> OpenQuestions:
    """Return the open questions of a new run of ``entry`` over the whole suite, for publication.

    Answers that are at most ``days`` days old are carried over, as by `leaderboard run
    --carry-over`; none if ``days`` is None. If requests to the model cannot be made, all questions
    are returned, because the run itself reports the reason.

    Raises:
        InvalidRecordError: a record cannot be read.
    """
    all_questions = OpenQuestions(tuple(evaluation.name for evaluation in suite.evals))
    if days is None:
        return all_questions
    settings = RunSettings(
        models=(entry.slug,), budget_usd=budget_usd, carry_over_days=days, publish=True
    )
    scope = RunScope(Destination(suite, data, publish=True), (experiment,), suite.evals)
    try:
        (run,) = select_runs(settings, scope, version, with_keys=False)
    except (UserError, RequestNotMadeError):
        return all_questions
    if run.carry_over is None:
        return all_questions
    evals = tuple(question.eval for question in run.carry_over.asked)
    return OpenQuestions(evals, len(run.carry_over.answers))
