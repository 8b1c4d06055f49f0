"""The log of changes: runs added, graded again, corrected or withdrawn; versions minted."""

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Final, NamedTuple

from generator.facts.run_lines import describe_replaced_verdicts, group_regradings, link_model
from generator.facts.shares import compute_run_share
from generator.facts.site_data import SiteData
from generator.facts.titles import describe_run_condition
from generator.facts.urls import Link, build_page_frame, build_run_path
from generator.pages.benchmarks import VersionChange, build_version_changes
from generator.read.summaries import ReplacedVerdict, RunSummary
from generator.render.environment import Frame
from generator.render.template_filters import format_percent
from generator.scores.leaderboards import Leaderboard
from generator.scores.score_table import RankRange
from records.suites.experiments import is_of_a_trial
from records.text.numbers import format_count

_ARROW: Final = "\N{RIGHTWARDS ARROW}"


class Change(NamedTuple):
    """A change of a run, or a new version."""

    kind: str
    """``added``, ``re-graded``, ``publisher's correction``, ``withdrawn``, ``reinstated`` or
    ``new version``."""
    about: Link
    """A link to the model or version; for gradings of baselines, to the errata."""
    run_id: str
    """The run's id; empty if the change is not of a single run."""
    href: str
    """The address of the run's page, or of the place that describes another change."""
    text: str
    did: str
    """The effect of the change, such as ``rank now 1 to 4 of 6``; empty if it is not known."""


class ChangesOfADay(NamedTuple):
    """The changes on a day."""

    date: date | None
    """The day; None for the changes whose day is not recorded."""
    changes: Sequence[Change]


class ChangesOfAMonth(NamedTuple):
    """The changes in a month, by day."""

    title: str
    """The month, such as ``November 2026``."""
    counts: str
    """The number of changes of each kind, in words."""
    days: Sequence[ChangesOfADay]


class NewsItem(NamedTuple):
    """A sentence or a list in the news of a month."""

    words: str
    """The heading of a list, such as ``First run here:``; without links, a whole sentence."""
    about: Sequence[tuple[Link, str]]
    """Links to the models or versions, each with its effect in words, which may be empty."""


class MonthNews(NamedTuple):
    """The news of the newest month with a change."""

    title: str
    """The month, such as ``November 2026``."""
    news: Sequence[NewsItem]


class ChangesPage(NamedTuple):
    """The log of changes."""

    template = "pages/changes.html"

    frame: Frame
    newest_month: MonthNews | None
    """None if no change has a day."""
    months: Sequence[ChangesOfAMonth]
    """The changes by month, newest first; changes without a known day are last."""
    newest: Sequence[tuple[str, date]]
    """Kinds of change in words, each with its newest day; kinds without changes are left out."""
    arrows: bool
    """Whether some new grading changed an outcome, which is shown with an arrow."""
    imported: int
    """The number of runs in the log that were imported."""
    own: int
    """The number of runs in the log that this project made."""
    baselines: int
    """The number of runs of baselines, which are not in the log."""
    editions: int
    """The number of runs of trials of the guidelines, which are not in the log."""


_Dated = tuple[date | None, Change]
"""A change with its day; None if the day is not recorded."""


@dataclass(frozen=True)
class _TablePlace:
    """The rank of a run that counts, and the run before it."""

    rank: RankRange | None
    """The present rank of the run's model under its experiment; None without a rank."""
    models: int
    before: RunSummary | None
    """The previous run of the model that counts; None for the first."""
    newest: bool
    """Whether the run is the model's newest run that counts."""


