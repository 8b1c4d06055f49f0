"""The keys of pages: a page is rendered again if its key differs from that of the last build.

A key is a digest of everything on which the page's bytes depend; if a part were missing, the page
could become stale. Most pages depend on their context alone. The keys of pages of runs and of pairs
of runs are made without reading the records, so that unchanged records are not read.
"""

from generator.facts.site_data import SiteBasics
from generator.read.summaries import RunSummary, get_category_key
from generator.render.templates import Templates
from generator.sources import Stamp, compute_key


class RunKeys:
    """The keys of the pages of one run."""

    def __init__(
        self, templates: Templates, basics: SiteBasics, run: RunSummary, archive: Stamp | None
    ) -> None:
        """Prepare; ``archive`` is the stamp of the run's archive, None if the run has none."""
        shared = compute_key(
            run.digest,
            run.local,
            run.name,
            run.provider,
            archive,
            templates.compute_template_digest("pages/run.html"),
            templates.compute_template_digest("pages/attempts.html"),
            basics.find_version_title(run.version),
            basics.build_version_href(run.version),
            basics.suites.get(run.version),
            run.slug in basics.slugs,
            [asking in basics.recorded for asking in run.carried_from],
            [filed.digest for filed in basics.reports.get(run.run_id, ())],
            sorted(basics.cited.get(run.run_id, ())),
        )
        by_category: dict[str, list[object]] = {}
        for name in sorted({name for name, _ in run.kept} if run.artifact else ()):
            digest = basics.texts[name].digest if name in basics.texts else None
            sources = by_category.setdefault(get_category_key(name), [])
            sources.append((digest, basics.eval_titles.get(name)))
        self._run = compute_key(
            shared, basics.compute_version_digest(run.version), *by_category.values()
        )
        self._attempts = {
            category: compute_key(shared, *sources) for category, sources in by_category.items()
        }

    def find_key(self, file: str) -> str:
        """Return the key of a file of the run's pages."""
        return self._attempts.get(parse_category(file), self._run)


def parse_category(file: str) -> str:
    """Return the category of a page of attempts, or of a text beside it; empty for a run's page."""
    _, _, *folders, _ = file.split("/")
    return folders[0] if folders else ""
