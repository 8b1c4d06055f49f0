"""The rows of models on an eval's page: how the newest runs of each fared there."""

from collections.abc import Iterable, Sequence
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from generator.read.summaries import EvalResult, RunSummary
from generator.render.escaping import escaped, trusted
from generator.render.filters import MISSING, percent
from generator.site.labels import SYMBOLS, experiment
from generator.site.parts import Share, share
from generator.site.shared import SiteBasics
from generator.site.urls import attempt_href, model_path


class Field(NamedTuple):
    """The newest runs of a model under a condition that met an eval, and how it ended in each."""

    runs: Sequence[RunSummary]
    results: Sequence[EvalResult]

    @property
    def flips(self) -> bool:
        """Whether the eval was passed in one run and failed in another."""
        return len({one.passed > 0 for one in self.results if one.judged}) > 1


def fields_at(name: str, met: Iterable[Sequence[RunSummary]]) -> list[Field]:
    """Return how runs fared at the eval ``name``, by model and condition."""
    return [Field(runs, [run.results[name] for run in runs]) for runs in met]


def field_rows(site: SiteBasics, root: str, name: str, fields: Iterable[Field]) -> str:
    """Return a row for each model and condition."""
    return trusted("".join([_row(site, root, name, one) for one in fields]))


def _row(site: SiteBasics, root: str, name: str, field: Field) -> str:
    runs, results = field
    newest = runs[0]
    steps = sorted({one.failed_step for one in results if one.failed_step})
    local = ' <span class="tag">local</span>' if newest.local else ""
    version = escaped(f"{root}{site.version_href(newest.version)}" or "./")
    title = escaped(site.version_title(newest.version))
    marks = "".join(
        [_mark(root, run, result, name) for run, result in zip(runs, results, strict=True)]
    )
    flipping = '<span class="tag">flips</span>' if field.flips else ""
    return (
        f'<tr>\n<th scope="row"><a href="{root}{escaped(model_path(newest.slug))}">'
        f"{escaped(newest.name)}</a>{local}</th>\n"
        f"<td>{escaped(experiment(newest.experiment))}</td>\n"
        f'<td><a href="{version}">{title}</a></td>\n'
        f"{share_cell(share(results))}\n"
        f'<td class="tries">{marks}{flipping}</td>\n<td>{", ".join(steps)}</td>\n</tr>\n'
    )


def share_cell(found: Share | None) -> str:
    """Return the cell of a share, as the macro of this name has it."""
    if found is None:
        return f'<td class="num missing" data-value="">{MISSING}</td>'
    return (
        f'<td class="num share" data-value="{found.percent:.4f}">{found.passes}/{found.judged}'
        f" <small>{percent(found.percent)}%</small></td>"
    )


def _mark(root: str, run: RunSummary, result: EvalResult, name: str) -> str:
    """Return a mark that is linked to an attempt."""
    outcome, symbol, said = _said(result)
    label = f"{_day(run.date)}: {said}"
    return (
        f'<a class="m {outcome}" href="{root}{attempt_href(run, name)}" title="{label}">{symbol}'
        f'<span class="vh"> {label}</span></a> '
    )


@lru_cache(maxsize=1 << 12)
def _day(day: date) -> str:
    return day.isoformat()


@lru_cache(maxsize=1 << 12)
def _said(result: EvalResult) -> tuple[str, str, str]:
    """Return an outcome, its symbol, and what happened in words."""
    outcome = _outcome(result)
    words = f"passed {result.passed} of {result.judged}" if outcome == "partly" else outcome
    step = f", {result.failed_step}" if result.failed_step else ""
    return outcome, SYMBOLS[outcome], f"{words}{step}"


def _outcome(result: EvalResult) -> str:
    """Name how an eval's attempts ended in one run."""
    if result.judged < result.planned:
        return "infrastructure"
    if result.passed == result.planned:
        return "passed"
    return "failed" if result.passed == 0 else "partly"
