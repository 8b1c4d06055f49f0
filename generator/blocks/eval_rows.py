"""The rows of models on an eval's page: how the newest runs of each fared at the eval."""

from collections.abc import Iterable
from datetime import date
from functools import lru_cache

from generator.facts.shares import share
from generator.facts.site_basics import SiteBasics
from generator.facts.titles import SYMBOLS, condition_of
from generator.facts.urls import attempt_href, model_path
from generator.read.summaries import EvalResult, RunSummary
from generator.render.share_cell import share_cell
from records.text.escaping import escaped, trusted


def field_rows(
    site: SiteBasics, root: str, name: str, met: Iterable[tuple[RunSummary, ...]]
) -> str:
    """Return a row for each group of runs in ``met``, as HTML: how they fared at the eval ``name``.

    A group has the runs of one model under one condition, newest first.
    """
    rows = [
        _row(root, name, runs, site.version_href(version), site.version_title(version))
        for runs in met
        for version in [runs[0].version]
    ]
    return trusted("".join(rows))


@lru_cache(maxsize=1 << 15)
def _row(root: str, name: str, runs: tuple[RunSummary, ...], href: str, version: str) -> str:
    """Return the row of the runs of one model; cached, so that a preview makes each row once."""
    results, newest = [run.results[name] for run in runs], runs[0]
    steps = sorted({each.failed_step for each in results if each.failed_step})
    local = ' <span class="tag">local</span>' if newest.local else ""
    marks = "".join(
        [_mark(root, run, result, name) for run, result in zip(runs, results, strict=True)]
    )
    flips = len({each.passed > 0 for each in results if each.judged}) > 1
    flipping = '<span class="tag">flips</span>' if flips else ""
    return (
        f'<tr>\n<th scope="row"><a href="{root}{escaped(model_path(newest.slug))}">'
        f"{escaped(newest.name)}</a>{local}</th>\n"
        f"<td>{escaped(condition_of(newest))}</td>\n"
        f'<td><a href="{escaped(f"{root}{href}" or "./")}">{escaped(version)}</a></td>\n'
        f"{share_cell(share(results))}\n"
        f'<td class="tries">{marks}{flipping}</td>\n<td>{", ".join(steps)}</td>\n</tr>\n'
    )


def _mark(root: str, run: RunSummary, result: EvalResult, name: str) -> str:
    """Return the symbol of a result, as a link to the attempt."""
    outcome, symbol, words = _describe_result(result)
    label = f"{_day(run.date)}: {words}"
    return (
        f'<a class="m {outcome}" href="{root}{attempt_href(run, name)}" title="{label}">{symbol}'
        f'<span class="vh"> {label}</span></a> '
    )


@lru_cache(maxsize=1 << 12)
def _day(day: date) -> str:
    return day.isoformat()


@lru_cache(maxsize=1 << 12)
def _describe_result(result: EvalResult) -> tuple[str, str, str]:
    """Return the outcome of a result, its symbol, and its description."""
    outcome = _outcome(result)
    words = f"passed {result.passed} of {result.judged}" if outcome == "partly" else outcome
    step = f", {result.failed_step}" if result.failed_step else ""
    return outcome, SYMBOLS[outcome], f"{words}{step}"


def _outcome(result: EvalResult) -> str:
    """Return the outcome of all attempts of a run at one eval."""
    if result.judged < result.planned:
        return "infrastructure"
    if result.passed == result.planned:
        return "passed"
    return "failed" if result.passed == 0 else "partly"
