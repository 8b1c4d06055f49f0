"""Labels that readers see for categories, evals and experiments."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, Protocol

from generator.read.suite_texts import EvalTexts
from generator.site.parts import Category
from records.experiments import DEFAULT, NO_GUIDELINES

_LABELS: Final = {
    "000-fundamentals": "Fundamentals",
    "001-data_modeling": "Data modeling",
    "002-queries": "Queries",
    "003-mutations": "Mutations",
    "004-actions": "Actions",
    "005-idioms": "Idioms",
    "006-clients": "Clients",
    "007-components": "Components",
}


EXPERIMENTS: Final = {DEFAULT: "with guidelines", NO_GUIDELINES: "without guidelines"}


_SHORT: Final = {DEFAULT: "", NO_GUIDELINES: "no guidelines"}


def category(key: str) -> Category:
    """Return the category of that folder name."""
    return Category(key, _LABELS.get(key, _words(key)))


def eval_label(evaluation: str) -> str:
    """Return what a reader calls an eval whose title is not known."""
    return _words(evaluation.rpartition("/")[2])


class TitledEvals(Protocol):
    """Whatever knows what its evals are called."""

    @property
    def eval_titles(self) -> Mapping[str, str]:
        """What a reader calls each eval, by name."""
        ...


def eval_title(site: TitledEvals, evaluation: str) -> str:
    """Return what a reader calls an eval: its title, or its name in words."""
    return site.eval_titles.get(evaluation) or eval_label(evaluation)


def eval_titles(texts: Mapping[str, EvalTexts], evals: Iterable[str]) -> dict[str, str]:
    """Return what a reader calls each eval; of several with one title each names its category."""
    names = sorted({*texts, *evals})
    found = {name: texts[name].title if name in texts else eval_label(name) for name in names}
    number = Counter(found.values())
    return {
        name: title if number[title] == 1 else f"{title} ({_whose(name, found).lower()})"
        for name, title in found.items()
    }


def _whose(name: str, titles: Mapping[str, str]) -> str:
    """Return what tells an eval from the others of its title: its category, else its name."""
    key = name.partition("/")[0]
    alike = [one for one, title in titles.items() if title == titles[name]]
    alone = sum(one.partition("/")[0] == key for one in alike) == 1
    return category(key).label if alone else name


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