def build_changes_page(site: SiteData) -> ChangesPage:
    """Return the log, newest first.

    Runs of baselines are left out, because they prove nothing about models, and runs of trials of
    the guidelines, because no table has them.
    """
    standings = {
        run_id: standing
        for leaderboard in site.leaderboards.values()
        for run_id, standing in _list_places(leaderboard)
    }
    runs = site.summaries.runs
    editions = sum(is_of_a_trial(run.experiment) for run in runs)
    listed = [run for run in runs if not is_of_a_trial(run.experiment) and not run.baseline]
    of_runs = [change for run in listed for change in _build_run_changes(site, run, standings)]
    changes = [*of_runs, *_build_version_news(site), *_build_baseline_gradings(site)]
    imported = sum(run.source is not None for run in listed)
    return ChangesPage(
        frame=build_page_frame(
            "Changes",
            "changes/",
            "What was added to the tables, graded again, corrected or withdrawn, and what it did.",
            "changes",
        ),
        newest_month=_build_month_news(changes),
        months=_group_by_month(_group_by_day(changes)),
        newest=_list_newest_days(changes),
        arrows=any(_ARROW in change.did for _, change in changes),
        imported=imported,
        own=len(listed) - imported,
        baselines=len(runs) - len(listed) - editions,
        editions=editions,
    )


def _list_places(leaderboard: Leaderboard) -> Iterator[tuple[str, _TablePlace]]:
    """Yield the id and the standing of each run of a language model that counts."""
    models = leaderboard.select_models()
    under = Counter(model.newest.experiment for model in models)
    for entry in models:
        for run, before in zip(entry.runs, [*entry.runs[1:], None], strict=True):
            standing = _TablePlace(
                entry.row.rank, under[run.experiment], before, newest=run is entry.newest
            )
            yield run.run_id, standing


def _group_by_day(changes: Sequence[_Dated]) -> list[ChangesOfADay]:
    """Return the changes by day, newest first; changes without a known day are last."""
    days: dict[date | None, list[Change]] = {}
    for day, change in changes:
        days.setdefault(day, []).append(change)
    days_known = sorted((day for day in days if day is not None), reverse=True)
    return [ChangesOfADay(day, days[day]) for day in (*days_known, None) if day in days]


def _group_by_month(days: Sequence[ChangesOfADay]) -> list[ChangesOfAMonth]:
    """Return the days by month, in their order."""
    return [
        ChangesOfAMonth(title, _describe_counts(month), month)
        for title, group in groupby(days, key=_title_month)
        for month in [[*group]]
    ]


def _title_month(day: ChangesOfADay) -> str:
    return _format_month(day.date) if day.date else "Day not recorded"


def _format_month(day: date) -> str:
    return f"{day:%B %Y}"


def _build_month_news(changes: Sequence[_Dated]) -> MonthNews | None:
    """Return the news of the newest month with a change; None if no change has a day."""
    dated = [(day, change) for day, change in changes if day is not None]
    if not dated:
        return None
    newest = _format_month(max(day for day, _ in dated))
    inside = [(day, change) for day, change in dated if _format_month(day) == newest]
    before = {
        change.about.href
        for day, change in dated
        if change.kind == "added" and _format_month(day) != newest
    }
    latest_first = sorted(inside, key=lambda dated_change: dated_change[0], reverse=True)
    by_kind: dict[str, list[Change]] = {}
    for _, change in latest_first:
        by_kind.setdefault(change.kind, []).append(change)
    return MonthNews(
        newest, [*_build_added_news(by_kind.get("added", []), before), *_build_other_news(by_kind)]
    )


def _build_added_news(added: Sequence[Change], before: Container[str]) -> Iterator[NewsItem]:
    """Yield the news of added runs: their number, new models, then models with earlier runs.

    ``before`` has the addresses of the models with runs in earlier months.
    """
    if not added:
        yield NewsItem("No run of a language model was added.", [])
        return
    models = {change.about.href: change.about for change in added}
    new = [link for link in models.values() if link.href not in before]
    again = [link for link in models.values() if link.href in before]
    runs, number = format_count(len(added), "run"), format_count(len(models), "language model")
    yield NewsItem(f"{runs} of {number} {'was' if len(added) == 1 else 'were'} added.", [])
    for words, links in (("First run here:", new), ("Asked in earlier months, too:", again)):
        if links:
            yield NewsItem(words, [(link, "") for link in links])


