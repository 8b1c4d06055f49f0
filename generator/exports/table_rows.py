"""The rows of all published tables: the contract of `/api/v1/`.

An unknown value is null in JSON and an empty field in CSV. Shares are between 0 and 1.
"""

from datetime import date
from typing import ClassVar

from generator.facts.uncounted_runs import Why
from records.shapes.base import Record


class ExportRow(Record):
    """A row of a published table."""

    table: ClassVar[str]
    """The table's name in addresses."""


class LeaderboardRow(ExportRow):
    """A model under an experiment in one benchmark version."""

    table: ClassVar[str] = "leaderboard"

    benchmark_version: str
    """The version, within which scores are comparable."""
    experiment: str
    """default (with guidelines), no_guidelines, or another."""
    model: str
    """The model's slug."""
    name: str
    """The model's name."""
    provider: str
    """The model's maker."""
    baseline: bool
    """True for a baseline, which is no language model."""
    rank_low: int | None
    """The best rank it may have: 1 + the number of models that are better; null for baselines."""
    rank_high: int | None
    """The worst rank it may have: the number of models less the number that it is better than."""
    score: float
    """Mean over evals of the share of passed attempts."""
    score_low: float
    """Lower end of the 95% interval."""
    score_high: float
    """Upper end of the 95% interval."""
    evals: int
    """Number of evals over which the score is the mean."""
    attempts: int
    """Number of judged attempts behind the score."""
    tests_passed_share: float | None
    """Mean share of tests passed; null if tests were not published."""
    attributed_score: float | None
    """The score without failures that reports do not blame on the model; null without reports."""
    cost_usd_per_attempt: float | None
    """Mean US dollars per attempt, over the attempts whose cost is known."""
    cost_known_for: int
    """Number of attempts whose cost is known."""
    cost_usd_per_pass: float | None
    """US dollars for each eval passed: cost per attempt over the score; null if nothing passes."""
    generation_s_per_attempt: float | None
    """Mean seconds to write an answer, over the attempts for which they are known."""
    generation_known_for: int
    """Number of attempts whose generation time is known."""
    input_tokens_per_attempt: float | None
    """Mean tokens of the prompt, over the attempts for which they are known."""
    input_tokens_known_for: int
    """Number of attempts whose input tokens are known."""
    output_tokens_per_attempt: float | None
    """Mean tokens written, reasoning included, over the attempts for which they are known."""
    output_tokens_known_for: int
    """Number of attempts whose output tokens are known."""
    rerun_error: float | None
    """The most by which the score of as many new attempts at the same evals would differ, at 95%;
    null if an eval has only one attempt."""
    pass_all_of_2: float | None
    """How likely two attempts at an eval both pass (pass^2, unbiased); null if one has fewer."""
    pass_all_of_3: float | None
    """How likely three attempts at an eval all pass (pass^3, unbiased); null if one has fewer."""
    asked: int | None
    """Number of attempts begun in all runs that were not withdrawn, counted or not."""
    refused: int | None
    """Number of these that the provider refused to answer or whose answer its filter kept back."""
    cut_off: int | None
    """Number of these whose reply ended at a limit."""
    retried: int | None
    """Number of these that were answered, but not at the first request."""
    spoiled: int | None
    """Number of these without a verdict because of a fault of infrastructure."""
    runs: int
    """Number of runs that count."""
    latest: date
    """Day of the newest run that counts; for some imports that of the import, see
    ``day_of_import`` of the run."""
    latest_run: str
    """Id of the newest run that counts."""
    published_because: str | None
    """The reasons for publishing counted runs on which readers could otherwise not rely. Each is on
    its own line, the newest first; null if there are none."""
    source: str | None
    """Where the results were published; null for runs made by this program."""


class CategoryRow(ExportRow):
    """A model's score in one category."""

    table: ClassVar[str] = "categories"

    benchmark_version: str
    """The version, within which scores are comparable."""
    experiment: str
    """The condition."""
    model: str
    """The model's slug."""
    category: str
    """The category's folder name."""
    score: float
    """The score over the category's evals, computed as in the leaderboard."""
    score_low: float
    """Lower end of the 95% interval."""
    score_high: float
    """Upper end of the 95% interval."""
    evals: int
    """Number of evals of the category."""


