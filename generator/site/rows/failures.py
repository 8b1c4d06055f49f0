"""The rows of failures on a report's page."""

from collections.abc import Iterable

from generator.read.summaries import RunSummary
from generator.render.escaping import breakable, escaped, trusted
from generator.site.attributions import CLASSES, NOT_CLASSED
from generator.site.urls import attempt_href, eval_path
from records.report import ClassedFailure


def failure_rows(root: str, run: RunSummary, failures: Iterable[ClassedFailure]) -> str:
    """Return a row for each failure of ``run`` that a report lists, numbered as links name them."""
    return trusted("".join([_row(root, run, *one) for one in enumerate(failures, start=1)]))


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
