"""The manifest of runs: digests of their files, and why each counts or does not."""

from functools import lru_cache

from generator.exports.formats import ExportLine, format_line
from generator.exports.table_rows import ManifestRow
from generator.facts.site_data import SiteData
from generator.facts.uncounted_runs import Why, find_first_reason
from generator.read.summaries import RunSummary
from records.files.slug_paths import encode_slug


def list_manifest_lines(site: SiteData) -> list[ExportLine]:
    """Return a row for each run, newest first."""
    return [_build_line(run, find_first_reason(site, run)) for run in site.summaries.runs]


@lru_cache(maxsize=1 << 14)
def _build_line(run: RunSummary, reason: Why) -> ExportLine:
    folder = "local/" if run.local else ""
    model = encode_slug(run.slug)
    archived = run.archive_digest is not None
    return format_line(
        ManifestRow(
            run_id=run.run_id,
            benchmark_version=run.version,
            model=run.slug,
            experiment=run.experiment,
            record=f"{folder}runs/{model}/{run.run_id}.json",
            record_sha256=run.digest,
            archive=f"{folder}artifacts/{model}/{run.run_id}.zip" if archived else None,
            archive_sha256=run.archive_digest,
            counts=reason == "counted",
            why=reason,
        )
    )
