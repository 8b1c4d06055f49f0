"""The rows of every table, as they are published: the contract of `/api/v1/`.

Unknown is null in JSON and an empty field in CSV. Shares are between 0 and 1.
"""

from datetime import date
from typing import ClassVar

from generator.facts.uncounted_runs import Why
from records.shapes.base import Record


class ExportRow(Record):
    """One row of a published table."""

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
    """Its display name."""
    provider: str
    """Who made it."""
    baseline: bool
    """True for a baseline, which is no language model."""
    rank_low: int | None
    """Best place it may have: 1 + how many models of the table are better; null for baselines."""
    rank_high: int | None
    """Worst place it may have: the number of models, less the models that it is better than."""
    score: float
    """Mean over evals of the mean over attempts of pass."""
    score_low: float
    """Lower end of the 95% interval."""
    score_high: float
    """Upper end."""
    evals: int
    """Evals the score is the mean over."""
    attempts: int
    """Attempts it rests on."""
    tests_passed_share: float | None
    """Mean share of tests passed; null where tests were not published."""
    attributed_score: float | None
    """The score without failures that reports lay on the grader or the task."""
    cost_usd_per_attempt: float | None
    """Mean over the attempts whose cost is known."""
    cost_known_for: int
    """How many those are."""
    cost_usd_per_pass: float | None
    """For each eval passed: cost per attempt over the score; null where nothing passes."""
    generation_s_per_attempt: float | None
    """Mean over the attempts whose generation time is known."""
    generation_known_for: int
    """How many those are."""
    input_tokens_per_attempt: float | None
    """Mean over the attempts for which it is known."""
    input_tokens_known_for: int
    """How many those are."""
    output_tokens_per_attempt: float | None
    """Mean over the attempts for which it is known, reasoning included."""
    output_tokens_known_for: int
    """How many those are."""
    rerun_error: float | None
    """By how much the score of as many new attempts at the same evals would differ at most, at 95%;
    null where an eval has one attempt only."""
    pass_all_of_2: float | None
    """How likely two attempts at an eval both pass (pass^2, unbiased); null with fewer attempts."""
    pass_all_of_3: float | None
    """How likely three attempts at an eval all pass."""
    asked: int | None
    """Attempts begun in all runs that were not withdrawn, counted or not."""
    refused: int | None
    """Attempts of these that the provider would not answer or whose answer its filter kept back."""
    cut_off: int | None
    """Attempts of these whose reply ended at a limit."""
    retried: int | None
    """Attempts of these that were answered, but not at the first request."""
    spoiled: int | None
    """Attempts of these that infrastructure kept from being judged."""
    runs: int
    """Runs that count."""
    latest: date
    """Day of the newest of them."""
    latest_run: str
    """Its id."""
    published_because: str | None
    """The reasons of the runs that count and were published though readers could not rely on them,
    the newest first, each once and on a line of its own; null where there are none."""
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
    """The leaderboard's score, over the category's evals."""
    score_low: float
    """Lower end of the 95% interval."""
    score_high: float
    """Upper end."""
    evals: int
    """Evals of the category."""


class GuidelinesRow(ExportRow):
    """The effect of the guidelines on one model."""

    table: ClassVar[str] = "guidelines"

    benchmark_version: str
    """The version, within which scores are comparable."""
    model: str
    """The model's slug."""
    difference: float
    """Mean over evals of the pass rate with minus without guidelines."""
    difference_low: float
    """Lower end of the 95% interval."""
    difference_high: float
    """Upper end."""
    p_value: float
    """Two-sided, of no difference at all."""
    conclusion: str
    """better or worse with the guidelines, noise, or too_few (evals)."""
    smallest_effect: float | None
    """Least share of evals fixed that would have been shown 80 times in 100; null where none."""
    evals: int
    """Evals compared."""
    fixed: int
    """Evals at which a higher share of attempts passes with guidelines."""
    broken: int
    """The reverse."""
    attributed_difference: float | None
    """The difference without failures that reports set aside; null without a report."""
    attributed_low: float | None
    """Lower end of its 95% interval."""
    attributed_high: float | None
    """Upper end."""
    attributed_p_value: float | None
    """Two-sided."""
    attributed_conclusion: str | None
    """The conclusion on the attributed difference, in the same words."""
    attributed_evals: int | None
    """Evals left to compare."""


class AblationRow(ExportRow):
    """The effect of leaving a section of the guidelines out, or of a placebo for it, on a model."""

    table: ClassVar[str] = "ablations"

    ablation: str
    """The ablation's id."""
    benchmark_version: str
    """The version, within which scores are comparable."""
    model: str
    """The model's slug."""
    date: date
    """The day its runs began."""
    section: str
    """The section of the guidelines."""
    edition: str
    """left_out, or placebo: replaced by other text of the same length."""
    section_tokens: int
    """How long the section is."""
    run_id: str
    """The run that was sent this edition."""
    whole_run_id: str
    """The run that was sent the whole guidelines."""
    evals: int
    """Evals judged with both texts."""
    difference: float | None
    """Mean over evals of the pass rate with this edition minus with the whole text, or null."""
    difference_low: float | None
    """Lower end of the 95% interval."""
    difference_high: float | None
    """Upper end."""
    p_value: float | None
    """Two-sided, of no difference at all, corrected for the number of sections (Holm)."""
    conclusion: str | None
    """better or worse than with the whole text, noise, or too_few (evals); by the p-value."""
    lost: int | None
    """Evals at which a higher share of attempts passes with the whole text."""
    gained: int | None
    """The reverse."""


