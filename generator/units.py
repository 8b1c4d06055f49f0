"""What is made together: pages, with a digest of everything that they are made from.

A unit whose digest is what it was is not made again. A digest may hold more than its pages show,
never less: tests/generator/test_incremental.py edits everything at random and compares what comes
out with a build from nothing.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path

from generator.digests import digest_of, key_of
from generator.errors import SourceChangedError
from generator.exports.badges import badge, badge_path
from generator.exports.featured import first_of_site, newest_entries
from generator.exports.feed import feed, shown
from generator.exports.formats import index_file, line, table_files, wide_file
from generator.exports.rows import TABLES, ExportRow, FailureRow, MatrixRow, RunRow
from generator.exports.sitemap import robots, sitemap
from generator.exports.tables import lines_of, rows_in, rows_of
from generator.read.settings import SiteSettings
from generator.read.summaries import EvalResult, FiledReport, RunSummary
from generator.render.environment import PageContext
from generator.render.templates import FilledPage, Look
from generator.scores.leaderboards import Entry, Leaderboard
from generator.site.archive import archive_page
from generator.site.categories import category_page
from generator.site.changes import changes_page
from generator.site.compare import compare_page
from generator.site.data import SiteData
from generator.site.evals import eval_page, health_page, measures
from generator.site.guidelines import guidelines_page
from generator.site.leaderboard import BOTH, CONDITIONS, table_page
from generator.site.matrix import matrix_page
from generator.site.models import model_page
from generator.site.reports import report_page, reports_page
from generator.site.texts import about_page, empty_pages, missing_page
from generator.site.urls import SITE_CARD, card_path, version_path
from records.reader import parse_markdown, read_bytes

Files = Iterable[tuple[str, bytes]]
"""Paths below the site's root, and what stands there."""


@dataclass(frozen=True, slots=True)
class Unit:
    """Files that are made together."""

    name: str
    key: str
    """Digest of everything that they are made from."""
    make: Callable[[], Files]


def page_units(site: SiteData, look: Look, method: Path) -> Iterator[Unit]:
    """Yield every page but those of runs."""
    yield from _Pages(site, look).all(method)


def file_units(site: SiteData) -> Iterator[Unit]:
    """Yield what machines read, but for the list of all pages."""
    leaderboards = [
        (version, leaderboard.key) for version, leaderboard in site.leaderboards.items()
    ]
    filed: list[object] = [
        (
            one.digest,
            one.slug,
            one.file_name,
            (run := site.runs.get(one.report.run)) and _head(run),
        )
        for one in site.summaries.reports
    ]
    made_of: dict[type[ExportRow], object] = {
        RunRow: [run.digest for run in site.summaries.runs],
        FailureRow: filed,
    }
    for kind in TABLES:
        key = key_of(made_of.get(kind, leaderboards))
        yield Unit(f"table {kind.table}", key, partial(_table, site, kind))
    numbers = {kind: rows_in(site, kind) for kind in TABLES}
    told = key_of([(kind.table, number) for kind, number in numbers.items()])
    yield Unit("tables", told, lambda: [index_file(numbers)])
    newest = [one.digest for one in shown(site)], filed
    settings = site.settings
    said = settings.model_dump_json()
    titles = list(site.titles.items())
    yield Unit("feed", key_of(said, newest, titles), lambda: [("feed.xml", feed(site))])
    front = key_of(settings.title, settings.tagline, first_of_site(site))
    yield Unit("site card", front, partial(_site_card, site))
    for leaderboard, entry in newest_entries(site):
        shows = entry.newest.name, entry.row.score.value, entry.row.score.evals
        interval = entry.row.score.interval
        key = key_of(
            shows, interval.low, interval.high, settings.title, site.titles[leaderboard.version]
        )
        yield Unit(
            f"pictures {entry.newest.slug}", key, partial(_pictures, site, leaderboard, entry)
        )


def sitemap_unit(settings: SiteSettings, files: Iterable[str]) -> Unit:
    """Return the list of all pages among ``files``, and what says where it is."""
    listed = sorted(
        path.removesuffix("index.html")
        for path in files
        if path == "index.html" or path.endswith("/index.html")
    )
    return Unit(
        "sitemap",
        key_of(settings.model_dump_json(), listed),
        lambda: [("sitemap.xml", sitemap(settings, listed)), ("robots.txt", robots(settings))],
    )