class GuidelinesRow(ExportRow):
    """The effect of the guidelines on one model."""

    table: ClassVar[str] = "guidelines"

    benchmark_version: str
    """The version, within which scores are comparable."""
    model: str
    """The model's slug."""
    difference: float
    """Mean over evals of the pass rate with guidelines, less the pass rate without."""
    difference_low: float
    """Lower end of the 95% interval."""
    difference_high: float
    """Upper end of the 95% interval."""
    p_value: float
    """Two-sided p-value of no difference at all."""
    conclusion: str
    """better or worse with the guidelines, noise, or too_few (evals)."""
    smallest_effect: float | None
    """The least share of fixed evals that would be noticed 80 times in 100; null if none would."""
    evals: int
    """Number of evals compared."""
    fixed: int
    """Number of evals at which a higher share of attempts passes with guidelines."""
    broken: int
    """Number of evals at which a higher share of attempts passes without guidelines."""
    attributed_difference: float | None
    """The difference without failures that reports set aside; null without a report."""
    attributed_low: float | None
    """Lower end of the 95% interval of the attributed difference."""
    attributed_high: float | None
    """Upper end of the 95% interval of the attributed difference."""
    attributed_p_value: float | None
    """Two-sided p-value of no attributed difference."""
    attributed_conclusion: str | None
    """The conclusion on the attributed difference, in the same words."""
    attributed_evals: int | None
    """Number of evals that are still compared."""


class AblationRow(ExportRow):
    """The effect on a model of leaving a section of the guidelines out, or of a placebo for it."""

    table: ClassVar[str] = "ablations"

    ablation: str
    """The ablation's id."""
    benchmark_version: str
    """The version, within which scores are comparable."""
    model: str
    """The model's slug."""
    date: date
    """The day on which the ablation began."""
    section: str
    """The section of the guidelines."""
    edition: str
    """left_out, or placebo: the section is replaced by other text of the same length."""
    section_tokens: int
    """Number of tokens of the section."""
    run_id: str
    """The run that was sent this edition."""
    whole_run_id: str
    """The run that was sent the whole guidelines."""
    evals: int
    """Number of evals judged with both texts."""
    difference: float | None
    """Mean over evals of the pass rate with this edition, less with the whole text; null if no
    eval was judged with both texts."""
    difference_low: float | None
    """Lower end of the 95% interval."""
    difference_high: float | None
    """Upper end of the 95% interval."""
    p_value: float | None
    """Two-sided p-value of no difference at all, corrected for the number of sections (Holm)."""
    conclusion: str | None
    """better or worse than with the whole text, noise, or too_few (evals); by the p-value."""
    lost: int | None
    """Number of evals at which a higher share of attempts passes with the whole text."""
    gained: int | None
    """Number of evals at which a higher share of attempts passes with this edition."""


class MatrixRow(ExportRow):
    """The pass rate of a model at one eval."""

    table: ClassVar[str] = "matrix"

    benchmark_version: str
    """The version, within which scores are comparable."""
    experiment: str
    """The condition."""
    model: str
    """The model's slug."""
    eval: str
    """category/name."""
    pass_rate: float
    """Share of passed attempts, over the runs that count."""


class EvalRow(ExportRow):
    """The results of all models that ran with guidelines at one eval."""

    table: ClassVar[str] = "evals"

    benchmark_version: str
    """The version, within which scores are comparable."""
    eval: str
    """category/name."""
    pass_rate: float
    """Mean over models of the share of passed attempts."""
    models: int
    """Number of models over which the pass rate is the mean."""
    solvers: int
    """Number of models that passed the eval at least once."""
    disagreement: float | None
    """How often two attempts by one model end differently; null without several attempts."""
    set_aside: int
    """Number of failures that reports blame on the grader, the task or the machinery."""
    correlation: float | None
    """Correlation of models' pass rates at this eval with their scores over all other evals; null
    with fewer than ten models, or if either is the same for all models."""


class RunRow(ExportRow):
    """A run with its totals."""

    table: ClassVar[str] = "runs"

    run_id: str
    """The run's identity."""
    benchmark_version: str
    """The version under which the run was made."""
    model: str
    """The model's slug."""
    experiment: str
    """The condition."""
    date: date
    """The day on which the run began, UTC; for some imports that of the import, see
    ``day_of_import``."""
    day_of_import: bool
    """True if the source names no day, so that the day is that of the import."""
    status: str
    """running, completed or aborted."""
    withdrawn: str | None
    """Why the run no longer counts; null if it was not withdrawn."""
    published_because: str | None
    """Why it was published although readers could not rely on it; null if no reason was needed."""
    passed: int
    """Number of attempts that passed."""
    judged: int
    """Number of attempts that passed or failed."""
    planned: int
    """Number of planned attempts."""
    cost_usd: float | None
    """US dollars for the answers that this run asked for, as far as their costs are known."""
    carried_over: int
    """Number of attempts whose answers an earlier run asked for."""
    source: str | None
    """Where an imported run was published; null for runs made by this program."""