def _build_other_news(by_kind: Mapping[str, Sequence[Change]]) -> Iterator[NewsItem]:
    """Yield the news of versions, gradings and withdrawals; of new versions only the newest."""
    versions = by_kind.get("new version", [])
    if versions:
        words = "New benchmark version:"
        if len(versions) > 1:
            words = f"{len(versions)} new benchmark versions, of which this is the newest:"
        yield NewsItem(words, [(versions[0].about, versions[0].did)])
    for kind, words in (
        ("re-graded", "Stored answers graded again:"),
        ("withdrawn", "Runs withdrawn, which no longer count:"),
        ("reinstated", "Runs that count again:"),
    ):
        of_kind = by_kind.get(kind, [])
        if of_kind:
            yield NewsItem(words, [(change.about, change.did) for change in of_kind])


def _describe_counts(days: Sequence[ChangesOfADay]) -> str:
    """Return in words the number of changes of each kind, the most frequent first."""
    kinds = Counter(change.kind for day in days for change in day.changes)
    return ", ".join(
        format_count(number, kind, _PLURALS.get(kind, kind)) for kind, number in kinds.most_common()
    )


_WAYS: Final = {
    "Added": "added",
    "Removed": "removed",
    "Another task": "with a changed task",
    "Another grader": "with a changed grader",
    "Other settings": "with other settings",
}
"""The words after a number of evals, by the heading of `ChangedEvals`."""

_PLURALS: Final = {
    "new version": "new versions",
    "publisher's correction": "publisher's corrections",
}


def _list_newest_days(changes: Sequence[_Dated]) -> list[tuple[str, date]]:
    """Return kinds of change in words, each with its newest known day."""
    names = {
        "added": "run of a language model",
        "new version": "benchmark version of our own",
        "re-graded": "grading again",
    }
    days = {kind: [day for day, change in changes if day and change.kind == kind] for kind in names}
    return [(names[kind], max(days_of_kind)) for kind, days_of_kind in days.items() if days_of_kind]


def _build_version_news(site: SiteData) -> Iterator[_Dated]:
    """Yield a change for each benchmark version with a known day of minting."""
    differing = {change.version: change for change in build_version_changes(site)}
    minted_last_first = sorted(
        site.leaderboards.items(), key=lambda item: str(item[1].benchmark.minted_at), reverse=True
    )
    for version, leaderboard in minted_last_first:
        minted = leaderboard.benchmark.minted_at
        if minted is not None:
            about = Link(site.build_version_href(version), site.titles[version])
            text = f"Version {version}, {format_count(len(leaderboard.list_eval_names()), 'eval')}."
            did = _describe_version_change(differing[version], leaderboard)
            yield (
                minted.date(),
                Change("new version", about, "", f"benchmarks/#{version}", text, did),
            )


def _describe_version_change(change: VersionChange, leaderboard: Leaderboard) -> str:
    """Return in words the changes from the previous version, and the number of models now."""
    models = leaderboard.count_models()
    table = f"{format_count(models, 'model') if models else 'no model'} in its table now"
    if change.before is None:
        return f"the first version of our own; {table}"
    evals = [
        f"{format_count(len(group.evals), 'eval')} {_WAYS[group.heading]}" for group in change.evals
    ]
    other = [part for part in change.parts if part.startswith("changed")]
    replaced = f"follows {change.before}"
    return "; ".join(filter(None, [replaced, ", ".join([*evals, *other]), table]))


def _build_baseline_gradings(site: SiteData) -> Iterator[_Dated]:
    """Yield a change for each day on which runs of baselines were graded again."""
    days: dict[date, list[Sequence[ReplacedVerdict]]] = {}
    for run in site.summaries.runs:
        if run.baseline and not is_of_a_trial(run.experiment):
            for day, replaced in group_regradings(run):
                days.setdefault(day, []).append(replaced)
    for day, runs in days.items():
        number = format_count(len(runs), "run")
        attempts = sum(
            len({(verdict.eval, verdict.sample) for verdict in replaced}) for replaced in runs
        )
        text = f"{number} of baselines, {attempts} stored answers."
        turned = Counter[tuple[str, str]]()
        for replaced in runs:
            turned.update(_count_changed_outcomes(replaced))
        about = Link("errata/", "Baselines")
        yield (
            day,
            Change("re-graded", about, "", "errata/", text, _describe_changed_outcomes(turned)),
        )


