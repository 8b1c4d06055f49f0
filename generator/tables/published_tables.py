"""The published tables of `/api/v1/`, whose columns are part of its contract.

An unknown value is null in JSON and an empty field in CSV. Shares are between 0 and 1.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import date
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated

from generator.scores.grader_audit import is_wrong
from generator.scores.leaderboards import Entry, Leaderboard
from generator.site_data import SiteData
from generator.site_links import build_filed_path
from generator.tables.columns import Columns, Computed, Read, ResultTable, build_frame
from generator.tables.run_columns import MANIFEST, RUNS, RowOfRun, RunFrame, RunSource

if TYPE_CHECKING:
    from pandas import DataFrame  # pyright: ignore[reportMissingTypeStubs] - pandas has none

_MISTAKES = {"failed": "false_fail", "passed": "false_pass"}
"""The name of a grader's mistake, by its verdict."""


class RowOfEntry(Columns):
    """The model and the condition of a row."""

    UNDER = "newest"

    benchmark_version: Annotated[str, "newest.version"]
    """The version, within which scores are comparable."""
    experiment: str
    """default (with guidelines), no_guidelines, or another."""
    model: Annotated[str, "newest.slug"]
    """The model's slug."""


def _join_reasons(entry: Entry) -> str | None:
    reasons = dict.fromkeys(run.head.published_because for run in entry.runs)
    return "\n".join(filter(None, reasons)) or None


class LeaderboardRow(RowOfEntry):
    """A model under an experiment in one benchmark version."""

    name: str
    """The model's name."""
    provider: str
    """The model's maker."""
    baseline: bool
    """True for a baseline, which is no language model."""
    rank_low: Annotated[int | None, "row.rank?.low"]
    """The best rank it may have: 1 + the number of models that are better; null for baselines."""
    rank_high: Annotated[int | None, "row.rank?.high"]
    """The worst rank it may have: the number of models less the number that it is better than."""
    score: Annotated[float, "row.score.value"]
    """Mean over evals of the share of passed attempts."""
    score_low: Annotated[float, "row.score.interval.low"]
    """Lower end of the 95% interval."""
    score_high: Annotated[float, "row.score.interval.high"]
    """Upper end of the 95% interval."""
    evals: Annotated[int, "row.score.evals"]
    """Number of evals over which the score is the mean."""
    attempts: Annotated[int, "row.score.attempts"]
    """Number of judged attempts behind the score."""
    hard_score: Annotated[float | None, "row.hard?.value"]
    """The score over the hard evals among these; null if the version records none."""
    hard_score_low: Annotated[float | None, "row.hard?.interval.low"]
    """Lower end of its 95% interval."""
    hard_score_high: Annotated[float | None, "row.hard?.interval.high"]
    """Upper end of its 95% interval."""
    hard_evals: Annotated[int | None, "row.hard?.evals"]
    """Number of hard evals over which it is the mean."""
    tests_passed_share: Annotated[float | None, "row.tests"]
    """Mean share of tests passed; null if tests were not published."""
    attributed_score: Annotated[float | None, "row.attributed?.value"]
    """The score without failures that reports do not blame on the model; null without reports."""
    cost_usd_per_attempt: Annotated[float | None, "row.cost_usd.mean"]
    """Mean US dollars per attempt, over the attempts whose cost is known."""
    cost_known_for: Annotated[int, "row.cost_usd.n"]
    """Number of attempts whose cost is known."""
    cost_usd_per_pass: Annotated[float | None, "row.cost_per_pass"]
    """US dollars for each eval passed: cost per attempt over the score; null if nothing passes."""
    generation_s_per_attempt: Annotated[float | None, "row.generation_s.mean"]
    """Mean seconds to write an answer, over the attempts for which they are known."""
    generation_known_for: Annotated[int, "row.generation_s.n"]
    """Number of attempts whose generation time is known."""
    input_tokens_per_attempt: Annotated[float | None, "row.input_tokens.mean"]
    """Mean tokens of the prompt, over the attempts for which they are known."""
    input_tokens_known_for: Annotated[int, "row.input_tokens.n"]
    """Number of attempts whose input tokens are known."""
    output_tokens_per_attempt: Annotated[float | None, "row.output_tokens.mean"]
    """Mean tokens written, reasoning included, over the attempts for which they are known."""
    output_tokens_known_for: Annotated[int, "row.output_tokens.n"]
    """Number of attempts whose output tokens are known."""
    rerun_error: Annotated[float | None, "row.rerun"]
    """The most by which the score of as many new attempts at the same evals would differ, at 95%;
    null if an eval has only one attempt."""
    pass_all_of_2: Annotated[float | None, Computed(lambda entry: entry.row.passes_all.get(2))]
    """How likely two attempts at an eval both pass (pass^2, unbiased); null if one has fewer."""
    pass_all_of_3: Annotated[float | None, Computed(lambda entry: entry.row.passes_all.get(3))]
    """How likely three attempts at an eval all pass (pass^3, unbiased); null if one has fewer."""
    asked: Annotated[int | None, "requests?.asked"]
    """Number of attempts begun in all runs that were not withdrawn, counted or not."""
    refused: Annotated[int | None, "requests?.refused"]
    """Number of these that the provider refused to answer or whose answer its filter kept back."""
    cut_off: Annotated[int | None, "requests?.cut_off"]
    """Number of these whose reply ended at a limit."""
    retried: Annotated[int | None, "requests?.retried"]
    """Number of these that were answered, but not at the first request."""
    spoiled: Annotated[int | None, "requests?.spoiled"]
    """Number of these without a verdict because of a fault of infrastructure."""
    runs: Annotated[int, Computed(lambda entry: len(entry.runs))]
    """Number of runs that count."""
    latest: Annotated[date, "newest.date"]
    """Day of the newest run that counts; for some imports that of the import, see
    ``day_of_import`` of the run."""
    latest_run: Annotated[str, "newest.run_id"]
    """Id of the newest run that counts."""
    published_because: Annotated[str | None, Computed(_join_reasons)]
    """The reasons for publishing counted runs on which readers could otherwise not rely. Each is on
    its own line, the newest first; null if there are none."""
    source: str | None
    """Where the results were published; null for runs made by this program."""


