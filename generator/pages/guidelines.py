"""The page of the guidelines' effect: the same models at the same evals, with and without them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from generator.blocks.benchmark_versions import (
    VersionHead,
    build_version_head,
    find_guidelines_tokens,
)
from generator.charts.plots import draw_difference_bar, round_up_to_tens
from generator.facts.ablation_effects import (
    AblationFinding,
    build_ablation_findings,
    list_ablations,
)
from generator.facts.run_lines import link_model
from generator.facts.shares import (
    Difference,
    Share,
    add_shares,
    compute_entry_share,
    conclude_in_words,
    convert_attributed_to_points,
    convert_effect_to_points,
)
from generator.facts.site_data import SiteData, find_section_href
from generator.facts.titles import build_category, describe_experiment, find_eval_title
from generator.facts.uncounted_runs import Awaiting, find_awaiting
from generator.facts.urls import (
    GUIDELINES_TEXT,
    ModelLink,
    build_attempt_href,
    build_eval_path,
    build_page_frame,
)
from generator.render.environment import Frame
from generator.scores.differences.difference import Conclusion
from generator.scores.guidelines_effect import EffectPart, GuidelinesEffect, PairedChange
from generator.scores.leaderboards import Entry, Leaderboard
from records.suites.experiments import DEFAULT, NO_GUIDELINES


class EffectLine(NamedTuple):
    """The effect of the guidelines on a model, a category or a section."""

    label: str
    href: str | None
    with_guidelines: Share
    without: Share
    difference: Difference
    fixed: int
    """The number of evals at which more attempts pass with the guidelines, added up over models."""
    broken: int
    """The number of evals at which more attempts pass without them, added up over models."""
    same: int
    p_value: float | None
    """Two-sided p-value of no difference at all; None if the evals are too few."""
    smallest: float | None
    """The least effect in percentage points that would be noticed 80 times in 100; None if it is
    not known, or if no effect would be noticed."""
    conclusion: str
    """The conclusion in words."""
    attributed: Difference | None
    """The effect without the failures that reports set aside; None without a report."""
    chart: str
    """The difference with its interval, as SVG, on one scale for all lines."""


class MovedModel(NamedTuple):
    """A model for which the guidelines fixed or broke an eval."""

    name: str
    with_href: str
    without_href: str
    with_result: str
    """The result of all attempts that count in words, such as ``passes``."""
    without_result: str


class Moved(NamedTuple):
    """An eval that the guidelines fixed or broke for at least one model."""

    name: str
    title: str
    href: str
    fixed: Sequence[MovedModel]
    broken: Sequence[MovedModel]


class Conclusions(NamedTuple):
    """The numbers of models by the conclusion about the guidelines' effect on them."""

    better: int
    worse: int
    noise: int
    """The number of models without more than chance, or with too few evals."""


class Unpaired(NamedTuple):
    """A model with runs that count under one condition only."""

    model: ModelLink
    condition: str
    """The condition in words."""
    lacking: str
    """The other condition in words."""
    waiting: Awaiting | None
    """Its run under the other condition that lacks verdicts; None if there is no such run."""


class GuidelinesPage(NamedTuple):
    """The page of the guidelines' effect in a benchmark version."""

    template = "pages/guidelines.html"

    frame: Frame
    version: VersionHead
    guidelines_tokens: int | None
    models: Sequence[EffectLine]
    conclusions: Conclusions
    overall: EffectLine | None
    """The mean effect on all models; None unless there are several models."""
    by_category: Sequence[EffectLine]
    by_section: Sequence[EffectLine]
    sections_known: bool
    """Whether it is known which sections of the guidelines the evals exercise."""
    moved: Sequence[Moved]
    """The evals that were fixed or broken for some model; most often broken first."""
    unpaired: Sequence[Unpaired]
    ablations: int
    """The number of all ablations."""
    findings: Sequence[AblationFinding]
    """The results of the ablations in this version, newest first."""
    sent: str | None
    """The digest of the guidelines that this version sends; None if it is not known."""
    text_href: str | None
    """The page with the text that this version sends; None if the site has another text."""


@dataclass(frozen=True, slots=True)
class _Side:
    """A model under both conditions."""

    with_them: Entry
    """The entry with the guidelines."""
    without: Entry
    """The entry without the guidelines."""
    effect: GuidelinesEffect


