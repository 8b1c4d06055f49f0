"""The table rows on an eval's page: the results at the eval in the newest runs of each model."""

from collections.abc import Iterable
from functools import lru_cache

from generator.facts.shares import compute_share
from generator.facts.site_data import SiteBasics
from generator.facts.titles import SYMBOLS, describe_run_condition
from generator.facts.urls import build_attempt_href, build_model_path
from generator.read.summaries import EvalResult, RunSummary
from generator.render.share_cell import render_share_cell
from records.text.escaping import escape_html, mark_safe
from records.text.run_days import describe_day


def render_eval_rows(
    site: SiteBasics, root: str, name: str, groups: Iterable[tuple[RunSummary, ...]]
) -> str:
    """Return a table row as HTML for each group of runs, with their results at the eval ``name``.

    A group has the runs of one model under one condition, newest first. ``root`` is the beginning
    of links to other pages of the site.
    """
    rows = [
        _render_row(
            root, name, runs, site.build_version_href(version), site.find_version_title(version)
        )
        for runs in groups
        for version in [runs[0].version]
    ]
    return mark_safe("".join(rows))


@lru_cache(maxsize=1 << 15)
def _render_row(root: str, name: str, runs: tuple[RunSummary, ...], href: str, version: str) -> str:
    """Return the row for a group of runs.

    Cached, so that a preview makes an unchanged row only once. ``href`` is the address of the
    benchmark version, ``version`` its title.
    """
    results, newest = [run.results[name] for run in runs], runs[0]
    steps = sorted({result.failed_step for result in results if result.failed_step})
    local = ' <span class="tag">local</span>' if newest.local else ""
    marks = "".join(
        [_render_mark(root, run, result, name) for run, result in zip(runs, results, strict=True)]
    )
    has_flipped = len({result.passed > 0 for result in results if result.judged}) > 1
    flips = '<span class="tag">flips</span>' if has_flipped else ""
    return (
        f'<tr>\n<th scope="row"><a href="{root}{escape_html(build_model_path(newest.slug))}">'
        f"{escape_html(newest.name)}</a>{local}</th>\n"
        f"<td>{escape_html(describe_run_condition(newest))}</td>\n"
        f'<td><a href="{escape_html(f"{root}{href}" or "./")}">{escape_html(version)}</a></td>\n'
        f"{render_share_cell(compute_share(results))}\n"
        f'<td class="tries">{marks}{flips}</td>\n<td>{", ".join(steps)}</td>\n</tr>\n'
    )


def _render_mark(root: str, run: RunSummary, result: EvalResult, name: str) -> str:
    """Return the symbol of a run's result at an eval, as a link to the first attempt."""
    outcome, symbol, words = _describe_result(result)
    label = f"{describe_day(run)}: {words}"
    return (
        f'<a class="m {outcome}" href="{root}{build_attempt_href(run, name)}" '
        f'title="{label}">{symbol}'
        f'<span class="vh"> {label}</span></a> '
    )


@lru_cache(maxsize=1 << 12)
def _describe_result(result: EvalResult) -> tuple[str, str, str]:
    """Return the outcome of a result, the symbol of the outcome, and a description in words."""
    outcome = _combine_outcomes(result)
    words = f"passed {result.passed} of {result.judged}" if outcome == "partly" else outcome
    step = f", {result.failed_step}" if result.failed_step else ""
    return outcome, SYMBOLS[outcome], f"{words}{step}"


def _combine_outcomes(result: EvalResult) -> str:
    """Return the common outcome of all attempts of a run at one eval.

    It is ``infrastructure`` if an attempt was not judged, and ``partly`` if only some passed.
    """
    if result.judged < result.planned:
        return "infrastructure"
    if result.passed == result.planned:
        return "passed"
    return "failed" if result.passed == 0 else "partly"