class CategoryRow(RowOfEntry):
    """A model's score in one category."""

    category: Annotated[str, "category"]
    """The category's folder name."""
    score: Annotated[float, "estimate.value"]
    """The score over the category's evals, computed as in the leaderboard."""
    score_low: Annotated[float, "estimate.interval.low"]
    """Lower end of the 95% interval."""
    score_high: Annotated[float, "estimate.interval.high"]
    """Upper end of the 95% interval."""
    evals: Annotated[int, "estimate.evals"]
    """Number of evals of the category."""


def _count_evals(kind: str) -> Read:
    """Return a function that counts the fixed or broken evals of an effect, if it is known."""

    def count(row: SimpleNamespace) -> int | None:
        difference = row.effect.difference
        return None if difference is None else len(getattr(difference, kind))

    return count


class GuidelinesRow(Columns):
    """The effect of the guidelines on one model."""

    benchmark_version: Annotated[str, "board.version"]
    """The version, within which scores are comparable."""
    model: Annotated[str, "effect.with_them.slug"]
    """The model's slug."""
    difference: Annotated[float, "effect.difference.value"]
    """Mean over evals of the pass rate with guidelines, less the pass rate without."""
    difference_low: Annotated[float, "effect.difference.interval.low"]
    """Lower end of the 95% interval."""
    difference_high: Annotated[float, "effect.difference.interval.high"]
    """Upper end of the 95% interval."""
    p_value: Annotated[float, "effect.difference.p_value"]
    """Two-sided p-value of no difference at all."""
    conclusion: Annotated[str, "effect.difference.conclusion.value"]
    """better or worse with the guidelines, noise, or too_few (evals)."""
    smallest_effect: Annotated[float | None, "effect.smallest_effect"]
    """The least share of fixed evals that would be noticed 80 times in 100; null if none would."""
    evals: Annotated[int, "effect.difference.evals"]
    """Number of evals compared."""
    fixed: Annotated[int, Computed(_count_evals("fixed"))]
    """Number of evals at which a higher share of attempts passes with guidelines."""
    broken: Annotated[int, Computed(_count_evals("broken"))]
    """Number of evals at which a higher share of attempts passes without guidelines."""
    attributed_difference: Annotated[float | None, "effect.attributed?.value"]
    """The difference without failures that reports set aside; null without a report."""
    attributed_low: Annotated[float | None, "effect.attributed?.interval.low"]
    """Lower end of the 95% interval of the attributed difference."""
    attributed_high: Annotated[float | None, "effect.attributed?.interval.high"]
    """Upper end of the 95% interval of the attributed difference."""
    attributed_p_value: Annotated[float | None, "effect.attributed?.p_value"]
    """Two-sided p-value of no attributed difference."""
    attributed_conclusion: Annotated[str | None, "effect.attributed?.conclusion.value"]
    """The conclusion on the attributed difference, in the same words."""
    attributed_evals: Annotated[int | None, "effect.attributed?.evals"]
    """Number of evals that are still compared."""


