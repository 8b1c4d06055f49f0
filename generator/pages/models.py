"""The page of one model: where it stands, what it is good at, what it fails, all its runs."""

from collections import Counter
from collections.abc import Sequence

from generator.charts.bars import beside, count
from generator.charts.plots import Dot, history
from generator.contexts.runs import FailedEval, ModelPage, StandingLine, Strength
from generator.contexts.shared import Bar, Blame, Fact
from generator.corpus import RunSummary
from generator.pages.boards import Board, Standing
from generator.pages.figures import attributed, difference, interval
from generator.pages.lines import (
    blame_of_any,
    blames,
    linked,
    mean_of,
    pooled,
    run_share,
    score,
    standing_share,
)
from generator.pages.material import Material
from generator.pages.names import (
    DEFAULT,
    category,
    eval_path,
    experiment,
    frame,
    model_path,
    run_path,
)
from generator.pages.reports import class_bars
from generator.pages.rows.runs import run_rows


def model_page(material: Material, slug: str) -> ModelPage:
    """Gather the page of the model called ``slug``."""
    runs = material.by_model[slug]
    model = linked(runs[0])
    found = _standings(material, slug)
    basis = _basis(found)
    failed = _failed(material, *basis) if basis else []
    counted = basis[1].runs if basis else ()
    reports = [filed for run in counted for filed in material.reports.get(run.run_id, ())]
    around = frame(
        model.name,
        model_path(slug),
        f"How {model.name} does at writing Convex code: scores, strengths, failures, runs.",
        card=material.card(slug),
    )
    return ModelPage(
        frame=around,
        model=model,
        baseline=runs[0].baseline,
        facts=_facts(material, slug),
        standings=[_standing(material, board, one) for board, one in found],
        basis=_said(material, basis) if basis else "",
        strengths=_strengths(material, *basis) if basis else [],
        failed=failed,
        by_step=_by_step(basis[1]) if basis else [],
        by_class=class_bars(reports),
        history=_history(runs, model_path(slug)),
        runs=run_rows(material, around.root, runs),
    )


def _standings(material: Material, slug: str) -> list[tuple[Board, Standing]]:
    return [
        (board, one)
        for board in material.boards.values()
        for one in board.standings
        if one.newest.slug == slug
    ]


def _basis(found: Sequence[tuple[Board, Standing]]) -> tuple[Board, Standing] | None:
    """Return what strengths and failures are of: the newest version, with guidelines if it can."""
    usual = [pair for pair in found if pair[1].newest.experiment == DEFAULT]
    return next(iter([*usual, *found]), None)


def _said(material: Material, basis: tuple[Board, Standing]) -> str:
    board, one = basis
    runs = f"{len(one.runs)} runs" if len(one.runs) > 1 else "1 run"
    return f"{material.titles[board.version]}, {experiment(one.newest.experiment)}, {runs}"


def _facts(material: Material, slug: str) -> list[Fact]:
    entry = material.corpus.registry.get(slug)
    if entry is None:
        return []
    facts = [Fact("Asked as", entry.litellm_id)]
    if entry.released is not None:
        facts.append(Fact("Released", entry.released.isoformat()))
    facts += [Fact(name, str(value)) for name, value in sorted(entry.parameters.items())]
    return facts


def _standing(material: Material, board: Board, one: Standing) -> StandingLine:
    newest = one.newest
    field = [
        other
        for other in board.models()
        if other.newest.experiment == newest.experiment and other.row.rank is not None
    ]
    effects = {effect.slug: effect.paired for effect in board.effects}
    effect = effects.get(newest.slug) if newest.experiment == DEFAULT else None
    evals = board.evals()
    return StandingLine(
        version_title=material.titles[board.version],
        version_href=material.version_href(board.version),
        experiment=experiment(newest.experiment),
        rank=one.row.rank,
        tied=[other.row.rank for other in field].count(one.row.rank) > 1,
        field=len(field),
        score=score(standing_share(one, evals), *interval(board, one, evals)),
        attributed=attributed(one),
        effect=difference(effect.change, effect.evidence) if effect else None,
        cost_usd=one.row.cost_usd.mean,
        generation_s=one.row.generation_s.mean,
        input_tokens=_mean([run.input_tokens for run in one.runs]),
        output_tokens=_mean([run.output_tokens for run in one.runs]),
        runs=len(one.runs),
    )


def _mean(counts: Sequence[int | None]) -> float | None:
    """Return the mean of those that are known; None where none is."""
    known = [count for count in counts if count is not None]
    return sum(known) / len(known) if known else None


def _others(board: Board, one: Standing) -> list[Standing]:
    newest = one.newest
    return [
        other
        for other in board.models()
        if other.newest.experiment == newest.experiment and other.newest.slug != newest.slug
    ]


def _strengths(material: Material, board: Board, one: Standing) -> list[Strength]:
    others = _others(board, one)
    found: list[Strength] = []
    for key in board.categories():
        evals = board.evals(key)
        own = standing_share(one, evals)
        field = pooled(standing_share(other, evals) for other in others)
        percent = field.percent if field else None
        href = f"{material.place(board.version)}categories/{key}/"
        drawing = beside(own.percent, percent)
        found.append(Strength(category(key), href, own, percent, drawing))
    return found


def _failed(material: Material, board: Board, one: Standing) -> list[FailedEval]:
    others = _others(board, one)
    said = {run.run_id: blames(material, run.run_id) for run in one.runs}
    found: list[FailedEval] = []
    for name in board.evals():
        if one.passes[name] == 1:
            continue
        results = [run.results[name] for run in one.runs]
        notes = [blame_of_any(said[run.run_id], name) for run in one.runs]
        found.append(
            FailedEval(
                name=name,
                href=eval_path(name),
                failed=sum(result.judged - result.passed for result in results),
                judged=sum(result.judged for result in results),
                steps=", ".join(sorted({r.failed_step for r in results if r.failed_step})),
                field=mean_of(others, name),
                blames=_distinct([note for note in notes if note]),
            )
        )
    return sorted(found, key=lambda eval_: (-eval_.failed / eval_.judged, eval_.name))


def _distinct(notes: Sequence[Blame]) -> list[Blame]:
    """Keep one of those that say the same."""
    return list({(note.kind, note.note): note for note in notes}.values())


def _by_step(one: Standing) -> list[Bar]:
    """Count the failed evals of the counted runs by the step that failed."""
    counted = Counter(
        result.failed_step or "step not published"
        for run in one.runs
        for result in run.results.values()
        if result.passed < result.judged
    )
    largest = max(counted.values(), default=0)
    return [Bar(step, number, count(number, largest)) for step, number in counted.most_common()]


def _history(runs: Sequence[RunSummary], path: str) -> str | None:
    """Plot every judged run over time; None unless there are several days to tell apart."""
    judged = [(run, found) for run in runs if (found := run_share(run))]
    if len({run.date for run, _ in judged}) < 2:  # noqa: PLR2004 - one day is no history
        return None
    root = "../" * path.count("/")
    dots = [
        Dot(
            label=f"{run.date}, {experiment(run.experiment)}",
            href=root + run_path(run.run_id),
            x=run.date.toordinal(),
            y=found.percent,
            low=None,
            high=None,
            marked=run.experiment == DEFAULT and run.withdrawn is None,
        )
        for run, found in judged
    ]
    return history(dots, [run.date for run, _ in judged])
