"""The interactive menu: choose evals and models, or run again what failed."""

from collections.abc import Sequence
from typing import Final

import questionary

from records.errors import MissingRecordError
from records.folder import DataFolder
from records.reader import read_registry
from runner.baselines import BASELINES
from runner.plan import DEFAULT, NO_GUIDELINES
from runner.suite import Suite

_CATEGORIES: Final = "Run whole categories"
_EVALS: Final = "Run single evals"
_FAILED: Final = "Run again what failed"
_LEAVE: Final = "Leave"


def choose(suite: Suite, data: DataFolder) -> list[str] | None:
    """Ask what to run; return arguments for `leaderboard run`, or None to leave."""
    what = questionary.select("What to do?", [_CATEGORIES, _EVALS, _FAILED, _LEAVE]).ask()
    if what is None or what == _LEAVE:
        return None
    selection = _selection(what, suite)
    models = _many("Which models?", _models(data))
    experiment = questionary.select("Which experiment?", [DEFAULT, NO_GUIDELINES]).ask()
    if selection is None or models is None or experiment is None:
        return None
    named = [part for model in models for part in ("-m", model)]
    return [*named, *selection, "-e", experiment]


def _selection(what: str, suite: Suite) -> list[str] | None:
    if what == _FAILED:
        return ["--failed"]
    if what == _CATEGORIES:
        categories = _many("Which categories?", suite.categories)
        return None if categories is None else [p for c in categories for p in ("-c", c)]
    names = _many("Which evals?", [one.name for one in suite.evals])
    return None if names is None else ["-f", f"^({'|'.join(names)})$"]


def _many(question: str, choices: Sequence[str]) -> list[str] | None:
    """Ask for one or more of ``choices``; None where the user leaves."""
    return questionary.checkbox(
        question, list(choices), validate=lambda chosen: bool(chosen) or "Choose with the space bar"
    ).ask()


def _models(data: DataFolder) -> list[str]:
    try:
        known = [entry.slug for entry in read_registry(data.models_file).models]
    except MissingRecordError:
        known = []
    return [*known, *BASELINES]
