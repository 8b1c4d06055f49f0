"""The rows of failures on a report's page."""

from collections.abc import Sequence
from functools import lru_cache

from generator.read.summaries import FiledReport, RunSummary
from generator.render.escaping import breakable, escaped, trusted
from generator.site.attributions import CLASSES, NOT_CLASSED
from generator.site.urls import attempt_href, eval_path
from records.report import ClassedFailure


@lru_cache(maxsize=1 << 12)
def failure_rows(root: str, run: RunSummary, filed: FiledReport) -> str:
    """Return a row for each failure of ``run`` that a report lists, numbered as links name them."""
    return _rows(root, run, filed.report.failures, "failure")


@lru_cache(maxsize=1 << 12)
def mended_rows(root: str, run: RunSummary, filed: FiledReport) -> str:
    """Return a row for each failure that ``run`` has no more since it was graded again."""
    return _rows(root, run, filed.report.mended, "mended")


def _rows(root: str, run: RunSummary, listed: Sequence[ClassedFailure], what: str) -> str:
    numbered = enumerate(listed, start=1)
    return trusted("".join([_row(root, run, f"{what}-{place}", one) for place, one in numbered]))


def _row(root: str, run: RunSummary, anchor: str, failure: ClassedFailure) -> str:
    kind, tag = NOT_CLASSED[0], ""
    if failure.failure_class is not None:
        kind, tag = CLASSES[failure.failure_class][0], failure.failure_class.value
    name, page = escaped(failure.eval), escaped(eval_path(failure.eval))
    attempt = escaped(attempt_href(run, failure.eval, failure.sample or 1))
    return (
        f'<tr id="{anchor}"><th scope="row"><a href="{root}{page}">'
        f'{breakable(failure.eval)}</a></th><td><span class="class {tag}">{kind}</span></td>'
        f'<td class="text">{escaped(failure.note)}</td>'
        f'<td><a href="{root}{attempt}">attempt<span class="vh"> at {name}</span></a>'
        f' <a class="permalink" href="#{anchor}"'
        f' aria-label="Permanent link to the failure of {name}">#</a></td></tr>\n'
    )