class MonthRow(Columns):
    """The score of a model that was asked with the guidelines in a month, over an anchor set."""

    UNDER = "scored.newest"

    benchmark_version: Annotated[str, "board.version"]
    """The version whose shared evals the anchor set is chosen from; answers to other versions that
    have the same evals are in it."""
    month: Annotated[str, Computed(lambda row: f"{row.scored.month:%Y-%m}")]
    """The month of the answers."""
    model: Annotated[str, "scored.newest.slug"]
    """The model's slug."""
    provider: str
    """The model's maker."""
    score: Annotated[float, "scored.score.value"]
    """Mean over the anchor set of the share of passed attempts."""
    score_low: Annotated[float, "scored.score.interval.low"]
    """Lower end of the 95% interval."""
    score_high: Annotated[float, "scored.score.interval.high"]
    """Upper end of the 95% interval."""
    evals: Annotated[int, "scored.score.evals"]
    """Number of evals in the anchor set."""
    attempts: Annotated[int, "scored.score.attempts"]
    """Number of judged attempts behind the score."""


class AblationRow(Columns):
    """The effect on a model of leaving a section of the guidelines out, or of a placebo for it."""

    ablation: Annotated[str, "trial.trial_id"]
    """The ablation's id."""
    benchmark_version: Annotated[str, "trial.benchmark_version"]
    """The version, within which scores are comparable."""
    model: Annotated[str, "effect.run.model"]
    """The model's slug."""
    date: Annotated[date, Computed(lambda row: row.trial.began_at.date())]
    """The day on which the ablation began."""
    section: Annotated[str, Computed(lambda row: row.effect.run.section or "")]
    """The section of the guidelines."""
    edition: Annotated[str, "effect.run.edition.value"]
    """left_out, or placebo: the section is replaced by other text of the same length."""
    section_tokens: Annotated[int, Computed(lambda row: row.effect.run.section_tokens or 0)]
    """Number of tokens of the section."""
    run_id: Annotated[str, "effect.run.run_id"]
    """The run that was sent this edition."""
    whole_run_id: Annotated[str, "effect.whole.run_id"]
    """The run that was sent the whole guidelines."""
    evals: Annotated[
        int, Computed(lambda row: row.effect.difference.evals if row.effect.difference else 0)
    ]
    """Number of evals judged with both texts."""
    difference: Annotated[float | None, "effect.difference?.value"]
    """Mean over evals of the pass rate with this edition, less with the whole text; null if no
    eval was judged with both texts."""
    difference_low: Annotated[float | None, "effect.difference?.interval.low"]
    """Lower end of the 95% interval."""
    difference_high: Annotated[float | None, "effect.difference?.interval.high"]
    """Upper end of the 95% interval."""
    p_value: Annotated[float | None, "effect.difference?.p_value"]
    """Two-sided p-value of no difference at all, corrected for the number of sections (Holm)."""
    conclusion: Annotated[str | None, "effect.difference?.conclusion.value"]
    """better or worse than with the whole text, noise, or too_few (evals); by the p-value."""
    lost: Annotated[int | None, Computed(_count_evals("broken"))]
    """Number of evals at which a higher share of attempts passes with the whole text."""
    gained: Annotated[int | None, Computed(_count_evals("fixed"))]
    """Number of evals at which a higher share of attempts passes with this edition."""


class MatrixRow(RowOfEntry):
    """The pass rate of a model at one eval."""

    eval: Annotated[str, "eval"]
    """category/name."""
    pass_rate: Annotated[float, "pass_rate"]
    """Share of passed attempts, over the runs that count."""


class EvalRow(Columns):
    """The results of all models that ran with guidelines at one eval."""

    UNDER = "health"

    benchmark_version: Annotated[str, "board.version"]
    """The version, within which scores are comparable."""
    eval: str
    """category/name."""
    level: Annotated[
        str | None, Computed(lambda row: row.board.benchmark.levels.get(row.health.eval))
    ]
    """basic, standard or hard; null if the version records no levels."""
    held_out: Annotated[bool, Computed(lambda row: row.health.eval in row.board.benchmark.held_out)]
    """True if no section of the guidelines was written because of the eval."""
    pass_rate: float
    """Mean over models of the share of passed attempts."""
    models: int
    """Number of models over which the pass rate is the mean."""
    solvers: Annotated[int, Computed(lambda row: len(row.health.solvers))]
    """Number of models that passed the eval at least once."""
    disagreement: float | None
    """How often two attempts by one model end differently; null without several attempts."""
    set_aside: int
    """Number of failures that reports blame on the grader, the task or the machinery."""
    correlation: float | None
    """Correlation of models' pass rates at this eval with their scores over all other evals; null
    with fewer than ten models, or if either is the same for all models."""
    reversed_p_value: float | None
    """One-sided p-value of better models failing it more often, corrected for the number of evals;
    below 0.05 its grader may be unfair. Null without a correlation."""


