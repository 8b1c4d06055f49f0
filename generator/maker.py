"""Reads what changed, and makes what follows from it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from generator.cache import Input, State, same_input
from generator.digests import digest_of
from generator.errors import SourceChangedError
from generator.making import Making
from generator.output import RenderedFile, Staging
from generator.read.reports import report_summary, report_text
from generator.read.runs import RecordsFolder, RunReader, plan_name, run_text
from generator.read.suite_texts import EvalTexts, read_suite_texts
from generator.read.summaries import FiledReport, RunSummary, Summaries
from generator.render.templates import Look
from generator.run_units import run_key, run_pages
from generator.site.shared import SiteBasics, site_basics
from generator.site.urls import filed_path
from generator.sources import Inputs, Sources, Stamp
from generator.workers import shared_out
from records.benchmark import Benchmark
from records.errors import InvalidRecordError
from records.folder import RECORD
from records.reader import parse_report, parse_run, read_benchmark, read_bytes, read_registry
from records.registry import ModelEntry

if TYPE_CHECKING:
    from generator.scores.leaderboards import Leaderboard

Value = TypeVar("Value")


class Maker:
    """Makes the files of one site, again and again; keeps in memory what it can use again."""

    def __init__(self, sources: Sources, compiled: Path) -> None:
        self._sources = sources
        self._compiled = compiled
        self._summaries = RunReader()
        self._small: dict[str, tuple[object, Any]] = {}
        self._runs: dict[str, tuple[str, RunSummary]] = {}
        self._reports: dict[str, tuple[str, FiledReport]] = {}
        self._boards: Mapping[str, Leaderboard] = {}

    def make(
        self, inputs: Inputs, before: State, staging: Staging
    ) -> tuple[State, list[RenderedFile]]:
        """Return the state after everything in ``inputs`` was seen, and the files made anew.

        Raises:
            RecordsError: a record is invalid.
            GeneratorError: settings or suite texts are not as they must be, or a file changed
                while it was being read.
        """
        for name, evals in before.plans.items():
            self._summaries.learn(name, json.loads(evals))
        look = self._look(inputs)
        after = State(plans=dict(before.plans))
        making = Making(before, after, staging)
        summaries = Summaries(
            benchmarks=self._benchmarks(inputs),
            runs=[],
            reports=self._read_reports(inputs, making),
            registry=self._registry(inputs),
        )
        texts = self._texts(inputs)
        around = site_basics(
            look.settings, texts, summaries.benchmarks, summaries.reports, summaries.registry.keys()
        )
        summaries = replace(summaries, runs=self._read_runs(inputs, making, around, look))
        # Imported by now, while records were read.
        from generator.site.data import notices, site_data  # noqa: PLC0415
        from generator.units import asset_unit, file_units, page_units, sitemap_unit  # noqa: PLC0415

        gathered = site_data(around, summaries, self._boards)
        self._boards = gathered.leaderboards
        method = self._sources.method
        making.make([*file_units(gathered), *page_units(gathered, look, method), asset_unit(look)])
        making.make([sitemap_unit(look.settings, after.pages)])
        after.inputs |= {
            path: Input(stamp, "")
            for path, stamp in inputs.all().items()
            if path not in after.inputs
        }
        after.notices = notices(gathered)
        changed = inputs.changed([*making.read, *inputs.benchmarks, *inputs.rest])
        if changed is not None:
            raise SourceChangedError(Path(changed))
        return after, making.made

    def _look(self, inputs: Inputs) -> Look:
        folder = self._sources.templates
        return self._once("look", inputs.below(folder), lambda: Look(folder, self._compiled))

    def _texts(self, inputs: Inputs) -> dict[str, EvalTexts]:
        folder = self._sources.evals
        return self._once("texts", inputs.below(folder), lambda: read_suite_texts(folder))

    def _registry(self, inputs: Inputs) -> dict[str, ModelEntry]:
        file = self._sources.data.models_file

        def read() -> dict[str, ModelEntry]:
            return {one.slug: one for one in read_registry(file).models} if file.exists() else {}

        return self._once("registry", inputs.below(file), read)

    def _benchmarks(self, inputs: Inputs) -> dict[str, Benchmark]:
        def read() -> dict[str, Benchmark]:
            found = [read_benchmark(Path(path)) for path in inputs.benchmarks]
            return {one.version: one for one in found}

        return self._once("benchmarks", inputs.benchmarks, read)

    def _once(self, name: str, stamps: Mapping[str, Stamp], read: Callable[[], Value]) -> Value:
        """Read something small again only when its files changed."""
        before = self._small.get(name)
        if before is None or before[0] != stamps:
            before = self._small[name] = stamps, read()
        return before[1]

    def _read_reports(self, inputs: Inputs, making: Making) -> list[FiledReport]:
        known = making.before.inputs
        due = [
            p for p, stamp in inputs.reports.items() if p not in known or known[p].stamp != stamp
        ]
        texts = dict(shared_out(_read_report, due))
        making.read += due
        local = f"{self._sources.data.local.root}/"
        found: list[FiledReport] = []
        for path, stamp in inputs.reports.items():
            text = texts.get(path) or known[path].said
            making.after.inputs[path] = same_input(known.get(path), stamp, text)
            kept = self._reports.get(path)
            if kept is None or kept[0] != text:
                one = report_summary(Path(path), text, local=path.startswith(local))
                kept = self._reports[path] = text, one
            found.append(kept[1])
        found.sort(key=lambda one: (one.report.date, filed_path(one)), reverse=True)
        return found

    def _read_runs(
        self, inputs: Inputs, making: Making, around: SiteBasics, look: Look
    ) -> list[RunSummary]:
        """Read what changed, and render the pages of these runs while their records are at hand."""
        before, staging = making.before, making.staging

        def keyed(run: RunSummary) -> str:
            archive = run.artifact and inputs.artifacts[f"{run.artifact}"]
            return run_key(around, look, run, archive)

        found, due = self._kept_runs(inputs, making, keyed)
        told: set[str] = set()

        def read(path: str) -> _ReadRun:
            data = read_bytes(Path(path))
            run = parse_run(Path(path), data)
            if not path.endswith(f"/{run.run_id}{RECORD}"):
                raise InvalidRecordError(
                    Path(path), "run_id", f"{run.run_id} is not the file's name"
                )
            text = run_text(run, digest_of(data))
            name = plan_name(run.planned)
            self._summaries.learn(name, run.planned)
            # Hundreds of names that most runs share: each worker tells of them once.
            plans = {} if name in told else {name: run.planned}
            told.add(name)
            summary = self._summary(due[path], path, text)
            key = keyed(summary)
            made: list[RenderedFile] | None = None
            if before.units.get(f"run {path}") != key:
                pages = run_pages(around, summary, run)
                made = [staging.put(*file) for page in pages for file in look.files(page)]
            return _ReadRun(path, text, plans, key, made)

        # Statistics take as long to import as a hundred records to read.
        rest = partial(import_module, "generator.units")
        for one in shared_out(read, [*due], meanwhile=rest):
            for name, plan in one.plans.items():
                self._summaries.learn(name, plan)
                making.after.plans.setdefault(name, json.dumps(plan))
            making.after.inputs[one.path] = same_input(
                before.inputs.get(one.path), inputs.runs[one.path], one.text
            )
            run = self._summary(due[one.path], one.path, one.text)
            found.append(run)
            making.read += [one.path, f"{run.artifact}"] if run.artifact else [one.path]
            making.take(f"run {one.path}", one.key, one.made)
        found.sort(key=lambda run: (run.date, run.run_id), reverse=True)
        return found

    def _kept_runs(
        self, inputs: Inputs, making: Making, keyed: Callable[[RunSummary], str]
    ) -> tuple[list[RunSummary], dict[str, RecordsFolder]]:
        """Take over runs of which nothing changed; return them, and the places of all others."""
        places = {
            f"{folder.root}/runs/": RecordsFolder(
                f"{folder.root}", folder != self._sources.data, inputs.artifacts
            )
            for folder in self._sources.folders
        }
        before = making.before
        found: list[RunSummary] = []
        due: dict[str, RecordsFolder] = {}
        lying = [
            (path, stamp, place)
            for below, place in places.items()
            for path, stamp in inputs.runs.items()
            if path.startswith(below)
        ]
        for path, stamp, place in lying:
            known = before.inputs.get(path)
            if known is not None and known.stamp == stamp:
                run = self._summary(place, path, known.said)
                key, unit = keyed(run), f"run {path}"
                if before.units.get(unit) == key:
                    making.keep(unit, key)
                    making.after.inputs[path] = known
                    found.append(run)
                    continue
            due[path] = place
        return found, due

    def _summary(self, place: RecordsFolder, path: str, text: str) -> RunSummary:
        """Return a summary, made anew only if the record changed or its archive came or went."""
        text_before, run = self._runs.get(path, ("", None))
        if run is None or text_before != text or run.artifact != place.archive(run):
            run = self._summaries.run(place, text)
            self._runs[path] = text, run
        return run


class _ReadRun(NamedTuple):
    """What was found out about a run while its record was at hand."""

    path: str
    text: str
    """Its summary."""
    plans: Mapping[str, tuple[str, ...]]
    """The list of evals that it planned, by its name, if it is the first of its worker to do so."""
    key: str
    made: list[RenderedFile] | None
    """Its pages; None where they are what they were."""


def _read_report(path: str) -> tuple[str, str]:
    data = read_bytes(Path(path))
    return path, report_text(parse_report(Path(path), data), digest_of(data))
