"""The keys of pages: a page is rendered again if its key differs from that of the last build.

A key is a digest of everything on which the page's bytes depend; if a part were missing, the page
could become stale. Most pages depend on their context alone. The keys of pages of runs and of pairs
of runs are made without reading the records, so that unchanged records are not read.
"""

import json

from generator.digests import compute_digest, compute_key
from generator.facts.run_pairs import RunPair
from generator.facts.site_basics import SiteBasics
from generator.facts.site_data import SiteData
from generator.read.summaries import RunSummary
from generator.render.environment import PageContext
from generator.render.templates import Templates
from generator.sources import Stamp


def compute_context_key(templates: Templates, page: PageContext) -> str:
    """Return the key of a page that depends on its context alone."""
    # JSON is made by compiled code, and different values of a field give different texts.
    context = json.dumps(page, default=str)
    return compute_key(
        templates.compute_template_digest(page.template), compute_digest(context.encode())
    )


class RunKeys:
    """The keys of the pages of one run."""

    def __init__(
        self, templates: Templates, basics: SiteBasics, run: RunSummary, archive: Stamp | None
    ) -> None:
        """Prepare; ``archive`` is the stamp of the run's archive, None if the run has none."""
        evals = sorted({name for name, _ in run.kept}) if run.artifact else []
        shared = compute_key(
            run.digest,
            run.local,
            run.name,
            run.provider,
            archive,
            templates.compute_template_digest("pages/run.html"),
            templates.compute_template_digest("pages/attempt.html"),
            basics.find_version_title(run.version),
            basics.build_version_href(run.version),
            basics.suites.get(run.version),
            run.slug in basics.slugs,
            [asking in basics.recorded for asking in run.carried_from],
            [filed.digest for filed in basics.reports.get(run.run_id, ())],
        )
        texts = [basics.texts[name].digest if name in basics.texts else None for name in evals]
        self._answers = compute_key(run.digest, archive)
        titles = [basics.eval_titles.get(name) for name in evals]
        self._run = compute_key(shared, basics.compute_version_digest(run.version), texts)
        # An attempt's page links the attempts before and after it by the titles of their evals.
        self._attempts = {
            name: compute_key(shared, texts[number], titles[max(0, number - 1) : number + 2])
            for number, name in enumerate(evals)
        }

    def find_key(self, file: str) -> str:
        """Return the key of a file of the run's pages."""
        if file.endswith("/answers.json"):
            return self._answers
        return self._attempts.get(parse_eval_name(file), self._run)


def parse_eval_name(file: str) -> str:
    """Return the eval of an attempt's page, or of a text beside it; empty for a run's page."""
    _, _, *folders, _ = file.split("/")
    return "/".join(folders[:2])


def compute_pair_key(templates: Templates, site: SiteData, pair: RunPair) -> str:
    """Return the key of the page of two runs."""
    versions = sorted({pair.before.version, pair.after.version})
    benchmarks = [site.summaries.benchmarks.get(version) for version in versions]
    return compute_key(
        templates.compute_template_digest("pages/pair.html"),
        [benchmark and benchmark.model_dump_json() for benchmark in benchmarks],
        [site.compute_version_digest(version) for version in versions],
        [(run.digest, run.archive_digest, run.local, run.name, run.provider) for run in pair.runs],
        [[filed.digest for filed in site.reports.get(run.run_id, ())] for run in pair.runs],
    )
