"""The pages of runs and attempts: changed records are read, and their pages rendered at once.

Most pages of a site are of this kind. No build holds the records of all runs in memory; other
pages are made from summaries of the records.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import file_digest, sha256
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from generator.cache import Cache, CachedFile
from generator.errors import SourceChangedError
from generator.facts.site_data import SiteBasics
from generator.facts.urls import TWIN, build_run_path
from generator.output_folder import RenderedFile, Staging
from generator.pages.attempts import AttemptTexts, build_attempts_page
from generator.pages.run import build_run_page
from generator.read.project_files import read_source
from generator.read.run_summaries import RecordsFolder, RunSummaries, format_run_text, name_plan
from generator.read.summaries import RunSummary, get_category_key, sort_newest_first
from generator.render.environment import PageContext
from generator.render.templates import Templates, get_page_file
from generator.sources import Inputs, Sources, Stamp, stamp_of
from generator.stale_pages import RunKeys, parse_category
from generator.workers import share_out
from records.archives.archive import Archive
from records.errors import InvalidRecordError
from records.files.data_folder import RECORD
from records.files.plain_files import open_plain
from records.reader import parse_run
from records.shapes.run import Run


@dataclass(frozen=True, slots=True)
class RunRenderer:
    """The reader of runs, and renderer of their pages."""

    sources: Sources
    inputs: Inputs
    basics: SiteBasics
    templates: Templates
    summaries: RunSummaries
    changed: dict[str, "SummarizedRun"] = field(default_factory=dict[str, "SummarizedRun"])
    """Changed records that `render_pages` and `read_current_runs` have read, by path."""

    def render(
        self, before: Cache, after: Cache, staging: Staging
    ) -> tuple[list[RunSummary], list[RenderedFile]]:
        """Return all runs, newest first, and the files of all their pages, changed or not.

        The summaries of records and the lists of planned evals are put into ``after``.
        """
        cached = _group_by_run(before.pages)
        runs: list[RunSummary] = []
        files: list[RenderedFile] = []
        due: list[tuple[str, RecordsFolder]] = []
        for path, folder in self.list_record_paths():
            staging.check()
            cached_file = before.files.get(path)
            if cached_file is not None and cached_file.stamp == self.inputs.runs[path]:
                run = self.summaries.parse_summary(path, folder, cached_file.summary)
                pages = cached.get(run.run_id, ())
                same = _find_unchanged(before, self._build_keys(run), pages)
                if pages and len(same) == len(pages):
                    runs.append(run)
                    files += same
                    after.files[path] = cached_file
                    continue
            due.append((path, folder))
        read = partial(self._read_and_render, staging, before, cached)
        for result in share_out(read, due, runs=len(self.inputs.runs)):
            if result.plan is not None:
                after.plans[name_plan(result.plan)] = result.plan
                self.summaries.learn(name_plan(result.plan), result.plan)
            after.files[result.path] = CachedFile(self.inputs.runs[result.path], result.text)
            runs.append(self.summaries.parse_summary(result.path, result.folder, result.text))
            files += result.files
        return sort_newest_first(runs), files

    def read_current_runs(self, before: Cache) -> list[RunSummary]:
        """Return all runs, newest first; read only the records that changed since ``before``."""
        return sort_newest_first(
            self._read_current_summary(path, folder, before)
            for path, folder in self.list_record_paths()
        )

    def render_pages(self, before: Cache, wanted: Collection[str]) -> Iterator[tuple[str, bytes]]:
        """Yield the path and bytes of each ``wanted`` page of a run or an attempt."""
        ids = {path.split("/", 2)[1] for path in wanted if path.startswith("runs/")}
        categories = {parse_category(path) for path in wanted if path.startswith("runs/")}
        for path, folder in self.list_record_paths():
            if path.rpartition("/")[2].removesuffix(RECORD) in ids:
                run = self._read_current_summary(path, folder, before)
                others = {get_category_key(name) for name, _ in run.kept} - categories
                record = self._read_record(path)
                for page, _ in build_run_contexts(self.basics, run, record, others):
                    if get_page_file(page) in wanted:
                        yield get_page_file(page), self.templates.render(page)

    def _read_current_summary(self, path: str, folder: RecordsFolder, before: Cache) -> RunSummary:
        """Return the summary of the record at ``path``; read the record unless it is cached."""
        cached = before.files.get(path)
        if cached is not None and cached.stamp == self.inputs.runs[path]:
            return self.summaries.parse_summary(path, folder, cached.summary)
        if path not in self.changed:
            self.changed[path] = self.summarize(path, folder)
        return self.changed[path].run

    def _read_record(self, path: str) -> Run:
        """Return the record at ``path``, from memory if it was read for its summary."""
        if path in self.changed:
            return self.changed[path].record
        return parse_run(Path(path), read_source(path, self.inputs.runs[path]))

    def list_record_paths(self) -> Iterator[tuple[str, RecordsFolder]]:
        """Yield the path of each run's record, and its data folder."""
        for data in self.sources.folders:
            local = data != self.sources.data
            folder = RecordsFolder(f"{data.root}", local, self.inputs.artifacts)
            for path in self.inputs.runs:
                if path.startswith(f"{data.root}/runs/"):
                    yield path, folder

    def _read_and_render(
        self,
        staging: Staging,
        before: Cache,
        cached: Mapping[str, Sequence[str]],
        due: tuple[str, RecordsFolder],
    ) -> "_ReadRun":
        path, folder = due
        run, record, text = self.summarize(path, folder)
        keys = self._build_keys(run)
        own_page = f"{build_run_path(run.run_id)}index.html"
        files = [
            file
            for file in _find_unchanged(before, keys, cached.get(run.run_id, ()))
            if file.path != own_page
        ]
        same = {file.path for file in files}
        files += [
            staging.put(name, page, keys.find_key(name))
            for name, page in self._render_files(run, record, same)
        ]
        if run.artifact and stamp_of(run.artifact.lstat()) != self._find_archive_stamp(run):
            raise SourceChangedError(run.artifact)
        plan = None if name_plan(record.planned) in before.plans else record.planned
        return _ReadRun(path, folder, text, plan, files)

    def summarize(self, path: str, folder: RecordsFolder) -> "SummarizedRun":
        """Read the record at ``path``, and make its summary.

        Raises:
            RecordsError: it is invalid.
            SourceChangedError: it is not the file that was found.
        """
        data = read_source(path, self.inputs.runs[path])
        record = parse_run(Path(path), data)
        if not path.endswith(f"/{record.run_id}{RECORD}"):
            raise InvalidRecordError(
                Path(path), "run_id", f"{record.run_id} is not the file's name"
            )
        archive = folder.find_archive(record.model.slug, record.run_id)
        text = format_run_text(record, sha256(data).hexdigest(), _compute_sha256(archive))
        self.summaries.learn(name_plan(record.planned), record.planned)
        return SummarizedRun(self.summaries.parse_summary(path, folder, text), record, text)

    def _build_keys(self, run: RunSummary) -> RunKeys:
        return RunKeys(self.templates, self.basics, run, self._find_archive_stamp(run))

    def _find_archive_stamp(self, run: RunSummary) -> Stamp | None:
        return self.inputs.artifacts[f"{run.artifact}"] if run.artifact else None

    def _render_files(
        self, run: RunSummary, record: Run, same: Collection[str]
    ) -> Iterator[tuple[str, bytes]]:
        """Yield the path and bytes of the files of a run, except the unchanged files in ``same``.

        The run's own page is always among them.
        """
        without = {parse_category(path) for path in same} - {""}
        for page, beside in build_run_contexts(self.basics, run, record, without):
            yield get_page_file(page), self.templates.render(page)
            for path, text in beside.items():
                yield path, text.encode("utf-8", "replace")