def asset_unit(look: Look) -> Unit:
    """Return the style sheet, the script and the pictures."""
    return Unit("assets", key_of(sorted(look.assets.files)), look.assets.files.items)


def _table(site: SiteData, kind: type[ExportRow]) -> Files:
    if kind is MatrixRow:
        rows = rows_of(site, kind)
        yield from table_files(kind, list(map(line, rows)))
        yield wide_file(rows)
    else:
        yield from table_files(kind, lines_of(site, kind))


def _site_card(site: SiteData) -> Files:
    # Imported here as below: what draws is heavy, and cards seldom change.
    from generator.exports.cards import site_card  # noqa: PLC0415

    yield SITE_CARD, site_card(site)


def _pictures(site: SiteData, leaderboard: Leaderboard, entry: Entry) -> Files:
    from generator.exports.cards import card  # noqa: PLC0415

    slug = entry.newest.slug
    yield badge_path(slug), badge(entry)
    yield card_path(slug), card(site, leaderboard, entry)


class _Pages:
    """Units of pages, with the digests that many of them share."""

    def __init__(self, site: SiteData, look: Look) -> None:
        self._material = site
        self._look = look
        self._versions = key_of(
            [(version, site.titles[version]) for version in site.leaderboards], site.front
        )
        self._titles = key_of([(name, one.title) for name, one in site.texts.items()])

    def all(self, method: Path) -> Iterator[Unit]:
        site = self._material
        for leaderboard in site.leaderboards.values():
            yield from self._of_board(leaderboard)
        for slug in sorted(site.by_model):
            yield self._unit("model.html", slug, self._model(slug), partial(model_page, site, slug))
        for name in sorted(site.evals):
            yield self._unit("eval.html", name, self._eval(name), partial(eval_page, site, name))
        yield from self._reports()
        yield self._unit("archive.html", "", self._archive(), partial(archive_page, site))
        changed = [run.digest for run in site.summaries.runs]
        yield self._unit("changes.html", "", changed, partial(changes_page, site))
        prose = digest_of(method.read_bytes()) if method.exists() else None
        about = partial(about_page, site.settings, method)
        yield self._unit("text.html", "about", prose, about)
        yield self._unit("404.html", "", None, missing_page)
        for page in () if site.leaderboards else empty_pages(site):
            yield self._unit("empty.html", page.frame.path, page, lambda page=page: page)

    def _unit(
        self, template: str, name: str, made_of: object, context: Callable[[], PageContext]
    ) -> Unit:
        key = key_of(self._look.key(template), self._versions, made_of)

        def make() -> Files:
            return self._look.files(FilledPage(template, context()))

        return Unit(f"{template} {name}", key, make)

    def _of_board(self, leaderboard: Leaderboard) -> Iterator[Unit]:
        site, version = self._material, leaderboard.version
        key = leaderboard.key, self._titles
        for condition in CONDITIONS:
            make = partial(table_page, site, leaderboard, condition)
            yield self._unit("table.html", f"{version} {condition.below}", key, make)
        if version == site.front:
            # The permanent address of the version that `/` shows for now.
            make = partial(table_page, site, leaderboard, BOTH, path=version_path(version))
            yield self._unit("table.html", f"{version} itself", key, make)
        having = [list(other.categories()) for other in site.leaderboards.values()]
        for category in leaderboard.categories():
            make = partial(category_page, site, leaderboard, category)
            yield self._unit("category.html", f"{version} {category}", (key, having), make)
        yield self._unit("matrix.html", version, key, partial(matrix_page, site, leaderboard))
        yield self._unit("compare.html", version, key, partial(compare_page, site, leaderboard))
        yield self._unit(
            "guidelines.html", version, key, partial(guidelines_page, site, leaderboard)
        )
        yield self._unit("evals.html", version, key, partial(health_page, site, leaderboard))

    def _model(self, slug: str) -> object:
        site = self._material
        own = site.by_model[slug]
        entry = site.summaries.registry.get(slug)
        return (
            [(run.digest, self._filed(run)) for run in own],
            [
                (leaderboard.key, leaderboard.version)
                for leaderboard in site.leaderboards.values()
                if any(one.newest.slug == slug for one in leaderboard.entries)
            ],
            entry.model_dump_json() if entry else None,
        )

    def _eval(self, name: str) -> object:
        site = self._material
        texts = site.texts.get(name)
        having = [
            leaderboard
            for leaderboard in site.leaderboards.values()
            if name in leaderboard.benchmark.evals
        ]
        return (
            texts.digest if texts else None,
            [
                (*one._replace(correlation=None), _told(one.correlation))
                for one in measures(site, name)
            ],
            [leaderboard.version for leaderboard in having],
            self._tried.get(name),
            [self._reported[one.digest] for one in site.reports_by_eval.get(name, ())],
        )

    @cached_property
    def _tried(self) -> dict[str, str]:
        """By eval, a digest of the runs that met it and of how it ended in each."""
        known: dict[int, tuple[str, Mapping[str, str]]] = {}
        found: dict[str, str] = {}
        for name, met in self._material.met.items():
            told: list[str] = []
            for runs in met:
                if id(runs) not in known:
                    known[id(runs)] = _heads(runs), _ended_by_eval(runs)
                head, ended = known[id(runs)]
                told += (head, ended[name])
            found[name] = digest_of("\n".join(told).encode())
        return found

    @cached_property
    def _reported(self) -> dict[str, str]:
        """By its digest, what a report's file and run say of it elsewhere."""
        runs, found = self._material.runs, dict[str, str]()
        for filed in self._material.summaries.reports:
            run = runs.get(filed.report.run)
            found[filed.digest] = key_of(filed.digest, run and (_head(run), self._filed(run)))
        return found

    def _filed(self, run: RunSummary) -> Sequence[str]:
        return [one.digest for one in self._material.reports.get(run.run_id, ())]

    def _reports(self) -> Iterator[Unit]:
        site = self._material
        listed: list[object] = []
        for filed in site.summaries.reports:
            run = site.runs.get(filed.report.run)
            if run is not None:
                made_of = filed.record, run.digest, self._filed(run), site.card(run.slug)
                name = f"{filed.slug} {filed.file_name}"
                make = partial(_report, site, filed, run)
                yield self._unit("report.html", name, made_of, make)
                listed.append((filed.slug, filed.file_name, filed.digest, _head(run)))
        yield self._unit("reports.html", "", listed, partial(reports_page, site))

    def _archive(self) -> object:
        site = self._material
        asked = sorted({(run.version, run.slug, run.baseline) for run in site.summaries.runs})
        number = [len(leaderboard.runs) for leaderboard in site.leaderboards.values()]
        defined = [
            leaderboard.benchmark.model_dump_json() for leaderboard in site.leaderboards.values()
        ]
        return asked, number, defined


