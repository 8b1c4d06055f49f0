"""The pages of runs and attempts: changed records are read, and their pages rendered at once.

Most pages of a site are of this kind. No build holds the records of all runs in memory; other
pages are made from summaries of the records.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import partial
from hashlib import file_digest, sha256
from pathlib import Path

from generator.errors import SourceChangedError
from generator.output_folder import Cache, RenderedFile, Staging
from generator.pages.attempts import AttemptTexts, build_attempts_page
from generator.pages.run import build_run_page
from generator.read import run_summaries
from generator.read.project_files import read_source
from generator.read.summaries import RunSummary, get_category_key, sort_newest_first
from generator.render.templates import PageContext, Templates, get_page_file
from generator.site_data import SiteBasics
from generator.site_links import TWIN
from generator.sources import Inputs, Sources, compute_key
from generator.workers import share_out
from records.archives.archive import Archive
from records.errors import InvalidRecordError
from records.files.data_folder import RECORD
from records.files.plain_files import Stamp, format_stamp, open_plain
from records.grouping import group_values
from records.reader import parse_run
from records.shapes.run import Run

ReadRecord = tuple[RunSummary, Run]
"""The summary of a record, and the record."""


@dataclass(frozen=True, slots=True)
class RunRenderer:
    """The reader of runs, and renderer of their pages."""

    sources: Sources
    inputs: Inputs
    basics: SiteBasics
    templates: Templates
    known: run_summaries.KnownRuns
    read: dict[str, ReadRecord] = field(default_factory=dict[str, ReadRecord])
    """Records that `read_runs` has read, by path."""

    def render(
        self, before: Cache, staging: Staging
    ) -> tuple[list[RunSummary], list[RenderedFile]]:
        """Return all runs, newest first, and the files of all their pages, changed or not."""
        pages = group_values(
            (path.split("/", 2)[1], RenderedFile(path, page.key, page.digest, staged=False))
            for path, page in before.pages.items()
            if path.startswith("runs/") and not path.endswith(TWIN)
        )
        runs: list[RunSummary] = []
        files: list[RenderedFile] = []
        due: list[str] = []
        for path in self.inputs.runs:
            staging.check()
            run = self._find_known(path)
            rendered = pages.get(run.run_id, ()) if run else ()
            if run and rendered and {page.key for page in rendered} == {self._compute_key(run)}:
                runs.append(run)
                files += rendered
            else:
                due.append(path)
        for path, summary, written in share_out(
            partial(self._render_run, staging), due, runs=len(self.inputs.runs)
        ):
            runs.append(self.learn(path, run_summaries.decode_stored(RunSummary, summary)))
            files += written
        self.known.stored = {path: self.known.stored[path] for path in self.inputs.runs}
        return sort_newest_first(runs), files

    def read_runs(self) -> list[RunSummary]:
        """Return all runs, newest first; only records that are not known are read."""
        return sort_newest_first(
            self._find_known(path) or self.learn(path, self._read_once(path)[0])
            for path in self.inputs.runs
        )

    def render_pages(self, wanted: Collection[str]) -> Iterator[tuple[str, bytes]]:
        """Yield the path and bytes of each ``wanted`` page of a run or an attempt."""
        parts = [path.split("/") for path in wanted if path.startswith("runs/")]
        ids, categories = {part[1] for part in parts}, {part[2] for part in parts}
        for path in self.inputs.runs:
            if path.rpartition("/")[2].removesuffix(RECORD) in ids:
                summary, record = self._read_once(path)
                run = self.find_folder(path).place(summary)
                for page in build_run_contexts(self.basics, run, record, categories):
                    if get_page_file(page) in wanted:
                        yield get_page_file(page), self.templates.render(page)

    def find_folder(self, path: str) -> run_summaries.RecordsFolder:
        """Return the data folder of the record at ``path``."""
        data = self.sources.data
        is_local = path.startswith(f"{data.local.root}/")
        root = data.local.root if is_local else data.root
        return run_summaries.RecordsFolder(
            f"{root}", is_local, self.inputs.artifacts, self.known.names
        )

    def read_record(self, path: str) -> ReadRecord:
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
        archive = self.find_folder(path).find_archive(record.model.slug, record.run_id)
        digest = sha256(data).hexdigest()
        archive_digest = archive and _digest_of(archive)
        return run_summaries.summarize_run(record, digest, archive_digest), record

    def _read_once(self, path: str) -> ReadRecord:
        if path not in self.read:
            self.read[path] = self.read_record(path)
        return self.read[path]

    def learn(self, path: str, summary: RunSummary) -> RunSummary:
        """Keep the summary of the record at ``path`` for the next build, and return its run."""
        self.known.stored[path] = self._stamp(path, summary), summary
        return self.known.place(path, self.find_folder(path))

    def _stamp(self, path: str, run: RunSummary) -> Stamp:
        archive = self.find_folder(path).find_archive(run.slug, run.run_id)
        stamps = self.inputs.runs[path], self.inputs.artifacts[f"{archive}"] if archive else ""
        return " ".join(stamps)

    def _find_known(self, path: str) -> RunSummary | None:
        """Return the summary of a record whose files are unchanged or copied; None if not known."""
        if path not in self.known.stored:
            return None
        before, run = self.known.stored[path]
        if before != self._stamp(path, run):
            archive = self.find_folder(path).find_archive(run.slug, run.run_id)
            digests = _digest_of(Path(path)), archive and _digest_of(archive)
            if digests != (run.digest, run.archive_digest):
                return None
        return self.learn(path, run)

    def _compute_key(self, run: RunSummary) -> str:
        """Return the key of the pages of a run: a digest of everything on which they depend.

        If a part were missing, a page could become stale.
        """
        basics, templates = self.basics, self.templates
        texts = {
            name: (basics.texts[name].digest if name in basics.texts else None)
            for name in sorted({name for name, _ in run.kept} if run.artifact else ())
        }
        return compute_key(
            (run.digest, run.archive_digest, run.local, run.name, run.provider),
            f"{run.artifact}",
            templates.compute_template_digest("pages/run.html"),
            templates.compute_template_digest("pages/attempts.html"),
            basics.compute_version_digest(run.version),
            basics.suites.get(run.version),
            run.slug in basics.slugs,
            [asking in basics.recorded for asking in run.carried_from],
            [filed.digest for filed in basics.reports.get(run.run_id, ())],
            sorted(basics.cited.get(run.run_id, ())),
            [(*item, basics.eval_titles.get(item[0])) for item in texts.items()],
        )

    def _render_run(self, staging: Staging, path: str) -> tuple[str, bytes, list[RenderedFile]]:
        """Read a record and render its pages; return its summary as JSON, for other processes."""
        summary, record = self.read_record(path)
        run = self.find_folder(path).place(summary)
        key, files = self._compute_key(run), list[RenderedFile]()
        for page in build_run_contexts(self.basics, run, record):
            files += [staging.put(*file, key) for file in self.templates.render_files(page)]
        archive = run.artifact
        if archive and format_stamp(archive.lstat()) != self.inputs.artifacts[f"{archive}"]:
            raise SourceChangedError(archive)
        return path, run_summaries.encode_stored(RunSummary, summary), files


def _digest_of(file: Path) -> str:
    with open_plain(file) as opened:
        return file_digest(opened, "sha256").hexdigest()


def build_run_contexts(
    basics: SiteBasics, run: RunSummary, record: Run, categories: Collection[str] | None = None
) -> Iterator[PageContext]:
    """Yield the page of a run, and the pages of its attempts whose files were kept.

    If ``categories`` are given, pages of attempts of other categories are left out.
    """
    yield build_run_page(basics, run, record)
    attempts_by_category = group_values(
        (get_category_key(attempt.eval), attempt)
        for attempt in record.attempts
        if attempt.artifact is not None
    )
    keys = [key for key in attempts_by_category if categories is None or key in categories]
    if run.artifact is None or not keys:
        return
    commit = record.harness.git_commit if record.harness else None
    cited = basics.cited.get(run.run_id, ())
    with Archive(run.artifact) as archive:
        earliest = next(iter(attempts_by_category.values()))[0]
        first = earliest, archive.read(earliest.eval, earliest.sample)
        for category in keys:
            pairs = [
                (each, archive.read(each.eval, each.sample))
                for each in attempts_by_category[category]
            ]
            texts = AttemptTexts(run.run_id, first)
            yield build_attempts_page(basics, run, pairs, texts, commit=commit)
            for pair in pairs:
                if (pair[0].eval, pair[0].sample) in cited:
                    own = AttemptTexts(run.run_id, first)
                    page = build_attempts_page(basics, run, [pair], own, commit=commit, alone=True)
                    for path in own.beside.keys() & texts.beside.keys():
                        del own.beside[path]  # written with the page of the category
                    yield page
