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

from generator.corpus import EvalResult, FiledReport, RunSummary
from generator.downloads.badges import badge, badge_path
from generator.downloads.feed import feed, shown
from generator.downloads.formats import index_file, line, table_files, wide_file
from generator.downloads.pictured import first_of_site, newest_standings
from generator.downloads.rows import TABLES, FailureRow, MatrixRow, Row, RunRow
from generator.downloads.sitemap import robots, sitemap
from generator.downloads.tables import lines_of, rows_in, rows_of
from generator.errors import SourceChangedError
from generator.keys import digest_of, key_of
from generator.look import Look, Page
from generator.pages.archive import archive_page
from generator.pages.boards import Board, Standing
from generator.pages.categories import category_page
from generator.pages.changes import changes_page
from generator.pages.compare import compare_page
from generator.pages.evals import eval_page, health_page, measures
from generator.pages.guidelines import guidelines_page
from generator.pages.material import Material
from generator.pages.matrix import matrix_page
from generator.pages.models import model_page
from generator.pages.names import SITE_CARD, card_path, version_path
from generator.pages.reports import report_page, reports_page
from generator.pages.table import BOTH, CONDITIONS, table_page
from generator.pages.texts import about_page, empty_pages, missing_page
from generator.render import PageContext
from generator.settings import SiteSettings
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


def page_units(material: Material, look: Look, method: Path) -> Iterator[Unit]:
    """Yield every page but those of runs."""
    yield from _Pages(material, look).all(method)


