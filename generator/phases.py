"""The phases of a build that has changes to publish: read, score, gather contexts, render.

This module is separate from `generator.build`, because its imports (records, templates,
statistics) take half a second.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from generator import site_data
from generator.exports.files import Files, export_files, make_page_list
from generator.exports.formats import export_tables
from generator.output_folder import Cache, RenderedFile, Staging
from generator.pages.pair import build_pair_page
from generator.read.prices import read_prices
from generator.read.project_files import ProjectReader
from generator.read.run_summaries import KnownRuns, load_summaries, store_summaries
from generator.read.site_settings import read_settings
from generator.read.suite_texts import read_canary, read_method_text
from generator.read.summaries import FiledReport, RunSummary, Summaries
from generator.render.templates import SharedValues, Templates, get_page_file
from generator.run_pages import RunRenderer
from generator.run_pairs import RunPair
from generator.scores.leaderboards import Leaderboard, build_leaderboards
from generator.site_pages import Gather, list_site_pages
from generator.sources import Inputs, Sources, compute_key
from generator.workers import share_out
from records.text.markdown import list_anchors

_RUNS, _REPORTS = "runs.jsonl", "reports.jsonl"
"""The names of the files with the summaries of records and reports."""


class Phases:
    """The phases of a build, a method for each; values are kept in memory for the next build."""

    def __init__(
        self, sources: Sources, compiled: Path | None = None, reader: ProjectReader | None = None
    ) -> None:
        """Prepare a build.

        Args:
            sources: the folders and settings of the site.
            compiled: the folder for compiled templates; by default they are not kept.
            reader: reads everything except runs; by default a new reader.
        """
        self.sources = sources
        self._compiled = compiled
        self._reader = reader or ProjectReader(sources)
        self._runs = KnownRuns()
        self._leaderboards: dict[str, Leaderboard] = {}
        self._parts: Sequence[site_data.SiteData] = ()

    def load(self, folder: Path, program: str) -> None:
        """Take the summaries of an earlier process from a folder, if it was of this program."""
        self._runs.stored = load_summaries(folder / _RUNS, program, RunSummary)
        self._reader.reports = load_summaries(folder / _REPORTS, program, FiledReport)

    def store(self, folder: Path, program: str) -> None:
        """Put the summaries into a folder for the next process."""
        store_summaries(folder / _RUNS, program, RunSummary, self._runs.stored)
        store_summaries(folder / _REPORTS, program, FiledReport, self._reader.reports)

    def render_ahead(self, inputs: Inputs, wanted: Collection[str]) -> dict[str, bytes]:
        """Return the bytes of the ``wanted`` pages, rendered from the present sources.

        Raises:
            RecordsError, GeneratorError: as for `begin`.
        """
        renderer = self.begin(inputs)
        pages = dict(renderer.render_pages(wanted))
        if {*wanted} <= pages.keys():
            return pages
        site = self.score_runs(renderer.basics, renderer.read_runs())
        # Longest path first: the page of a known path is tried before the pages whose paths are
        # unknown, which are gathered only while a file is still missing.
        for below, gather in sorted(list_site_pages(site), key=lambda page: -len(page.below)):
            if any(file.startswith(below) for file in {*wanted} - pages.keys()):
                page = gather()
                if get_page_file(page) in wanted:
                    pages.setdefault(get_page_file(page), renderer.templates.render(page))
        return pages

    def begin(self, inputs: Inputs) -> RunRenderer:
        """Read everything except runs; return the reader of these, which also renders their pages.

        Raises:
            RecordsError: a record or report is invalid.
            GeneratorError: settings or suite texts cannot be used, or a file changed while it was
                being read.
        """
        sources, reader = self.sources, self._reader
        benchmarks = reader.load_benchmarks(inputs)
        suite_files = inputs.select_files_below(sources.evals)
        benchmark_names = (
            None if suite_files or inputs.suites else site_data.name_other_benchmarks(benchmarks)
        )
        has_evals = any(path.endswith("/eval.toml") for path in suite_files)
        only_imports = benchmark_names is not None
        methods = sources.methods_of_others if only_imports else (sources.method,)
        method = read_method_text(next(filter(Path.is_file, methods), methods[0]))

        def read_templates() -> Templates:
            settings = read_settings(
                sources.settings_folder,
                address=sources.address,
                repository=sources.repository,
                others=benchmark_names,
                is_own=sources.texts is not None,
            )
            shared = SharedValues(
                canary=read_canary(sources.evals, has_evals=has_evals),
                twins=sources.for_programs,
                only_imports=only_imports,
                method=tuple(sorted(list_anchors(method))),
            )
            return Templates(
                sources.templates,
                self._compiled,
                settings,
                shared,
                steady_assets=sources.steady_assets,
            )

        read_files = {
            file: stamp
            for path in (
                sources.templates,
                sources.settings_folder / "site.toml",
                sources.evals / "suite.toml",
                *(sources.method, *sources.methods_of_others),
            )
            for file, stamp in inputs.select_files_below(path).items()
        }
        templates = reader.read_once(
            "templates", (read_files, benchmark_names, has_evals), read_templates
        )
        registry = reader.load_registry(inputs)
        self._runs.names = {model.slug: (model.name, model.provider) for model in registry.values()}
        basics = site_data.SiteBasics(
            summaries=Summaries(
                benchmarks=benchmarks,
                runs=[],
                reports=site_data.sort_reports(reader.load_reports(inputs)),
                registry=registry,
                trials=reader.load_trials(inputs),
                audits=reader.load_audits(inputs),
                prices=read_prices(),
            ),
            settings=templates.settings,
            canary=templates.canary,
            only_imports=only_imports,
            for_programs=sources.for_programs,
            method=method,
            texts=reader.load_texts(inputs),
            guidelines=reader.load_guidelines(inputs),
            recorded=frozenset(Path(path).stem for path in inputs.runs),
        )
        return RunRenderer(sources, inputs, basics, templates, self._runs)

    def score_runs(
        self, basics: site_data.SiteBasics, runs: Sequence[RunSummary]
    ) -> site_data.SiteData:
        """Return the data of all pages with these runs; only changed leaderboards are computed."""
        summaries = replace(basics.summaries, runs=runs)
        self._leaderboards = build_leaderboards(summaries, basics.texts, self._leaderboards)
        site = site_data.build_site_data(basics, summaries, self._leaderboards)
        levels = site_data.build_level_boards(site, self._parts)
        chosen = site_data.build_site_parts(site, self._parts) if self.sources.local else []
        self._parts = (*levels, *chosen)
        return replace(site, parts=self._parts)

    def render(
        self,
        templates: Templates,
        site: site_data.SiteData,
        before: Cache,
        staging: Staging,
        of_runs: Sequence[RenderedFile],
    ) -> list[RenderedFile]:
        """Gather and render all pages except those ``of_runs``; make the files for machines."""
        for leaderboard in site.leaderboards.values():
            # Here, before the workers fork: else each worker that shows them would compute all.
            _ = leaderboard.pairs, [effect.smallest_effect for effect in leaderboard.effects]

        def put_page(gather: Gather) -> list[RenderedFile]:
            staging.check()
            return [staging.put(*file) for file in templates.render_files(gather())]

        def put_pair(pair: RunPair) -> list[RenderedFile]:
            """Render the page of two runs; read their records only if the cached page is stale."""
            versions = sorted({run.version for run in pair})
            benchmarks = [site.summaries.benchmarks.get(version) for version in versions]
            path = f"{pair.path}index.html"
            key = compute_key(
                templates.compute_template_digest("pages/pair.html"),
                [benchmark and benchmark.model_dump_json() for benchmark in benchmarks],
                [site.compute_version_digest(version) for version in versions],
                [(run.digest, run.archive_digest) for run in pair],
                [(run.local, run.name, run.provider) for run in pair],
                [[filed.digest for filed in site.reports.get(run.run_id, ())] for run in pair],
            )
            if (kept := before.find_page(path, key)) is not None:
                return [kept]
            page = build_pair_page(site, self.sources.folders, pair)
            return [staging.put(path, templates.render(page), key)]

        def put_files(make: Callable[[], Files]) -> list[RenderedFile]:
            return [staging.put(path, data) for path, data in make()]

        jobs: list[Callable[[], list[RenderedFile]]] = [
            *(partial(put_page, page.gather) for page in list_site_pages(site)),
            *(partial(put_pair, pair) for pair in site.pairs.values()),
            *(partial(put_files, make) for make in export_files(site)),
            partial(put_files, templates.assets.files.items),
        ]
        rendered: list[RenderedFile] = []
        for files in share_out(lambda job: job(), jobs, runs=len(site.summaries.runs)):
            rendered += files
        # Here, after the workers have ended: pandas and the rows of tables take 50 MB, which would
        # be added to the memory of the workers.
        rendered += put_files(partial(export_tables, site))
        paths = [file.path for file in (*of_runs, *rendered)]
        return [*rendered, *put_files(partial(make_page_list, site, paths))]