class MatrixRow(ExportRow):
    """How a model fares at one eval."""

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
    """Mean over attempts of the runs that count."""


class EvalRow(ExportRow):
    """How an eval behaves over the models that ran with guidelines."""

    table: ClassVar[str] = "evals"

    benchmark_version: str
    """The version, within which scores are comparable."""
    eval: str
    """category/name."""
    pass_rate: float
    """Mean over models."""
    models: int
    """Models it is the mean over."""
    solvers: int
    """Models that passed it at least once."""
    disagreement: float | None
    """How often two attempts by one model end differently; null without several attempts."""
    set_aside: int
    """Failures of these models that reports lay on the grader, the task or the machinery."""
    correlation: float | None
    """With the score over all other evals; null with fewer than ten models, or where either never
    varies."""


class RunRow(ExportRow):
    """One run."""

    table: ClassVar[str] = "runs"

    run_id: str
    """The run's identity."""
    benchmark_version: str
    """The version it was made under."""
    model: str
    """The model's slug."""
    experiment: str
    """The condition."""
    date: date
    """The day it began, UTC."""
    status: str
    """running, completed or aborted."""
    withdrawn: str | None
    """Why it no longer counts."""
    published_because: str | None
    """Why it was published though readers could not rely on it; null where they can."""
    passed: int
    """Attempts that passed."""
    judged: int
    """Attempts that passed or failed."""
    planned: int
    """Attempts planned."""
    cost_usd: float | None
    """Cost of the answers that the run asked for and whose cost is known."""
    carried_over: int
    """Attempts whose answers an earlier run asked for."""
    source: str | None
    """Where it was published; null for runs made by this program."""


class ManifestRow(ExportRow):
    """A run's files with their digests, and whether the run counts."""

    table: ClassVar[str] = "manifest"

    run_id: str
    """The run's identity."""
    benchmark_version: str
    """The version it was made under."""
    model: str
    """The model's slug."""
    experiment: str
    """The condition."""
    record: str
    """Its record, below `data/`."""
    record_sha256: str
    """SHA-256 of the record's bytes, as `sha256sum` prints it."""
    archive: str | None
    """The archive of its attempts, below `data/`; null where none was kept."""
    archive_sha256: str | None
    """SHA-256 of the archive's bytes."""
    counts: bool
    """True where scores are made of it."""
    why: Why
    """counted; or why not: withdrawn by somebody; not completed, for it goes on or was given up;
    partial, without some eval of its version; incomplete, without some verdict; changed program,
    made by one with changes that no commit has, and its record has no reason why it is published;
    older than ten others that count; or its version is not defined."""


class FailureRow(ExportRow):
    """A failure that a report analyses."""

    table: ClassVar[str] = "failures"

    run_id: str
    """The run it happened in."""
    benchmark_version: str
    """The version the run was made under."""
    model: str
    """The model's slug."""
    experiment: str
    """The condition."""
    eval: str
    """category/name."""
    sample: int | None
    """Which attempt at it; null for every failed attempt."""
    failure_class: str | None
    """Whose fault it is, such as model_fault; null where nobody has looked yet."""
    note: str
    """A person's note on the failure."""
    report: str
    """Page of the report, below the site's root."""
    author: str
    """Who wrote it."""
    date: date
    """The day it was written."""


class AuditRow(ExportRow):
    """How often graders are wrong, by an audit, or how far its reviewers agree."""

    table: ClassVar[str] = "audits"

    audit: str
    """The audit's name: the benchmark version and the seed."""
    benchmark_version: str
    """The version whose graders are audited."""
    date: date
    """The day the attempts were drawn."""
    measure: str
    """false_fail (failed attempts that people judge right), false_pass (passed attempts that people
    judge wrong), wrong (both, of all attempts), agreement, or alpha (Krippendorff's, ordinal)."""
    step: str | None
    """The step that failed first, of false fails; null for all."""
    value: float | None
    """A share between 0 and 1, or alpha; null while nothing was judged."""
    low: float | None
    """Lower end of the 95% interval; null where the measure has none."""
    high: float | None
    """Upper end."""
    wrong: int | None
    """Attempts that people judged the other way; null for agreement and alpha."""
    judged: int
    """Attempts judged; for agreement and alpha, by at least two people."""
    drawn: int | None
    """Attempts drawn; null for agreement and alpha."""
    population: int | None
    """Attempts that could be drawn; null for agreement and alpha."""


class AuditedAttemptRow(ExportRow):
    """An attempt that people judged in an audit, as a test case of its grader."""

    table: ClassVar[str] = "audited-attempts"

    audit: str
    """The audit's name."""
    eval: str
    """The eval whose grader is tested: category/name."""
    run_id: str
    """The run that the attempt is of."""
    sample: int
    """Which attempt at the eval."""
    verdict: str
    """The grader's verdict when the attempt was drawn: passed or failed."""
    failed_step: str | None
    """The step that had failed first; null where it passed."""
    result: str
    """passed where people judge as the grader did, else failed."""
    message: str | None
    """false_fail or false_pass; null where the result is passed."""


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
"""Every table there is."""
