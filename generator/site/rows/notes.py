"""The lines on an eval's page that tell what reports say of failures there."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from generator.read.summaries import FiledReport, RunSummary
from generator.render.escaping import escaped, trusted
from generator.site.attributions import Attribution, attribution_of_any, attributions
from generator.site.data import SiteData
from generator.site.report_links import report_title
from generator.site.urls import filed_path, model_path


class Note(NamedTuple):
    """A report's word on a failure."""

    filed: FiledReport
    run: RunSummary
    attribution: Attribution


def notes_on(site: SiteData, name: str) -> Iterator[Note]:
    """Yield what the newest report on each run says of its failure at the eval ``name``."""
    for filed in site.reports_by_eval.get(name, ()):
        run = site.runs.get(filed.report.run)
        said = run and attribution_of_any(attributions(site, run.run_id), name)
        if run and said and said.href.startswith(filed_path(filed)):
            yield Note(filed, run, said)


def note_lines(root: str, notes: Iterable[Note]) -> str:
    """Return a line for each note."""
    return trusted("".join([_line(root, *one) for one in notes]))


@lru_cache(maxsize=1 << 14)
def _line(root: str, filed: FiledReport, run: RunSummary, attribution: Attribution) -> str:
    said = f' <span class="note">{escaped(attribution.note)}</span>' if attribution.note else ""
    return (
        f'<li><a href="{root}{escaped(model_path(run.slug))}">{escaped(run.name)}</a>: '
        f'<a class="blame" href="{root}{escaped(attribution.href)}">{attribution.kind}</a>{said}'
        f' <small>in <a href="{root}{escaped(filed_path(filed))}">'
        f"{escaped(report_title(filed, run.name))}</a></small></li>\n"
    )
