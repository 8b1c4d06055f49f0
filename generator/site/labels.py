"""Labels that readers see for categories, evals and experiments."""

from typing import Final

from generator.site.parts import Category
from generator.site.shared import SiteBasics
from records.experiments import DEFAULT, NO_GUIDELINES

_LABELS: Final = {
    "000-fundamentals": "Fundamentals",
    "001-data_modeling": "Data modeling",
    "002-queries": "Queries",
    "003-mutations": "Mutations",
    "004-actions": "Actions",
    "005-idioms": "Idioms",
    "006-clients": "Clients",
}


EXPERIMENTS: Final = {DEFAULT: "with guidelines", NO_GUIDELINES: "without guidelines"}


_SHORT: Final = {DEFAULT: "", NO_GUIDELINES: "no guidelines"}


def category(key: str) -> Category:
    """Return the category of that folder name."""
    return Category(key, _LABELS.get(key, _words(key)))


def eval_label(evaluation: str) -> str:
    """Return what a reader calls an eval whose title is not known."""
    return _words(evaluation.rpartition("/")[2])


def eval_title(site: SiteBasics, evaluation: str) -> str:
    """Return what a reader calls an eval: its title, or its name in words."""
    texts = site.texts.get(evaluation)
    return texts.title if texts else eval_label(evaluation)


def _words(name: str) -> str:
    return name.partition("-")[2].replace("_", " ").capitalize()


def experiment(name: str) -> str:
    """Say what an experiment does, in a reader's words."""
    return EXPERIMENTS.get(name, name)


def experiment_in_short(name: str) -> str:
    """Say what sets an experiment apart from the usual one; empty for that one."""
    return _SHORT.get(name, name)


SYMBOLS: Final = {
    "passed": "✓",
    "failed": "✗",
    "partly": "◐",
    "infrastructure": "!",
    "not_run": "·",
}
"""How outcomes show where there is room for one character; never by colour alone."""
