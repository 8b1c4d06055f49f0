"""Reads everything but runs: versions, the registry of models, texts of the suite, reports."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from generator.cache import Cache, CachedFile
from generator.digests import digest_of
from generator.errors import SourceChangedError
from generator.read.audits import AuditedLabels, read_audits
from generator.read.guidelines_text import GuidelinesText, read_guidelines_text
from generator.read.reports import filed_report, report_text
from generator.read.suite_texts import EvalTexts, read_described_texts, read_suite_texts
from generator.read.summaries import FiledReport
from generator.sources import Inputs, Sources, Stamp, stamp_of
from generator.workers import shared_out
from records.benchmark import Benchmark
from records.guidelines_tokens import tokens_file
from records.reader import parse_report, read_benchmark, read_bytes, read_registry, read_trial
from records.registry import DescribedModel
from records.trial import GuidelinesTrial

Value = TypeVar("Value")


class ProjectReader:
    """Reads a project again and again; what did not change stays the object that it was."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._kept: dict[str, tuple[object, Any]] = {}

    def once(self, name: str, unchanged: object, read: Callable[[], Value]) -> Value:
        """Return what ``read`` returned the last time, unless ``unchanged`` is another value."""
        kept = self._kept.get(name)
        if kept is None or kept[0] != unchanged:
            kept = self._kept[name] = unchanged, read()
        return kept[1]

    def texts(self, inputs: Inputs) -> Mapping[str, EvalTexts]:
        """Return the texts of evals by name, those of suites that are kept elsewhere included."""
        folder = self._sources.evals

        def read() -> dict[str, EvalTexts]:
            return read_described_texts(map(Path, inputs.suites)) | read_suite_texts(folder)

        return self.once("texts", (inputs.below(folder), inputs.suites), read)

    def guidelines(self, inputs: Inputs) -> GuidelinesText | None:
        """Return the suite's guidelines; None where it has none."""
        path = self._sources.evals / "guidelines.md"
        read = inputs.below(path) | inputs.below(tokens_file(self._sources.evals))
        return self.once("guidelines", read, lambda: read_guidelines_text(path))

    def registry(self, inputs: Inputs) -> Mapping[str, DescribedModel]:
        """Return the models of `models.toml` by slug; none where there is no such file."""
        file = self._sources.data.models_file

        def read() -> dict[str, DescribedModel]:
            return read_registry(file).by_slug if file.exists() else {}

        return self.once("registry", inputs.below(file), read)

    def benchmarks(self, inputs: Inputs) -> Mapping[str, Benchmark]:
        """Return every benchmark version by its identity."""

        def read() -> dict[str, Benchmark]:
            found = [read_benchmark(Path(path)) for path in inputs.benchmarks]
            return {one.version: one for one in found}

        return self.once("benchmarks", inputs.benchmarks, read)

    def trials(self, inputs: Inputs) -> Sequence[GuidelinesTrial]:
        """Return every trial of the guidelines."""
        return self.once(
            "trials", inputs.trials, lambda: [read_trial(Path(path)) for path in inputs.trials]
        )

    def audits(self, inputs: Inputs) -> Sequence[AuditedLabels]:
        """Return every audit with what people judged, the newest first."""
        data = self._sources.data
        found = {
            path: stamp
            for folder in self._sources.folders
            for path, stamp in inputs.below(folder.root / "audits").items()
        }
        labels = {
            path: stamp
            for folder in self._sources.folders
            for path, stamp in inputs.below(folder.root / "sessions").items()
        }
        log = data.label_file if self._sources.local else data.published_label_file
        return self.once("audits", (found, labels), lambda: read_audits(found, log))

    def reports(self, inputs: Inputs, before: Cache, after: Cache) -> list[FiledReport]:
        """Return every report; drafts only where development results are shown, too.

        Reads those whose stamp is not that in ``before``, and puts what is to be cached of all
        into ``after``.
        """
        known = {p: one for p in inputs.reports if (one := before.files.get(p))}
        due = [p for p, s in inputs.reports.items() if p not in known or known[p].stamp != s]
        texts = {p: one.summary for p, one in known.items()}
        texts |= shared_out(partial(_report_text, inputs), due)
        local = f"{self._sources.data.local.root}/"
        found: list[FiledReport] = []
        for path, stamp in inputs.reports.items():
            text, is_local = texts[path], path.startswith(local)
            after.files[path] = CachedFile(stamp, text)
            filed = self.once(path, text, partial(filed_report, Path(path), text, local=is_local))
            if self._sources.local or not filed.report.draft:
                found.append(filed)
        return found


def read_source(path: str, stamp: Stamp) -> bytes:
    """Return what a record or report holds.

    Raises:
        RecordsError: it is gone, is no plain file, or is too large.
        SourceChangedError: it is no longer the file that was found.
    """
    place = Path(path)
    data = read_bytes(place)
    if stamp_of(place.lstat()) != stamp:
        raise SourceChangedError(place)
    return data


def _report_text(inputs: Inputs, path: str) -> tuple[str, str]:
    data = read_source(path, inputs.reports[path])
    return path, report_text(parse_report(Path(path), data), digest_of(data))
