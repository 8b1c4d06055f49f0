"""Benchmark versions: their heads, the choice among them, and models that only others measured."""

from collections.abc import Sequence

from generator import site_links
from generator.blocks.run_lines import link_model
from generator.render.templates import Row
from generator.scores.leaderboards import Entry, Leaderboard
from generator.site_data import SiteData
from records.suites.benchmark import Benchmark
from records.suites.experiments import DEFAULT, NO_GUIDELINES, is_of_a_trial


def build_version_head(site: SiteData, leaderboard: Leaderboard, below: str) -> Row:
    """Return the head of a version's page; ``below`` is the page's path below the version's."""
    evals = leaderboard.benchmark.evals.values()
    is_fixed = {
        "tasks": all(digests.task for digests in evals),
        "graders": all(digests.grader for digests in evals),
        "prompt": leaderboard.benchmark.system_prompt is not None,
        "guidelines": leaderboard.benchmark.guidelines is not None
        or leaderboard.benchmark.imported is not None,
    }
    unknown = [part for part, fixed in is_fixed.items() if not fixed]
    return Row(
        version=leaderboard.version,
        title=site.titles[leaderboard.version],
        source=leaderboard.benchmark.source,
        publisher=site.settings.find_publisher(leaderboard.benchmark.source),
        tool=imported.format.tool if (imported := leaderboard.benchmark.imported) else None,
        evals=len(leaderboard.scored.evals),
        beside=[site.link_eval(name) for name in leaderboard.scored.beside],
        switch=site.build_switch(below, leaderboard.version),
        unfixed=site_links.list_in_prose(unknown) if unknown else "",
    )


def build_versions(site: SiteData, current: str, below: str) -> Row:
    """Return the choice of versions on a page of the version ``current``.

    ``below`` is the page's path below the version's.
    """
    offered = site.list_offered_versions(current)
    near = {version for version in (site.front, site.own_version) if version in offered} - {current}
    choices = {version: _describe_choice(site, version, below) for version in offered}
    entries = site.leaderboards[current].select_models()
    return Row(
        current=choices[current],
        why=_explain_front(site, current) if current == site.front else "",
        latest=max(
            (entry.newest.date for entry in entries if not entry.newest.head.day_of_import),
            default=None,
        ),
        near=[choices[offer] for offer in offered if offer in near],
        others=[choices[offer] for offer in offered if offer not in near and offer != current],
    )


_VIEWS = {
    "": "Scores",
    "with-guidelines/": "With guidelines",
    "without-guidelines/": "Without guidelines",
    "#categories": "Categories",
    "mistakes/": "Mistakes",
    "matrix/": "Matrix",
    "compare/": "Compare",
}
"""The views of a version by their path below its folder."""


def build_views(site: SiteData, leaderboard: Leaderboard, below: str) -> list[site_links.Link]:
    """Return the links between the views of a version; ``below`` is the path of the current one."""
    folder = site.find_version_folder(leaderboard.version)
    return [
        site_links.Link(folder + view, label, current=view == below)
        for view, label in _VIEWS.items()
        # Without guidelines there is one condition; matrix and comparison are over all evals.
        if not (leaderboard.is_of_other_tool and "guidelines" in view)
        and not (site.folder and view in {"mistakes/", "matrix/", "compare/"})
    ]


def list_other_benchmarks(site: SiteData, current: str) -> list[Row]:
    """Return the benchmarks of other tools, for the front page; none if it shows the only one."""
    versions = [version for version, board in site.leaderboards.items() if board.is_of_other_tool]
    alternatives = [version for version in versions if version != current]
    return [_describe_choice(site, version, "") for version in versions] if alternatives else []


def find_guidelines_tokens(site: SiteData, benchmark: Benchmark) -> int | None:
    """Return the tokens of a version's guidelines; None if nobody counted exactly this text."""
    text = site.guidelines
    if benchmark.guidelines_tokens is None and text is not None and text.tokens is not None:
        return text.tokens.tokens if text.digest == benchmark.guidelines else None
    return benchmark.guidelines_tokens