def _compute_sha256(archive: Path | None) -> str | None:
    if archive is None:
        return None
    with open_plain(archive) as file:
        return file_digest(file, "sha256").hexdigest()


def build_run_contexts(
    basics: SiteBasics, run: RunSummary, record: Run, without: Collection[str] = ()
) -> Iterator[tuple[PageContext, Mapping[str, str]]]:
    """Yield the page of a run, and the pages of its attempts whose files were kept.

    With each page come the texts that are too long for it, by path. Pages of attempts of the
    categories in ``without`` are left out.
    """
    yield build_run_page(basics, run, record), {}
    kept = [attempt for attempt in record.attempts if attempt.artifact is not None]
    if run.artifact is None or not kept:
        return
    commit = record.harness.git_commit if record.harness else None
    cited = basics.cited.get(run.run_id, ())
    with Archive(run.artifact) as archive:
        first = kept[0], archive.read(kept[0].eval, kept[0].sample)
        for category, attempts in groupby(kept, lambda attempt: get_category_key(attempt.eval)):
            if category in without:
                continue
            pairs = [(attempt, archive.read(attempt.eval, attempt.sample)) for attempt in attempts]
            texts = AttemptTexts(run.run_id, first)
            yield build_attempts_page(basics, run, pairs, texts, commit=commit), texts.beside
            for pair in pairs:
                if (pair[0].eval, pair[0].sample) in cited:
                    own = AttemptTexts(run.run_id, first)
                    page = build_attempts_page(basics, run, [pair], own, commit=commit, alone=True)
                    further = own.beside.keys() - texts.beside.keys()
                    yield page, {path: own.beside[path] for path in further}


class SummarizedRun(NamedTuple):
    """A record with its summary."""

    run: RunSummary
    record: Run
    text: str
    """The summary for the cache."""


class _ReadRun(NamedTuple):
    """The result of reading a run's record and rendering its pages, returned by a worker."""

    path: str
    folder: RecordsFolder
    text: str
    """The summary for the cache."""
    plan: tuple[str, ...] | None
    """The evals that the run planned; None if the list is cached already."""
    files: list[RenderedFile]


def _find_unchanged(before: Cache, keys: RunKeys, pages: Iterable[str]) -> list[RenderedFile]:
    """Return the pages of a run that the last build rendered with the same keys."""
    keyed = [(page, keys.find_key(page)) for page in pages]
    return [
        RenderedFile(page, key, staged=False) for page, key in keyed if before.holds_page(page, key)
    ]


def _group_by_run(pages: Iterable[str]) -> dict[str, list[str]]:
    """Return the paths of the pages of runs by the run's id, without twins."""
    paths: dict[str, list[str]] = {}
    for path in pages:
        if path.startswith("runs/") and not path.endswith(TWIN):
            paths.setdefault(path.split("/", 2)[1], []).append(path)
    return paths
