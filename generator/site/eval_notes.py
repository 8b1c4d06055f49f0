"""Notes that reports make on failures at one eval."""

from collections.abc import Iterator
from typing import NamedTuple

from generator.site.attributions import Attribution, attribution_of_any, attributions
from generator.site.data import SiteData
from generator.site.parts import Link
from generator.site.report_links import report_title
from generator.site.urls import filed_path, model_path


class EvalNote(NamedTuple):
    """A report's word on a failure."""

    model: Link
    attribution: Attribution
    report: Link


def eval_notes(site: SiteData, name: str) -> Iterator[EvalNote]:
    """Yield what the newest report on each run says of its failure at the eval ``name``."""
    for filed in site.reports_by_eval.get(name, ()):
        run = site.runs.get(filed.report.run)
        said = run and attribution_of_any(attributions(site, run.run_id), name)
        place = filed_path(filed)
        if run and said and said.href.startswith(place):
            yield EvalNote(
                model=Link(model_path(run.slug), run.name),
                attribution=said,
                report=Link(place, report_title(filed, run.name)),
            )