def describe_graded_again(site: SiteData, benchmark: Benchmark) -> str:
    """Return a sentence on runs older than their version, graded again for it; empty for none."""
    if benchmark.minted_at is None:
        return ""
    minted = benchmark.minted_at.date()
    days = [
        run.date
        for run in site.summaries.runs
        if run.version == benchmark.version and run.regraded and run.date < minted
    ]
    if not days:
        return ""
    span = f"{min(days)}" if min(days) == max(days) else f"{min(days)} to {max(days)}"
    runs = "1 run is" if len(days) == 1 else f"{len(days)} runs are"
    return (
        f"{runs} older ({span}) than this version of the suite ({minted}): the stored answers"
        " were graded again by its graders, and no model was asked again."
    )


def list_elsewhere(site: SiteData, here: Leaderboard) -> list[Row]:
    """Return every model without a row in ``here``: newest versions first, unscored models last.

    Benchmarks of other tools are left out, because their scores have nothing in common with others.
    """
    if here.is_of_other_tool:
        return []
    seen = {entry.newest.slug for entry in (*here.select_models(), *here.unranked)}
    rows: list[Row] = []
    boards = [board for board in site.leaderboards.values() if not board.is_of_other_tool]
    for board, entry in ((each, entry) for each in boards for entry in each.select_models()):
        newest = entry.newest
        if newest.slug not in seen and board is not here:
            seen.add(newest.slug)
            usual = newest.experiment == DEFAULT
            condition = "" if usual else f", {site_links.describe_experiment(newest.experiment)}"
            where = site.link_board(board.version)
            rows.append(
                Row(
                    model=link_model(newest),
                    where=where._replace(label=f"{where.label}{condition}"),
                    score=entry.row.score,
                )
            )
    for slug, runs in site.by_model.items():
        ordinary = [
            run for run in runs if not is_of_a_trial(run.experiment) and not run.of_other_tool
        ]
        if slug not in seen and ordinary and not ordinary[0].baseline:
            newest = ordinary[0]
            where = site_links.Link(site.build_version_href(newest.version), "no score yet")
            rows.append(Row(model=link_model(newest), where=where, score=None))
    return rows


def _describe_choice(site: SiteData, version: str, below: str) -> Row:
    """Return a version that a reader can choose, with its publisher and month."""
    leaderboard = site.leaderboards[version]
    benchmark = leaderboard.benchmark
    days = [run.date for run in site.summaries.runs if run.version == version]
    day = benchmark.minted_at.date() if benchmark.minted_at else max(days, default=None)
    publisher = site.settings.find_publisher(benchmark.source)
    origin = "own suite" if publisher is None else f"published by {publisher}"
    if benchmark.imported is not None:
        origin = f"imported from {benchmark.imported.format.tool}"
    if day is not None:
        origin += f", {site_links.format_month(day)}"
    if benchmark.imported is None and benchmark.minted_at and version != site.own_version:
        origin += ", replaced since"
    entries = leaderboard.select_models()
    having = {entry.newest.slug for entry in entries if entry.newest.experiment != NO_GUIDELINES}
    models = leaderboard.count_models()
    return Row(
        href=site.find_version_folder(version) + below,
        title=site.titles[version],
        origin=origin,
        models=models,
        bare=models - len(having),
    )


def _explain_front(site: SiteData, current: str) -> str:
    """Return a sentence on why the version ``current`` is shown first."""
    if site.settings.current_version == current:
        return "The maintainers chose this version to be shown first."
    choice = site.chosen
    if choice is None or choice.ranked == 0:
        usual = " with the guidelines" if site.settings.guidelines else ""
        return f"No model is ranked{usual} yet; this is the newest version."
    if choice.minted_at is not None:
        which = "" if current == site.own_version else " with a ranked model"
        return f"This table is shown first: the newest version of this site's own suite{which}."
    return "This table is shown first: no other table of its kind ranks more models."


def list_entries_of_model(site: SiteData, slug: str) -> list[Entry]:
    """Return the entries of a model or baseline, newest version first, there with guidelines."""
    entries = (entry for board in site.leaderboards.values() for entry in board.entries)
    return [entry for entry in entries if entry.newest.slug == slug]


def choose_usual_entry(entries: Sequence[Entry]) -> Entry | None:
    """Return the first of ``entries`` with guidelines, else the first; None without entries."""
    usual = [entry for entry in entries if entry.newest.experiment == DEFAULT]
    return next(iter([*usual, *entries]), None)


def build_version_changes(site: SiteData) -> list[Row]:
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