def _build_run_changes(
    site: SiteData, run: RunSummary, standings: Mapping[str, _TablePlace]
) -> Iterator[_Dated]:
    """Yield the changes of a run with their days, the latest first.

    The day is None for publishers' corrections and for early withdrawals, because records do not
    have it.
    """
    model = link_model(run)
    about = Link(model.href, model.name)

    def build_change(day: date | None, kind: str, text: str, did: str) -> _Dated:
        return day, Change(kind, about, run.run_id, build_run_path(run.run_id), text, did)

    if run.withdrawn is not None:
        yield build_change(
            run.withdrawn_on, "withdrawn", run.withdrawn, _describe_remaining(site, run)
        )
    for undone in reversed(run.undone_withdrawals):
        yield build_change(undone.undone_on, "reinstated", undone.undone_because, "")
        yield build_change(undone.on, "withdrawn", undone.reason, "taken back since")
    if run.corrected_passed is not None:
        text = f"Its publisher counts {run.corrected_passed} passes after mending graders."
        did = f"the score here stays that of {run.tally.passed} passes"
        yield build_change(None, "publisher's correction", text, did)
    for day, replaced in group_regradings(run):
        yield build_change(
            day, "re-graded", describe_replaced_verdicts(replaced), _describe_outcomes(replaced)
        )
    share = compute_run_share(run)
    score = f"{share.passes} of {share.judged} passed" if share else "nothing judged"
    condition, version = describe_run_condition(run), site.find_version_title(run.version)
    text = f"{condition}, {version}: {score}.{_describe_origin(run)}"
    standing = standings.get(run.run_id)
    yield build_change(
        run.date, "added", text, _describe_addition(run, standing) if standing else "in no table"
    )


def _describe_origin(run: RunSummary) -> str:
    """Return a sentence on the origin of an imported run; empty for our own runs."""
    if run.source is None:
        return ""
    if run.day_of_import:
        return " Imported on this day, since the source names none."
    return " Imported." if run.of_other_tool else " Published elsewhere."


def _describe_addition(run: RunSummary, standing: _TablePlace) -> str:
    """Return the effect of an added run in words: its share, the previous share, the rank now."""
    parts: list[str] = []
    now = compute_run_share(run)
    before = compute_run_share(standing.before) if standing.before else None
    if now and before:
        later, earlier = f"{format_percent(now.percent)}%", f"{format_percent(before.percent)}%"
        than = "as of" if later == earlier else f"{earlier} of"
        parts.append(f"{later} of this run passed, {than} the run before")
    if standing.newest and standing.rank is not None:
        rank = f"rank now {standing.rank.words} of {standing.models}"
        parts.append("the only model with a rank" if standing.models == 1 else rank)
    if not parts and standing.before is None:
        parts.append("its first run that counts")
    return ", ".join(parts)


def _describe_remaining(site: SiteData, run: RunSummary) -> str:
    """Return in words how many other runs of a withdrawn run's model and experiment count."""
    leaderboard = site.leaderboards.get(run.version)
    if leaderboard is None:
        return ""
    entry = leaderboard.find(run.slug, run.experiment)
    if entry is None:
        return "no run of it counts now"
    remaining = len(entry.runs)
    return "1 other run counts" if remaining == 1 else f"{remaining} other runs count"


def _describe_outcomes(replaced: Sequence[ReplacedVerdict]) -> str:
    """Return in words how new gradings of a run on a day changed outcomes."""
    return _describe_changed_outcomes(_count_changed_outcomes(replaced))


def _count_changed_outcomes(replaced: Sequence[ReplacedVerdict]) -> Counter[tuple[str, str]]:
    """Return the number of attempts by first and last outcome, of those whose outcome changed."""
    first: dict[tuple[str, int], str] = {}
    last: dict[tuple[str, int], str] = {}
    for verdict in replaced:
        first.setdefault((verdict.eval, verdict.sample), verdict.before)
        last[verdict.eval, verdict.sample] = verdict.after
    return Counter((first[key], last[key]) for key in first if first[key] != last[key])


def _describe_changed_outcomes(turned: Counter[tuple[str, str]]) -> str:
    if not turned:
        return "no result changed"
    return ", ".join(
        f"{number} {before} {_ARROW} {after}" for (before, after), number in turned.most_common()
    )