def build_guidelines_page(site: SiteData, leaderboard: Leaderboard) -> GuidelinesPage:
    """Return the page of the guidelines' effect in ``leaderboard``."""
    folder = site.find_version_folder(leaderboard.version)
    sides = _build_sides(leaderboard)
    models = [_build_model_line(leaderboard, side) for side in sides]
    overall = _build_overall_line(leaderboard, sides)
    categories = _build_category_lines(leaderboard, sides, folder)
    sections = _build_section_lines(site, leaderboard, sides)
    drawn = [line.difference for line in (*models, *categories, *sections)]
    reach = round_up_to_tens(
        end for change in drawn for end in (change.low, change.points, change.high)
    )
    return GuidelinesPage(
        frame=build_page_frame(
            f"Effect of the guidelines: {site.titles[leaderboard.version]}",
            f"{folder}guidelines/",
            f"How much better models write {site.settings.code} with the guidelines in their"
            " prompt: paired, eval by eval.",
            "" if folder else "guidelines",
        ),
        version=build_version_head(site, leaderboard, "guidelines/"),
        guidelines_tokens=find_guidelines_tokens(site, leaderboard.benchmark),
        models=[_draw(line, reach) for line in models],
        conclusions=_count_conclusions(sides),
        overall=_draw(overall, reach) if overall else None,
        by_category=[_draw(line, reach) for line in categories],
        by_section=[_draw(line, reach) for line in sections],
        sections_known=bool(leaderboard.scored.by_section),
        moved=_build_moved_evals(site, leaderboard, sides),
        unpaired=_find_unpaired(site, leaderboard),
        ablations=len(list_ablations(site)),
        findings=build_ablation_findings(site, leaderboard.version),
        sent=leaderboard.benchmark.guidelines,
        text_href=_find_text_href(site, leaderboard),
    )


def _build_sides(leaderboard: Leaderboard) -> list[_Side]:
    sides: list[_Side] = []
    for effect in leaderboard.effects:
        first, other = (
            leaderboard.find(effect.slug, DEFAULT),
            leaderboard.find(effect.slug, NO_GUIDELINES),
        )
        if first is not None and other is not None and not effect.baseline:
            sides.append(_Side(first, other, effect))
    return sides


def _build_model_line(leaderboard: Leaderboard, side: _Side) -> EffectLine:
    effect, newest = side.effect, side.with_them.newest
    shares = _compute_shares([side], leaderboard.list_eval_names())
    line = _build_line(newest.name, link_model(newest).href, effect, shares, [effect.change])
    smallest = effect.smallest_effect
    return line._replace(
        smallest=None if smallest is None else 100 * smallest,
        attributed=convert_attributed_to_points(effect.attributed),
    )


def _build_overall_line(leaderboard: Leaderboard, sides: Sequence[_Side]) -> EffectLine | None:
    overall = leaderboard.overall
    if overall is None or len(sides) < 2:  # noqa: PLR2004 - one model is its own line
        return None
    changes = [side.effect.change for side in sides]
    shares = _compute_shares(sides, leaderboard.list_eval_names())
    line = _build_line("All models", None, overall.whole, shares, changes)
    again = overall.attributed
    return line._replace(attributed=again and convert_effect_to_points(again, again.conclusion))


def _build_category_lines(
    leaderboard: Leaderboard, sides: Sequence[_Side], folder: str
) -> list[EffectLine]:
    if leaderboard.overall is None:
        return []
    return [
        _build_line(
            build_category(key).label,
            f"{folder}categories/{key}/",
            part,
            _compute_shares(sides, leaderboard.list_eval_names(key)),
            [side.effect.categories[key] for side in sides],
        )
        for key, part in leaderboard.overall.categories.items()
    ]


def _build_section_lines(
    site: SiteData, leaderboard: Leaderboard, sides: Sequence[_Side]
) -> list[EffectLine]:
    scored = leaderboard.scored
    if leaderboard.overall is None:
        return []
    return [
        _build_line(
            name,
            find_section_href(site, name),
            part,
            _compute_shares(sides, [scored.evals[int(at)] for at in scored.by_section[name]]),
            [side.effect.sections[name] for side in sides],
        )
        for name, part in leaderboard.overall.sections.items()
    ]


