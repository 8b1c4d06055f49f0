"""The notes of reports about failures at one eval."""

from collections.abc import Iterator
from typing import NamedTuple

from generator.facts.attributions import Attribution, collect_attributions, find_eval_attribution
from generator.facts.site_data import SiteData
from generator.facts.urls import Link, build_filed_path, build_model_path


class EvalNote(NamedTuple):
    """A report's attribution of a failure."""

    model: Link
    attribution: Attribution
    report: Link


def build_eval_notes(site: SiteData, name: str) -> Iterator[EvalNote]:
    """Yield the attributions of failures at an eval, from the newest report on each run."""
    for filed in site.reports_by_eval.get(name, ()):
        run = site.runs.get(filed.report.run)
        attribution = run and find_eval_attribution(collect_attributions(site, run.run_id), name)
        path = build_filed_path(filed)
        if run and attribution and attribution.href.startswith(path):
            yield EvalNote(
                model=Link(build_model_path(run.slug), run.name),
                attribution=attribution,
                report=Link(path, f"run {run.run_id[:8]}, {filed.report.date}"),
            )
