"""The reader of all sources except runs: versions, models, texts of the suite, reports."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from generator.errors import SourceChangedError
from generator.read import suite_texts
from generator.read.summaries import AuditedLabels, FiledReport, read_audits
from generator.sources import Inputs, Sources, compute_digest
from records.files.plain_files import Stamp, format_stamp
from records.guidelines.sections import get_tokens_file
from records.reader import parse_report, read_benchmark, read_bytes, read_record, read_registry
from records.shapes.registry import DescribedModel
from records.shapes.trial import GuidelinesTrial
from records.suites.benchmark import Benchmark

Value = TypeVar("Value")


class ProjectReader:
    """The reader of a project for repeated builds; unchanged values stay the same objects."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._kept: dict[str, tuple[object, Any]] = {}
        self.reports: dict[str, tuple[Stamp, FiledReport]] = {}
        """The reports that builds have read, by path, each with its file's stamp."""

    def read_once(self, name: str, unchanged: object, read: Callable[[], Value]) -> Value:
        """Return the value of ``read`` under ``name``; call it only if ``unchanged`` changed."""
        memory = self._kept.get(name)
        if memory is None or memory[0] != unchanged:
            memory = self._kept[name] = unchanged, read()
        return memory[1]

    def load_texts(self, inputs: Inputs) -> Mapping[str, suite_texts.EvalTexts]:
        """Return the texts of evals by name, also of described suites of other repositories."""
        folder = self._sources.evals
        files = inputs.select_files_below(folder)
        by_eval: dict[str, dict[str, Stamp]] = {}
        for path, stamp in files.items():
            category, name, *_ = [*path.removeprefix(f"{folder}/").split("/"), ""]
            by_eval.setdefault(f"{folder}/{category}/{name}", {})[path] = stamp

        def read_eval(path: Path) -> suite_texts.EvalTexts:
            return self.read_once(
                f"{path}", by_eval.get(f"{path}"), partial(suite_texts.read_eval_texts, path)
            )

        def read() -> dict[str, suite_texts.EvalTexts]:
            described = suite_texts.read_described_texts(map(Path, inputs.suites))
            return described | suite_texts.read_suite_texts(folder, read_eval)

        return self.read_once("texts", (files, inputs.suites), read)

    def load_guidelines(self, inputs: Inputs) -> suite_texts.GuidelinesText | None:
        """Return the suite's guidelines; None if it has none."""
        path = self._sources.evals / "guidelines.md"
        read = inputs.select_files_below(path) | inputs.select_files_below(
            get_tokens_file(self._sources.evals)
        )
        return self.read_once("guidelines", read, lambda: suite_texts.read_guidelines_text(path))

    def load_registry(self, inputs: Inputs) -> Mapping[str, DescribedModel]:
        """Return the models of `models.toml` by slug; empty without such a file."""
        file = self._sources.data.models_file
        return self.read_once(
            "registry",
            inputs.select_files_below(file),
            lambda: read_registry(file).by_slug if file.exists() else {},
        )

    def load_benchmarks(self, inputs: Inputs) -> Mapping[str, Benchmark]:
        """Return all benchmark versions by identity."""
        paths = inputs.benchmarks
        return self.read_once(
            "benchmarks",
            paths,
            lambda: {each.version: each for each in map(read_benchmark, map(Path, paths))},
        )

    def load_trials(self, inputs: Inputs) -> Sequence[GuidelinesTrial]:
        """Return all trials of the guidelines."""
        return self.read_once(
            "trials",
            inputs.trials,
            lambda: [read_record(GuidelinesTrial, Path(path)) for path in inputs.trials],
        )

    def load_audits(self, inputs: Inputs) -> Sequence[AuditedLabels]:
        """Return all audits with their label logs, newest first."""
        data = self._sources.data
        loaded, labels = (
            {
                path: stamp
                for folder in self._sources.folders
                for path, stamp in inputs.select_files_below(folder.root / kind).items()
            }
            for kind in ("audits", "sessions")
        )
        log = data.get_label_file if self._sources.local else data.labels.get_file
        return self.read_once("audits", (loaded, labels), lambda: read_audits(loaded, log))

    def load_reports(self, inputs: Inputs) -> list[FiledReport]:
        """Return all reports; drafts only if the site shows development results.

        Only reports that are not known are read.
        """
        local = f"{self._sources.data.local.root}/"
        reports: dict[str, tuple[Stamp, FiledReport]] = {}
        for path, stamp in inputs.reports.items():
            known = self.reports.get(path)
            if known is None or known[0] != stamp:
                data = read_source(path, stamp)
                digest = compute_digest(data)
                if known is not None and known[1].digest == digest:
                    known = stamp, known[1]
                else:
                    file, is_local = Path(path), path.startswith(local)
                    known = stamp, FiledReport(file, parse_report(file, data), is_local, digest)
            reports[path] = known
        # Here, so that the known reports stay known if one of the files is invalid.
        self.reports = reports
        return [
            each for _, each in reports.values() if self._sources.local or not each.report.draft
        ]


def read_source(path: str, stamp: Stamp) -> bytes:
    """Return the bytes of a record or report.

    Raises:
        RecordsError: the file is gone, is no plain file, or is too large.
        SourceChangedError: the file changed after it was found with ``stamp``.
    """
    source = Path(path)
    data = read_bytes(source)
    if format_stamp(source.lstat()) != stamp:
        raise SourceChangedError(source)
    return data
