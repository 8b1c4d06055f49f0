"""How the runs of one model fared at an eval: a mark for each, on the eval's page."""

from collections.abc import Iterable
from datetime import date
from functools import lru_cache

from generator.corpus import EvalResult, RunSummary
from generator.escaping import trusted
from generator.pages.names import SYMBOLS, attempt_href


def tries(root: str, runs: Iterable[RunSummary], name: str) -> str:
    """Return a mark for each run, linked to its attempt at the eval called ``name``."""
    return trusted("".join([_mark(f"{root}{attempt_href(run, name)}", run, name) for run in runs]))


def _mark(href: str, run: RunSummary, name: str) -> str:
    outcome, symbol, said = _said(run.results[name])
    label = f"{_day(run.date)}: {said}"
    return (
        f'<a class="m {outcome}" href="{href}" title="{label}">{symbol}'
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