class MistakeRow(Columns):
    """A mistake of the models that ran with guidelines: failed attempts with the same cause."""

    UNDER = "mistake"

    benchmark_version: Annotated[str, "board.version"]
    """The version of the attempts."""
    mistake: Annotated[str, "mistake.name"]
    """The mistake in words; if they are those of a test, what should have been."""
    words_of: Annotated[str, "mistake.naming"]
    """suite (a wrong answer known to the suite that fails exactly these tests), test (the title of
    the first failed test), message (of the failed step) or publisher (of imported results)."""
    step: str | None
    """The step that failed; null if it is not known."""
    attempts: Annotated[int, Computed(lambda row: len(row.mistake.failures))]
    """Number of failed attempts with this mistake."""
    share: float
    """Their share of all failed attempts that reports do not lay on task, grader or machinery."""
    models: Annotated[int, Computed(lambda row: len(row.mistake.models))]
    """Number of models that made it."""
    evals: Annotated[int, Computed(lambda row: len(row.mistake.evals))]
    """Number of evals at which it was made."""
    guidelines: str | None
    """The section of the guidelines that most of these evals exercise first; null if none does."""


class FailureRow(RowOfRun):
    """A failure that a report explains."""

    UNDER = "failure"

    eval: str
    """category/name."""
    sample: int | None
    """The number of the attempt at the eval; null for all failed attempts at it."""
    failure_class: Annotated[str | None, "failure.failure_class?.value"]
    """Whose fault it is, such as model_fault; null if nobody has classed it yet."""
    note: str
    """A person's note on the failure."""
    report: Annotated[str, Computed(lambda row: build_filed_path(row.filed))]
    """The path of the report's page below the site's root."""
    author: Annotated[str, "filed.report.author"]
    """The report's author."""
    date: Annotated[date, "filed.report.date"]
    """The day of the report."""


class AuditRow(Columns):
    """A result of an audit: how often graders are wrong, or how far reviewers agree."""

    audit: Annotated[str, "audit.audit_id"]
    """The audit's name: the benchmark version and the seed."""
    benchmark_version: Annotated[str, "audit.benchmark_version"]
    """The version whose graders are audited."""
    date: Annotated[date, Computed(lambda row: row.audit.drawn_at.date())]
    """The day on which the attempts were drawn."""
    measure: str
    """false_fail (failed attempts that people judge right), false_pass (passed attempts that people
    judge wrong), wrong (both, of all attempts), agreement, or alpha (Krippendorff's, ordinal)."""
    step: str | None
    """For false fails, the step that failed first; null for all steps together."""
    value: float | None
    """A share between 0 and 1, or alpha; null while nothing was judged."""
    low: Annotated[float | None, "interval?.low"]
    """Lower end of the 95% interval; null if the measure has none."""
    high: Annotated[float | None, "interval?.high"]
    """Upper end of the 95% interval."""
    wrong: Annotated[int | None, "rate?.wrong"]
    """Number of attempts that people judged the other way; null for agreement and alpha."""
    judged: int
    """Number of judged attempts; for agreement and alpha, judged by at least two people."""
    drawn: Annotated[int | None, "rate?.drawn"]
    """Number of drawn attempts; null for agreement and alpha."""
    population: Annotated[int | None, "rate?.population"]
    """Number of attempts that could be drawn; null for agreement and alpha."""


class AuditedAttemptRow(Columns):
    """An attempt that people judged in an audit, as a test case of its grader."""

    UNDER = "item"

    audit: Annotated[str, "audit.audit_id"]
    """The audit's name."""
    eval: str
    """The eval whose grader is tested: category/name."""
    run_id: str
    """The run of the attempt."""
    sample: int
    """The number of the attempt at the eval."""
    verdict: Annotated[str, "item.outcome"]
    """The grader's verdict when the attempt was drawn: passed or failed."""
    failed_step: str | None
    """The step that failed first when the attempt was drawn; null for a passed attempt."""
    result: Annotated[str, Computed(lambda row: "failed" if row.is_wrong else "passed")]
    """passed if people judge as the grader did, else failed."""
    message: Annotated[
        str | None, Computed(lambda row: _MISTAKES[row.item.outcome] if row.is_wrong else None)
    ]
    """false_fail or false_pass; null if the result is passed."""


