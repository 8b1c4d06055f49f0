"""The log of changes: runs added, graded again, corrected or withdrawn; versions minted."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import partial
from itertools import groupby

from generator import site_links
from generator.blocks.attributions import find_attribution
from generator.blocks.run_lines import (
    build_run_line,
    describe_replaced_verdicts,
    group_regradings,
)
from generator.blocks.shares import compute_run_share
from generator.read.summaries import ReplacedVerdict, RunSummary
from generator.render.template_filters import format_percent
from generator.render.templates import PageContext, Row
from generator.scores.leaderboards import Entry
from generator.site_data import SiteData
from records.grouping import group_values
from records.shapes.attempt import Outcome
from records.suites.experiments import is_of_a_trial
from records.text.numbers import format_count

_ARROW = "\N{RIGHTWARDS ARROW}"

_WAYS = {
    "Added": "added",
    "Removed": "removed",
    "Another task": "with a changed task",
    "Another grader": "with a changed grader",
    "Other settings": "with other settings",
}
"""The words after a number of evals, by the heading of changed evals."""


def build_changes_page(site: SiteData) -> PageContext:
    """Return the log, newest first; changes whose day is not recorded are last.

    Runs of baselines are left out, because they prove nothing about models, and runs of trials of
    the guidelines, because no table has them.
    """
    runs = site.summaries.runs
    editions = sum(is_of_a_trial(run.experiment) for run in runs)
    listed = [run for run in runs if not is_of_a_trial(run.experiment) and not run.baseline]
    changes = [change for run in listed for change in _build_run_changes(site, run)]
    changes += [*_build_version_news(site), *_build_baseline_gradings(site)]
    imported = sum(run.source is not None for run in listed)
    by_day: dict[date | None, list[Row]] = group_values((row.date, row) for row in changes)
    known = sorted((day for day in by_day if day is not None), reverse=True)
    months: list[Row] = []
    for title, group in groupby(
        [day for day in (*known, None) if day in by_day],
        key=lambda day: site_links.format_month(day) if day else "Day not recorded",
    ):
        days = [Row(date=day, changes=by_day[day]) for day in group]
        kinds = Counter(change.kind for day in days for change in day.changes)
        months.append(Row(title=title, kinds=kinds.most_common(), days=days))
    return PageContext(
        "pages/changes.html",
        "Changes",
        "changes/",
        "What was added to the tables, graded again, corrected or withdrawn, and what it did.",
        "changes",
        months=months,
        arrows=any(_ARROW in change.did for change in changes),
        imported=imported,
        own=len(listed) - imported,
        baselines=len(runs) - len(listed) - editions,
        editions=editions,
    )


def _build_version_news(site: SiteData) -> Iterator[Row]:
    """Yield a change for each benchmark version with a known day of minting, the latest first."""
    differing = {change.version: change for change in _build_version_changes(site)}
    for version, leaderboard in sorted(
        site.leaderboards.items(), key=lambda item: str(item[1].benchmark.minted_at), reverse=True
    ):
        minted, change = leaderboard.benchmark.minted_at, differing[version]
        if minted is None:
            continue
        models = leaderboard.count_models()
        table = f"{format_count(models, 'model') if models else 'no model'} in its table now"
        evals = [
            f"{format_count(len(group.evals), 'eval')} {_WAYS[group.heading]}"
            for group in change.evals
        ]
        other = [part for part in change.parts if part.startswith("changed")]
        first = "the first version of our own"
        replaced = first if change.before is None else f"follows {change.before}"
        yield Row(
            date=minted.date(),
            kind="new version",
            about=site_links.Link(site.build_version_href(version), site.titles[version]),
            run_id="",
            href=f"benchmarks/#{version}",
            text=f"Version {version}, {format_count(len(leaderboard.list_eval_names()), 'eval')}.",
            did="; ".join(filter(None, [replaced, ", ".join([*evals, *other]), table])),
        )


def _build_baseline_gradings(site: SiteData) -> Iterator[Row]:
    """Yield a change for each day on which runs of baselines were graded again."""
    days = group_values(
        regrading
        for run in site.summaries.runs
        if run.baseline and not is_of_a_trial(run.experiment)
        for regrading in group_regradings(run)
    )
    for day, runs in days.items():
        turned = Counter[tuple[str, str]]()
        attempts = 0
        for replaced in runs:
            turned.update(_count_changed_outcomes(replaced))
            attempts += len({(verdict.eval, verdict.sample) for verdict in replaced})
        yield Row(
            date=day,
            kind="re-graded",
            about=site_links.Link("errata/", "Baselines"),
            run_id="",
            href="errata/",
            text=f"{format_count(len(runs), 'run')} of baselines, {attempts} stored answers.",
            did=_describe_changed_outcomes(turned),
        )


def _build_run_changes(site: SiteData, run: RunSummary) -> Iterator[Row]:
    """Yield the changes of a run, the latest first.

    The day is None for publishers' corrections and for early withdrawals, because records do not
    have it.
    """

    def build_change(when: date | None, kind: str, text: str, did: str) -> Row:
        return Row(
            date=when.date() if isinstance(when, datetime) else when,
            kind=kind,
            about=site_links.Link(site_links.build_model_path(run.slug), run.name),
            run_id=run.run_id,
            href=site_links.build_run_path(run.run_id),
            text=text,
            did=did,
        )

    leaderboard = site.leaderboards.get(run.version)
    entry = leaderboard and leaderboard.find(run.slug, run.experiment)
    if run.head.withdrawn is not None:
        remaining = len(entry.runs) if entry else 0
        did = "1 other run counts" if remaining == 1 else f"{remaining} other runs count"
        did = did if remaining else "no run of it counts now" if leaderboard else ""
        yield build_change(run.head.withdrawn.at, "withdrawn", run.head.withdrawn.reason, did)
    for undone in reversed(run.head.undone_withdrawals):
        yield build_change(undone.undone_at, "reinstated", undone.undone_because, "")
        yield build_change(undone.at, "withdrawn", undone.reason, "taken back since")
    if run.corrected_passed is not None:
        text = f"Its publisher counts {run.corrected_passed} passes after mending graders."
        did = f"the score here stays that of {run.tally.passed} passes"
        yield build_change(None, "publisher's correction", text, did)
    for day, replaced in group_regradings(run):
        did = _describe_changed_outcomes(_count_changed_outcomes(replaced))
        yield build_change(day, "re-graded", describe_replaced_verdicts(replaced), did)
    share = compute_run_share(run)
    score = f"{share.passes} of {share.judged} passed" if share else "nothing judged"
    origin = ""
    if run.source is not None:
        origin = " Imported." if run.of_other_tool else " Published elsewhere."
    if run.head.day_of_import:
        origin = " Imported on this day, since the source names none."
    condition = site_links.describe_run_condition(run)
    text = f"{condition}, {site.find_version_title(run.version)}: {score}.{origin}"
    counts = entry is not None and run.run_id in {each.run_id for each in entry.runs}
    did = _describe_addition(site, run, entry) if entry and counts else "in no table"
    yield build_change(run.date, "added", text, did)


def _describe_addition(site: SiteData, run: RunSummary, entry: Entry) -> str:
    """Return the effect of an added run in words: its share, the previous share, the rank now."""
    parts: list[str] = []
    at = [each.run_id for each in entry.runs].index(run.run_id)
    before = entry.runs[at + 1] if at + 1 < len(entry.runs) else None
    now, previous = compute_run_share(run), compute_run_share(before) if before else None
    if now and previous:
        later, earlier = f"{format_percent(now.percent)}%", f"{format_percent(previous.percent)}%"
        than = "as of" if later == earlier else f"{earlier} of"
        parts.append(f"{later} of this run passed, {than} the run before")
    if at == 0 and entry.row.rank is not None:
        models = len(site.leaderboards[run.version].select_models(run.experiment))
        rank = f"rank now {entry.row.rank.words} of {models}"
        parts.append("the only model with a rank" if models == 1 else rank)
    if not parts and before is None:
        parts.append("its first run that counts")
    return ", ".join(parts)


def _count_changed_outcomes(replaced: Sequence[ReplacedVerdict]) -> Counter[tuple[str, str]]:
    """Return the number of attempts by first and last outcome, of those whose outcome changed."""
    first: dict[tuple[str, int], str] = {}
    last: dict[tuple[str, int], str] = {}
    for verdict in replaced:
        first.setdefault((verdict.eval, verdict.sample), verdict.before)
        last[verdict.eval, verdict.sample] = verdict.after
    return Counter((first[key], last[key]) for key in first if first[key] != last[key])


def _describe_changed_outcomes(turned: Mapping[tuple[str, str], int]) -> str:
    """Return the changed outcomes in words, the most frequent first."""
    by_frequency = sorted(turned.items(), key=lambda item: -item[1])
    return (
        ", ".join(f"{number} {before} {_ARROW} {after}" for (before, after), number in by_frequency)
        or "no result changed"
    )


def build_errata_page(site: SiteData) -> PageContext:
    """Return the errata, newest first.

    A verdict that stayed the same is left out, unless the grader changed.
    """
    # By eval, digest of the grader, causes and reason.
    by_key = group_values(
        ((verdict.eval, verdict.grader, verdict.causes, verdict.why), (run, verdict))
        for run in site.summaries.runs
        for verdict in run.regraded
        if "grader" in verdict.causes or verdict.before != verdict.after
    )
    errata: list[Row] = []
    # Numbered from the oldest, so that anchors stay the same when an erratum is added.
    numbers = Counter[str]()
    for (name, _, causes, why), verdicts in sorted(
        by_key.items(), key=lambda item: (min(verdict.date for _, verdict in item[1]), item[0])
    ):
        numbers[name] += 1
        replaced = [verdict for _, verdict in verdicts]
        by_run = group_values((run.run_id, verdict) for run, verdict in verdicts)
        moved = [_build_moved_run(site, site.runs[run_id], of) for run_id, of in by_run.items()]
        errata.append(
            Row(
                anchor=f"{site_links.build_attempt_anchor(name, 1)}-{numbers[name]}",
                eval=site.link_eval(name),
                date=max(verdict.date for verdict in replaced),
                causes=causes,
                why=why,
                changed=sum(verdict.before != verdict.after for verdict in replaced),
                verdicts=len(replaced),
                runs=sorted(
                    moved,
                    key=lambda row: (-abs(row.points or 0), row.line.run.name, row.line.run.run_id),
                ),
            )
        )
    return PageContext(
        "pages/errata.html",
        "Errata",
        "errata/",
        "Evals whose grading was mended, the verdicts that changed, and what that moved.",
        "errata",
        basics=site,
        errata=errata[::-1],
    )


def _build_moved_run(site: SiteData, run: RunSummary, verdicts: Sequence[ReplacedVerdict]) -> Row:
    """Return the effect of new verdicts at an eval on a run.

    The points are those by which its score changed; None if an attempt had or has no verdict.
    """
    name = verdicts[0].eval
    result = run.results[name]
    find = partial(find_attribution, site, run.run_id, name, mended=True)
    about = (find(verdict.sample) for verdict in verdicts)
    before = Counter(each.before for each in verdicts)
    after = Counter(each.after for each in verdicts)
    passes = after[Outcome.PASSED] - before[Outcome.PASSED]
    is_known = Outcome.INFRASTRUCTURE not in before + after
    return Row(
        line=build_run_line(site, run),
        verdicts=verdicts,
        attribution=next(filter(None, about), None) or find(),
        points=100 * passes / result.judged / run.tally.evals_judged if is_known else None,
    )


def _build_version_changes(site: SiteData) -> list[Row]:
    """Return the changes of each version from the previous version of the same source.

    The source of a benchmark of another tool has the benchmark's name, too.
    """
    benchmarks = [leaderboard.benchmark for leaderboard in site.leaderboards.values()]
    origins = [(each.source, each.imported and each.imported.name) for each in benchmarks]
    changes: list[Row] = []
    for at, benchmark in enumerate(benchmarks):
        older = [number for number in range(at + 1, len(origins)) if origins[number] == origins[at]]
        before = benchmarks[older[0]] if older else None
        change = Row(
            version=benchmark.version,
            title=site.titles[benchmark.version],
            names_only=not any(each.task or each.grader for each in benchmark.evals.values()),
            before=before and site.titles[before.version],
            parts=[],
            evals=[],
        )
        changes.append(change)
        if before is None:
            continue
        for part, new, old in (
            ("system prompt", benchmark.system_prompt, before.system_prompt),
            ("guidelines", benchmark.guidelines, before.guidelines),
            ("grading protocol", benchmark.protocol, before.protocol),
        ):
            if new is not None and old is not None:
                change.parts.append(f"{'the same' if new == old else 'changed'} {part}")
        now, then = benchmark.evals, before.evals
        ways = {"Added": now.keys() - then.keys(), "Removed": then.keys() - now.keys()}
        fields = {"Another task": "task", "Another grader": "grader", "Other settings": "config"}
        for heading, field in fields.items():
            pairs = {
                name: {getattr(now[name], field), getattr(then[name], field)}
                for name in now.keys() & then.keys()
            }
            ways[heading] = {
                name for name, both in pairs.items() if None not in both and len(both) > 1
            }
        for heading, names in ways.items():
            if names:
                links = list(map(site.link_eval, sorted(names)))
                change.evals.append(Row(heading=heading, evals=links))
    return changes


def build_benchmarks_page(site: SiteData) -> PageContext:
    """Return the list of benchmark versions, newest first."""
    return PageContext(
        "pages/benchmarks.html",
        "Benchmark versions",
        "benchmarks/",
        "Every version of the benchmark. Scores are comparable within one version only.",
        "benchmarks",
        basics=site,
        boards=[*site.leaderboards.values()],
        guidelines_tokens={
            version: site.find_guidelines_tokens(board.benchmark)
            for version, board in site.leaderboards.items()
        },
        changes=_build_version_changes(site),
    )
