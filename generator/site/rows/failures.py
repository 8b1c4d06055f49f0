"""The rows of failures on a report's page."""

from functools import lru_cache

from generator.read.summaries import FiledReport, RunSummary
from generator.render.escaping import breakable, escaped, trusted
from generator.site.attributions import CLASSES, NOT_CLASSED
from generator.site.urls import attempt_href, eval_path
from records.report import ClassedFailure


@lru_cache(maxsize=1 << 12)
def failure_rows(root: str, run: RunSummary, filed: FiledReport) -> str:
    """Return a row for each failure of ``run`` that a report lists, numbered as links name them."""
    failures = enumerate(filed.report.failures, start=1)
    return trusted("".join([_row(root, run, number, failure) for number, failure in failures]))


def _row(root: str, run: RunSummary, number: int, failure: ClassedFailure) -> str:
    kind, tag = NOT_CLASSED[0], ""
    if failure.failure_class is not None:
        kind, tag = CLASSES[failure.failure_class][0], failure.failure_class.value
    name, page = escaped(failure.eval), escaped(eval_path(failure.eval))
    attempt = escaped(attempt_href(run, failure.eval, failure.sample or 1))
    return (
        f'<tr id="failure-{number}"><th scope="row"><a href="{root}{page}">'
        f'{breakable(failure.eval)}</a></th><td><span class="class {tag}">{kind}</span></td>'
        f'<td class="text">{escaped(failure.note)}</td>'
        f'<td><a href="{root}{attempt}">attempt<span class="vh"> at {name}</span></a>'
        f' <a class="permalink" href="#failure-{number}"'
        f' aria-label="Permanent link to the failure of {name}">#</a></td></tr>\n'
    )
