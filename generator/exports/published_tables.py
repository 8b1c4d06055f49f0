"""The rows of all published tables, made from the site's data."""

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Final

from generator.exports.formats import ExportLine, format_line
from generator.exports.manifest import list_manifest_lines
from generator.exports.table_rows import (
    AblationRow,
    AuditedAttemptRow,
    AuditRow,
    CategoryRow,
    EvalRow,
    ExportRow,
    FailureRow,
    GuidelinesRow,
    LeaderboardRow,
    ManifestRow,
    MatrixRow,
    RunRow,
)
from generator.facts.ablation_effects import (
    compute_edition_effects,
    find_recorded_runs,
    list_ablations,
)
from generator.facts.site_data import SiteData
from generator.facts.urls import build_filed_path
from generator.read.summaries import FiledReport, RequestTally, RunSummary
from generator.scores.grader_audit import AuditFindings, ErrorRate, is_wrong
from generator.scores.intervals import Interval
from generator.scores.leaderboards import Entry, Leaderboard
from records.shapes.trial import GuidelinesTrial


def list_table_lines(site: SiteData, kind: type[ExportRow]) -> list[ExportLine]:
    """Return the rows of a table as JSON and CSV, in the order of the site's pages."""
    if kind is RunRow:
        return [_build_run_line(run) for run in site.summaries.runs]
    if kind is ManifestRow:
        return list_manifest_lines(site)
    if kind is AblationRow:
        return [
            format_line(row)
            for trial in list_ablations(site)
            for row in _build_ablation_rows(site, trial)
        ]
    if kind is FailureRow:
        return [
            line for filed, run in site.reported_runs for line in _list_failure_lines(filed, run)
        ]
    if kind in _OF_AUDIT:
        return [format_line(row) for audit in site.audits for row in _OF_AUDIT[kind](audit)]
    return [
        line_of_row
        for board in site.leaderboards.values()
        for line_of_row in _list_board_lines(kind, board)
    ]


# Cached, because there are tens of thousands of lines and `leaderboard serve` builds repeatedly.


@lru_cache(maxsize=1 << 14)
def _build_run_line(run: RunSummary) -> ExportLine:
    return format_line(_build_run_row(run))


@lru_cache(maxsize=1 << 12)
def _list_failure_lines(filed: FiledReport, run: RunSummary) -> list[ExportLine]:
    return [format_line(row) for row in _build_failure_rows(filed, run)]


@lru_cache(maxsize=1 << 6)
def _list_board_lines(kind: type[ExportRow], leaderboard: Leaderboard) -> list[ExportLine]:
    return [format_line(row) for row in _OF_BOARD[kind](leaderboard)]


def build_leaderboard_rows(leaderboard: Leaderboard) -> Iterator[LeaderboardRow]:
    """Yield a row for each model under each experiment, in the order of ranks."""
    for entry in leaderboard.entries:
        newest, row = entry.newest, entry.row
        attributed_estimate = row.attributed.estimate if row.attributed else None
        yield LeaderboardRow(
            benchmark_version=leaderboard.version,
            experiment=newest.experiment,
            model=newest.slug,
            name=newest.name,
            provider=newest.provider,
            baseline=newest.baseline,
            rank_low=row.rank.low if row.rank else None,
            rank_high=row.rank.high if row.rank else None,
            score=row.score.value,
            score_low=row.score.interval.low,
            score_high=row.score.interval.high,
            evals=row.score.evals,
            attempts=row.score.attempts,
            tests_passed_share=row.tests,
            attributed_score=attributed_estimate.value if attributed_estimate else None,
            cost_usd_per_attempt=row.cost_usd.mean,
            cost_known_for=row.cost_usd.n,
            cost_usd_per_pass=row.cost_per_pass,
            generation_s_per_attempt=row.generation_s.mean,
            generation_known_for=row.generation_s.n,
            input_tokens_per_attempt=row.input_tokens.mean,
            input_tokens_known_for=row.input_tokens.n,
            output_tokens_per_attempt=row.output_tokens.mean,
            output_tokens_known_for=row.output_tokens.n,
            rerun_error=row.rerun,
            pass_all_of_2=row.passes_all.get(2),
            pass_all_of_3=row.passes_all.get(3),
            **_count_requests(entry),
            runs=len(entry.runs),
            latest=newest.date,
            latest_run=newest.run_id,
            published_because=_join_reasons(entry),
            source=newest.source,
        )