def _report(site: SiteData, filed: FiledReport, run: RunSummary) -> PageContext:
    data = read_bytes(filed.path)
    if digest_of(data) != filed.record:
        raise SourceChangedError(filed.path)
    return report_page(site, filed, run, parse_markdown(filed.path, data))


def _told(correlation: float | None) -> str | None:
    """Return as much of a correlation as its page tells: a little of it changes with every run."""
    return None if correlation is None else f"{correlation:.2f}"


def _heads(runs: tuple[RunSummary, ...]) -> str:
    """Return a digest of what an eval's page says of runs beside their results there."""
    kept = [run.artifact is not None and sorted(run.kept) for run in runs]
    return key_of([_head(run) for run in runs], kept)


@lru_cache(maxsize=1 << 8)
def _ended_by_eval(runs: tuple[RunSummary, ...]) -> Mapping[str, str]:
    """Return by eval how it ended in each of ``runs`` that met it: once for all evals."""
    ends = [map(_ended, run.results.values()) for run in runs]
    if len({run.results.plan for run in runs}) == 1:
        by_eval = map("".join, zip(*ends, strict=True))
        return dict(zip(runs[0].results, by_eval, strict=True))
    found: defaultdict[str, str] = defaultdict(str)
    for run, ended in zip(runs, ends, strict=True):
        for name, end in zip(run.results, ended, strict=True):
            found[name] += end
    return found


@lru_cache(maxsize=1 << 12)
def _ended(result: EvalResult) -> str:
    return repr(tuple(result))


@lru_cache(maxsize=1 << 14)
def _head(run: RunSummary) -> str:
    """Return a digest of what lists say of a run beside its results."""
    return key_of(
        run.run_id,
        run.local,
        run.slug,
        run.name,
        run.provider,
        run.baseline,
        run.experiment,
        run.version,
        run.date.isoformat(),
    )