def file_units(material: Material) -> Iterator[Unit]:
    """Yield what machines read, but for the list of all pages."""
    boards = [(version, board.key) for version, board in material.boards.items()]
    filed: list[object] = [
        (
            one.digest,
            one.slug,
            one.file_name,
            (run := material.runs.get(one.report.run)) and _head(run),
        )
        for one in material.corpus.reports
    ]
    made_of: dict[type[Row], object] = {
        RunRow: [run.digest for run in material.corpus.runs],
        FailureRow: filed,
    }
    for kind in TABLES:
        key = key_of(made_of.get(kind, boards))
        yield Unit(f"table {kind.table}", key, partial(_table, material, kind))
    numbers = {kind: rows_in(material, kind) for kind in TABLES}
    told = key_of([(kind.table, number) for kind, number in numbers.items()])
    yield Unit("tables", told, lambda: [index_file(numbers)])
    newest = [one.digest for one in shown(material)], filed
    settings = material.settings
    site = settings.model_dump_json()
    titles = list(material.titles.items())
    yield Unit("feed", key_of(site, newest, titles), lambda: [("feed.xml", feed(material))])
    front = key_of(settings.title, settings.tagline, first_of_site(material))
    yield Unit("site card", front, partial(_site_card, material))
    for board, standing in newest_standings(material):
        shows = standing.newest.name, standing.row.score.value, standing.row.score.evals
        interval = standing.row.score.interval
        key = key_of(
            shows, interval.low, interval.high, settings.title, material.titles[board.version]
        )
        yield Unit(
            f"pictures {standing.newest.slug}", key, partial(_pictures, material, board, standing)
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


def _table(material: Material, kind: type[Row]) -> Files:
    if kind is MatrixRow:
        rows = rows_of(material, kind)
        yield from table_files(kind, list(map(line, rows)))
        yield wide_file(rows)
    else:
        yield from table_files(kind, lines_of(material, kind))


def _site_card(material: Material) -> Files:
    # Imported here as below: what draws is heavy, and cards seldom change.
    from generator.downloads.cards import site_card  # noqa: PLC0415

    yield SITE_CARD, site_card(material)


def _pictures(material: Material, board: Board, standing: Standing) -> Files:
    from generator.downloads.cards import card  # noqa: PLC0415

    slug = standing.newest.slug
    yield badge_path(slug), badge(standing)
    yield card_path(slug), card(material, board, standing)


class _Pages:
    """Units of pages, with the digests that many of them share."""

    def __init__(self, material: Material, look: Look) -> None:
        self._material = material
        self._look = look
        self._versions = key_of(
            [(version, material.titles[version]) for version in material.boards], material.front
        )
        self._titles = key_of([(name, one.title) for name, one in material.texts.items()])

    def all(self, method: Path) -> Iterator[Unit]:
        material = self._material
        for board in material.boards.values():
            yield from self._of_board(board)
        for slug in sorted(material.by_model):
            yield self._unit(
                "model.html", slug, self._model(slug), partial(model_page, material, slug)
            )
        for name in sorted(material.evals):
            yield self._unit(
                "eval.html", name, self._eval(name), partial(eval_page, material, name)
            )
        yield from self._reports()
        yield self._unit("archive.html", "", self._archive(), partial(archive_page, material))
        changed = [run.digest for run in material.corpus.runs]
        yield self._unit("changes.html", "", changed, partial(changes_page, material))
        prose = digest_of(method.read_bytes()) if method.exists() else None
        about = partial(about_page, material.settings, method)
        yield self._unit("text.html", "about", prose, about)
        yield self._unit("404.html", "", None, missing_page)
        for page in () if material.boards else empty_pages(material):
            yield self._unit("empty.html", page.frame.path, page, lambda page=page: page)

    def _unit(
        self, template: str, name: str, made_of: object, context: Callable[[], PageContext]
    ) -> Unit:
        key = key_of(self._look.key(template), self._versions, made_of)

        def make() -> Files:
            return self._look.files(Page(template, context()))

        return Unit(f"{template} {name}", key, make)

    def _of_board(self, board: Board) -> Iterator[Unit]:
        material, version = self._material, board.version
        key = board.key, self._titles
        for condition in CONDITIONS:
            make = partial(table_page, material, board, condition)
            yield self._unit("table.html", f"{version} {condition.below}", key, make)
        if version == material.front:
            # The permanent address of the version that `/` shows for now.
            make = partial(table_page, material, board, BOTH, path=version_path(version))
            yield self._unit("table.html", f"{version} itself", key, make)
        having = [list(other.categories()) for other in material.boards.values()]
        for category in board.categories():
            make = partial(category_page, material, board, category)
            yield self._unit("category.html", f"{version} {category}", (key, having), make)
        yield self._unit("matrix.html", version, key, partial(matrix_page, material, board))
        yield self._unit("compare.html", version, key, partial(compare_page, material, board))
        yield self._unit("guidelines.html", version, key, partial(guidelines_page, material, board))
        yield self._unit("evals.html", version, key, partial(health_page, material, board))

    def _model(self, slug: str) -> object:
        material = self._material
        own = material.by_model[slug]
        entry = material.corpus.registry.get(slug)
        return (
            [(run.digest, self._filed(run)) for run in own],
            [
                (board.key, board.version)
                for board in material.boards.values()
                if any(one.newest.slug == slug for one in board.standings)
            ],
            entry.model_dump_json() if entry else None,
        )

    def _eval(self, name: str) -> object:
        material = self._material
        texts = material.texts.get(name)
        having = [board for board in material.boards.values() if name in board.benchmark.evals]
        return (
            texts.digest if texts else None,
            [
                (*one._replace(correlation=None), _told(one.correlation))
                for one in measures(material, name)
            ],
            [board.version for board in having],
            self._tried.get(name),
            [self._reported[one.digest] for one in material.blaming.get(name, ())],
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
        for filed in self._material.corpus.reports:
            run = runs.get(filed.report.run)
            found[filed.digest] = key_of(filed.digest, run and (_head(run), self._filed(run)))
        return found

    def _filed(self, run: RunSummary) -> Sequence[str]:
        return [one.digest for one in self._material.reports.get(run.run_id, ())]

    def _reports(self) -> Iterator[Unit]:
        material = self._material
        listed: list[object] = []
        for filed in material.corpus.reports:
            run = material.runs.get(filed.report.run)
            if run is not None:
                made_of = filed.record, run.digest, self._filed(run), material.card(run.slug)
                name = f"{filed.slug} {filed.file_name}"
                make = partial(_report, material, filed, run)
                yield self._unit("report.html", name, made_of, make)
                listed.append((filed.slug, filed.file_name, filed.digest, _head(run)))
        yield self._unit("reports.html", "", listed, partial(reports_page, material))

    def _archive(self) -> object:
        material = self._material
        asked = sorted({(run.version, run.slug, run.baseline) for run in material.corpus.runs})
        number = [len(board.runs) for board in material.boards.values()]
        defined = [board.benchmark.model_dump_json() for board in material.boards.values()]
        return asked, number, defined


def _report(material: Material, filed: FiledReport, run: RunSummary) -> PageContext:
    data = read_bytes(filed.path)
    if digest_of(data) != filed.record:
        raise SourceChangedError(filed.path)
    return report_page(material, filed, run, parse_markdown(filed.path, data))


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