def _join_reasons(entry: Entry) -> str | None:
    """Return the reasons for publishing runs that needed one, a line for each; None for none."""
    reasons = dict.fromkeys(run.published_because for run in entry.runs if run.published_because)
    return "\n".join(reasons) or None


def _count_requests(entry: Entry) -> dict[str, int | None]:
    """Return how requests ended, by column; None if that is not known."""
    return entry.requests._asdict() if entry.requests else dict.fromkeys(RequestTally._fields)


def _build_category_rows(leaderboard: Leaderboard) -> Iterator[ExportRow]:
    for entry in leaderboard.entries:
        for category, estimate in entry.row.categories.items():
            yield CategoryRow(
                benchmark_version=leaderboard.version,
                experiment=entry.newest.experiment,
                model=entry.newest.slug,
                category=category,
                score=estimate.value,
                score_low=estimate.interval.low,
                score_high=estimate.interval.high,
                evals=estimate.evals,
            )


def _build_guidelines_rows(leaderboard: Leaderboard) -> Iterator[ExportRow]:
    for effect in leaderboard.effects:
        change, without_those = effect.change, effect.attributed
        yield GuidelinesRow(
            benchmark_version=leaderboard.version,
            model=effect.slug,
            difference=change.difference,
            difference_low=change.interval.low,
            difference_high=change.interval.high,
            p_value=effect.p_value,
            conclusion=effect.conclusion.value,
            smallest_effect=effect.smallest_effect,
            evals=change.evals,
            fixed=len(change.fixed),
            broken=len(change.broken),
            attributed_difference=without_those.value if without_those else None,
            attributed_low=without_those.interval.low if without_those else None,
            attributed_high=without_those.interval.high if without_those else None,
            attributed_p_value=without_those.p_value if without_those else None,
            attributed_conclusion=without_those.conclusion.value if without_those else None,
            attributed_evals=without_those.evals if without_those else None,
        )


def _build_ablation_rows(site: SiteData, trial: GuidelinesTrial) -> Iterator[ExportRow]:
    for effect in compute_edition_effects(trial, find_recorded_runs(site, trial)):
        paired = effect.difference
        yield AblationRow(
            ablation=trial.trial_id,
            benchmark_version=trial.benchmark_version,
            model=effect.run.model,
            date=trial.began_at.date(),
            section=effect.run.section or "",
            edition=effect.run.edition.value,
            section_tokens=effect.run.section_tokens or 0,
            run_id=effect.run.run_id,
            whole_run_id=effect.whole.run_id,
            evals=paired.evals if paired else 0,
            difference=paired.value if paired else None,
            difference_low=paired.interval.low if paired else None,
            difference_high=paired.interval.high if paired else None,
            p_value=effect.p_value,
            conclusion=effect.conclusion.value if effect.conclusion else None,
            lost=len(effect.lost) if paired else None,
            gained=len(effect.gained) if paired else None,
        )


def build_matrix_rows(leaderboard: Leaderboard) -> Iterator[ExportRow]:
    """Yield a row for each model and eval."""
    for entry in leaderboard.entries:
        for name, rate in entry.passes.items():
            yield MatrixRow(
                benchmark_version=leaderboard.version,
                experiment=entry.newest.experiment,
                model=entry.newest.slug,
                eval=name,
                pass_rate=rate,
            )


def _build_eval_rows(leaderboard: Leaderboard) -> Iterator[ExportRow]:
    for health in leaderboard.health.values():
        yield EvalRow(
            benchmark_version=leaderboard.version,
            eval=health.eval,
            pass_rate=health.pass_rate,
            models=health.models,
            solvers=len(health.solvers),
            disagreement=health.disagreement,
            set_aside=health.set_aside,
            correlation=health.correlation,
        )