LEADERBOARD = ResultTable("leaderboard", LeaderboardRow)
MATRIX = ResultTable("matrix", MatrixRow)
TABLES = (
    LEADERBOARD,
    ResultTable("categories", CategoryRow),
    ResultTable("guidelines", GuidelinesRow),
    ResultTable("months", MonthRow),
    ResultTable("ablations", AblationRow),
    MATRIX,
    ResultTable("evals", EvalRow),
    RUNS,
    MANIFEST,
    ResultTable("failures", FailureRow),
    ResultTable("mistakes", MistakeRow),
    ResultTable("audits", AuditRow),
    ResultTable("audited-attempts", AuditedAttemptRow),
)
"""All published tables."""


def build_frames(site: SiteData) -> "dict[type[Columns], DataFrame]":
    """Return the frames of all published tables by their columns, in the order of the pages."""
    frames = {
        columns: build_frame(columns, list_sources(site))
        for columns, list_sources in _SOURCES.items()
    }
    runs = [RunSource(run, site.find_first_reason(run)) for run in site.summaries.runs]
    return {**frames, RunFrame: build_frame(RunFrame, runs, RUNS, MANIFEST)}


def build_leaderboard_rows(leaderboard: Leaderboard) -> list[LeaderboardRow]:
    """Return a row for each model under each experiment, in the order of ranks."""
    frame = build_frame(LeaderboardRow, leaderboard.entries)
    return [LeaderboardRow.model_validate(row) for row in LEADERBOARD.list_rows(frame)]


def _list_entries(site: SiteData) -> Iterator[Entry]:
    for board in site.leaderboards.values():
        yield from board.entries


def _list_measures(site: SiteData) -> Iterator[SimpleNamespace]:
    for findings in site.audits:
        agreement = findings.agreement
        rates = [
            ("false_fail", None, findings.false_fails),
            *(("false_fail", step.value, rate) for step, rate in findings.steps.items()),
            ("false_pass", None, findings.false_passes),
            ("wrong", None, findings.errors),
        ]
        measures: list[tuple[object, ...]] = [
            (name, step, rate.share, rate.interval, rate.judged, rate) for name, step, rate in rates
        ]
        if agreement is not None:
            doubles = findings.doubles
            measures += [
                ("agreement", None, agreement.raw, None, doubles, None),
                ("alpha", None, agreement.alpha, agreement.interval, doubles, None),
            ]
        for name, step, value, interval, judged, rate in measures:
            yield SimpleNamespace(
                audit=findings.audit,
                measure=name,
                step=step,
                value=value,
                interval=interval,
                judged=judged,
                rate=rate,
            )


_SOURCES: Mapping[type[Columns], Callable[[SiteData], Iterator[object]]] = {
    LeaderboardRow: _list_entries,
    CategoryRow: lambda site: (
        SimpleNamespace(newest=entry.newest, category=category, estimate=estimate)
        for entry in _list_entries(site)
        for category, estimate in entry.row.categories.items()
    ),
    GuidelinesRow: lambda site: (
        SimpleNamespace(board=board, effect=effect)
        for board in site.leaderboards.values()
        for effect in board.effects
    ),
    MonthRow: lambda site: (
        SimpleNamespace(board=board, scored=scored)
        for version, board in site.leaderboards.items()
        for scored in site.scores_by_month[version]
    ),
    AblationRow: lambda site: (
        SimpleNamespace(trial=trial, effect=effect)
        for trial, _, effects in site.ablations
        for effect in effects
    ),
    MatrixRow: lambda site: (
        SimpleNamespace(newest=entry.newest, eval=name, pass_rate=rate)
        for entry in _list_entries(site)
        for name, rate in entry.passes.items()
    ),
    EvalRow: lambda site: (
        SimpleNamespace(board=board, health=health)
        for board in site.leaderboards.values()
        for health in board.health.values()
    ),
    FailureRow: lambda site: (
        SimpleNamespace(filed=filed, run=run, failure=failure)
        for filed, run in site.reported_runs
        for failure in filed.report.failures
    ),
    MistakeRow: lambda site: (
        SimpleNamespace(board=board, mistake=mistake)
        for version, board in site.leaderboards.items()
        for mistake in site.mistakes[version].mistakes
    ),
    AuditRow: _list_measures,
    # Open and disputed attempts are left out, so that no reviewer is influenced.
    AuditedAttemptRow: lambda site: (
        SimpleNamespace(audit=findings.audit, item=item, is_wrong=wrong)
        for findings in site.audits
        for item, judged in findings.judged
        if (wrong := is_wrong(item, judged)) is not None
    ),
}
"""The sources of the rows of each frame."""