def _build_line(
    label: str,
    href: str | None,
    tested: GuidelinesEffect | EffectPart,
    shares: tuple[Share, Share],
    changes: Sequence[PairedChange],
) -> EffectLine:
    """Return the line of an effect; ``changes`` are the models' changes, which are counted.

    `_draw` adds the drawing later.
    """
    if isinstance(tested, GuidelinesEffect):
        change, uncorrected = tested.change, tested.p_value
    else:
        change, uncorrected = tested, tested.uncorrected
    return EffectLine(
        label=label,
        href=href,
        with_guidelines=shares[0],
        without=shares[1],
        difference=convert_effect_to_points(change, tested.conclusion),
        fixed=sum(len(change.fixed) for change in changes),
        broken=sum(len(change.broken) for change in changes),
        same=sum(change.unchanged_evals for change in changes),
        p_value=tested.p_value,
        smallest=None,
        conclusion=conclude_in_words(
            tested.conclusion, change.interval, uncorrected, "categories and sections"
        ),
        attributed=None,
        chart="",
    )


def _compute_shares(sides: Iterable[_Side], evals: Sequence[str]) -> tuple[Share, Share]:
    """Return the shares of ``evals`` passed with and without the guidelines, added over models."""
    having = add_shares(compute_entry_share(side.with_them, evals) for side in sides)
    bare = add_shares(compute_entry_share(side.without, evals) for side in sides)
    if having is None or bare is None:
        raise AssertionError("an effect of no evals")
    return having, bare


def _draw(line: EffectLine, reach: float) -> EffectLine:
    """Return a line with its drawing, on a scale from minus to plus ``reach``."""
    change = line.difference
    return line._replace(chart=draw_difference_bar(change.points, change.low, change.high, reach))


def _count_conclusions(sides: Sequence[_Side]) -> Conclusions:
    conclusions = [side.effect.conclusion for side in sides]
    better, worse = conclusions.count(Conclusion.BETTER), conclusions.count(Conclusion.WORSE)
    return Conclusions(better, worse, len(conclusions) - better - worse)


def _build_moved_evals(
    site: SiteData, leaderboard: Leaderboard, sides: Sequence[_Side]
) -> list[Moved]:
    """Return the evals that the guidelines fixed or broke for some model; most broken first."""
    fixed: dict[str, list[MovedModel]] = {}
    broken: dict[str, list[MovedModel]] = {}
    for side in sides:
        for by_eval, evals in (
            (fixed, side.effect.change.fixed),
            (broken, side.effect.change.broken),
        ):
            for name in evals:
                index = leaderboard.scored.place[name]
                by_eval.setdefault(name, []).append(_build_moved_model(side, name, index))
    names = sorted(
        fixed.keys() | broken.keys(),
        key=lambda name: (-len(broken.get(name, ())), -len(fixed.get(name, ())), name),
    )
    return [
        Moved(
            name=name,
            title=find_eval_title(site, name),
            href=build_eval_path(name),
            fixed=fixed.get(name, ()),
            broken=broken.get(name, ()),
        )
        for name in names
    ]


def _build_moved_model(side: _Side, name: str, index: int) -> MovedModel:
    return MovedModel(
        name=side.with_them.newest.name,
        with_href=build_attempt_href(side.with_them.newest, name),
        without_href=build_attempt_href(side.without.newest, name),
        with_result=_describe_entry_result(side.with_them, name, index),
        without_result=_describe_entry_result(side.without, name, index),
    )


def _describe_entry_result(entry: Entry, name: str, index: int) -> str:
    """Return in words the result of an entry at an eval with this ``index`` in arrays."""
    passed, judged = int(entry.row.pool.passed[index]), int(entry.row.pool.judged[index])
    if passed == judged:
        return "passes"
    if passed:
        return f"passes {passed} of {judged}"
    step = entry.newest.results[name].failed_step
    return "fails" if step is None else f"fails at {step}"


def _find_unpaired(site: SiteData, leaderboard: Leaderboard) -> list[Unpaired]:
    paired = {effect.slug for effect in leaderboard.effects}
    alone = {entry.newest.slug: entry.newest for entry in leaderboard.select_models()}
    unpaired: list[Unpaired] = []
    for slug, run in sorted(alone.items()):
        if slug not in paired:
            other = DEFAULT if run.experiment == NO_GUIDELINES else NO_GUIDELINES
            waiting = find_awaiting(site, run.version, slug, other)
            conditions = describe_experiment(run.experiment), describe_experiment(other)
            unpaired.append(Unpaired(link_model(run), *conditions, waiting))
    return unpaired


def _find_text_href(site: SiteData, leaderboard: Leaderboard) -> str | None:
    """Return the page of the guidelines, if their digest is that of the version's guidelines."""
    digest = site.guidelines and site.guidelines.digest
    return GUIDELINES_TEXT if digest and leaderboard.benchmark.guidelines == digest else None