def _build_run_row(run: RunSummary) -> ExportRow:
    return RunRow(
        run_id=run.run_id,
        benchmark_version=run.version,
        model=run.slug,
        experiment=run.experiment,
        date=run.date,
        day_of_import=run.day_of_import,
        status=run.status,
        withdrawn=run.withdrawn,
        published_because=run.published_because,
        passed=run.tally.passed,
        judged=run.tally.judged,
        planned=run.tally.planned,
        cost_usd=run.own_cost_usd,
        carried_over=run.carried,
        source=run.source,
    )


def _build_failure_rows(filed: FiledReport, run: RunSummary) -> Iterator[ExportRow]:
    for failure in filed.report.failures:
        yield FailureRow(
            run_id=run.run_id,
            benchmark_version=run.version,
            model=run.slug,
            experiment=run.experiment,
            eval=failure.eval,
            sample=failure.sample,
            failure_class=failure.failure_class.value if failure.failure_class else None,
            note=failure.note,
            report=build_filed_path(filed),
            author=filed.report.author,
            date=filed.report.date,
        )


_Measure = tuple[str, str | None, float | None, Interval | None, int, ErrorRate | None]
"""A measure: its name, step, value, interval, judged attempts, and rate if it is one."""


def _build_audit_rows(findings: AuditFindings) -> Iterator[ExportRow]:
    agreement, doubles = findings.agreement, findings.doubles
    rates = [
        ("false_fail", None, findings.false_fails),
        *(("false_fail", step.value, rate) for step, rate in findings.steps.items()),
        ("false_pass", None, findings.false_passes),
        ("wrong", None, findings.errors),
    ]
    measures: list[_Measure] = [
        (measure, step, rate.share, rate.interval, rate.judged, rate)
        for measure, step, rate in rates
    ]
    if agreement is not None:
        measures.append(("agreement", None, agreement.raw, None, doubles, None))
        measures.append(("alpha", None, agreement.alpha, agreement.interval, doubles, None))
    for measure, step, value, interval, judged, rate in measures:
        yield AuditRow(
            audit=findings.audit.audit_id,
            benchmark_version=findings.audit.benchmark_version,
            date=findings.audit.drawn_at.date(),
            measure=measure,
            step=step,
            value=value,
            low=interval.low if interval else None,
            high=interval.high if interval else None,
            wrong=rate.wrong if rate else None,
            judged=judged,
            drawn=rate.drawn if rate else None,
            population=rate.population if rate else None,
        )


def _build_audited_attempt_rows(findings: AuditFindings) -> Iterator[ExportRow]:
    """Yield the attempts with a decided judgement.

    Open and disputed attempts are left out, so that no reviewer is influenced.
    """
    for item, judged in findings.judged:
        wrong = is_wrong(item, judged)
        if wrong is not None:
            yield AuditedAttemptRow(
                audit=findings.audit.audit_id,
                eval=item.eval,
                run_id=item.run_id,
                sample=item.sample,
                verdict=item.outcome,
                failed_step=item.failed_step,
                result="failed" if wrong else "passed",
                message=_MISTAKES[item.outcome] if wrong else None,
            )


_MISTAKES: Final = {"failed": "false_fail", "passed": "false_pass"}
"""The name of a grader's mistake, by its verdict."""

_OF_AUDIT: Final[Mapping[type[ExportRow], Callable[[AuditFindings], Iterator[ExportRow]]]] = {
    AuditRow: _build_audit_rows,
    AuditedAttemptRow: _build_audited_attempt_rows,
}

_OF_BOARD: Final[Mapping[type[ExportRow], Callable[[Leaderboard], Iterator[ExportRow]]]] = {
    LeaderboardRow: build_leaderboard_rows,
    CategoryRow: _build_category_rows,
    GuidelinesRow: _build_guidelines_rows,
    MatrixRow: build_matrix_rows,
    EvalRow: _build_eval_rows,
}