class ManifestRow(ExportRow):
    """A run's files with their digests, and whether the run counts."""

    table: ClassVar[str] = "manifest"

    run_id: str
    """The run's identity."""
    benchmark_version: str
    """The version under which the run was made."""
    model: str
    """The model's slug."""
    experiment: str
    """The condition."""
    record: str
    """The path of the run's record below `data/`."""
    record_sha256: str
    """SHA-256 of the record's bytes, as `sha256sum` prints it."""
    archive: str | None
    """The path of the archive of its attempts below `data/`; null if none was kept."""
    archive_sha256: str | None
    """SHA-256 of the archive's bytes; null without an archive."""
    counts: bool
    """True if scores are computed from the run."""
    why: Why
    """counted, or the first reason why the run does not count: withdrawn; not_completed (running or
    given up); partial (an eval of its version was not planned); incomplete (an attempt has no
    verdict); changed_program (made by a program with changes that no commit has, and published
    without a reason); older (than ten others that count); version_not_defined; or
    edition_of_the_guidelines (made for a trial of the guidelines)."""


class FailureRow(ExportRow):
    """A failure that a report explains."""

    table: ClassVar[str] = "failures"

    run_id: str
    """The run of the failed attempt."""
    benchmark_version: str
    """The version the run was made under."""
    model: str
    """The model's slug."""
    experiment: str
    """The condition."""
    eval: str
    """category/name."""
    sample: int | None
    """The number of the attempt at the eval; null for all failed attempts at it."""
    failure_class: str | None
    """Whose fault it is, such as model_fault; null if nobody has classed it yet."""
    note: str
    """A person's note on the failure."""
    report: str
    """The path of the report's page below the site's root."""
    author: str
    """The report's author."""
    date: date
    """The day of the report."""


class AuditRow(ExportRow):
    """A result of an audit: how often graders are wrong, or how far reviewers agree."""

    table: ClassVar[str] = "audits"

    audit: str
    """The audit's name: the benchmark version and the seed."""
    benchmark_version: str
    """The version whose graders are audited."""
    date: date
    """The day on which the attempts were drawn."""
    measure: str
    """false_fail (failed attempts that people judge right), false_pass (passed attempts that people
    judge wrong), wrong (both, of all attempts), agreement, or alpha (Krippendorff's, ordinal)."""
    step: str | None
    """For false fails, the step that failed first; null for all steps together."""
    value: float | None
    """A share between 0 and 1, or alpha; null while nothing was judged."""
    low: float | None
    """Lower end of the 95% interval; null if the measure has none."""
    high: float | None
    """Upper end of the 95% interval."""
    wrong: int | None
    """Number of attempts that people judged the other way; null for agreement and alpha."""
    judged: int
    """Number of judged attempts; for agreement and alpha, judged by at least two people."""
    drawn: int | None
    """Number of drawn attempts; null for agreement and alpha."""
    population: int | None
    """Number of attempts that could be drawn; null for agreement and alpha."""


class AuditedAttemptRow(ExportRow):
    """An attempt that people judged in an audit, as a test case of its grader."""

    table: ClassVar[str] = "audited-attempts"

    audit: str
    """The audit's name."""
    eval: str
    """The eval whose grader is tested: category/name."""
    run_id: str
    """The run of the attempt."""
    sample: int
    """The number of the attempt at the eval."""
    verdict: str
    """The grader's verdict when the attempt was drawn: passed or failed."""
    failed_step: str | None
    """The step that failed first when the attempt was drawn; null for a passed attempt."""
    result: str
    """passed if people judge as the grader did, else failed."""
    message: str | None
    """false_fail or false_pass; null if the result is passed."""


TABLES: tuple[type[ExportRow], ...] = (
    LeaderboardRow,
    CategoryRow,
    GuidelinesRow,
    AblationRow,
    MatrixRow,
    EvalRow,
    RunRow,
    ManifestRow,
    FailureRow,
    AuditRow,
    AuditedAttemptRow,
)
"""The rows of all tables."""
