"""Labels that readers see for categories, evals and experiments."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, Protocol

from generator.facts.links import Category
from generator.read.suite_texts import EvalTexts
from records.shapes.attempt import StepName
from records.suites.experiments import DEFAULT, NO_GUIDELINES

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


_STEPS: Final[dict[str, str]] = {
    StepName.FILESYSTEM: "filesystem, where the files are read out of the answer",
    StepName.INSTALL: "install, where the packages that the answer needs are looked up",
    StepName.DEPLOY: "deploy, where a Convex backend takes the code",
    StepName.TYPECHECK: "typecheck, where TypeScript looks for errors of types",
    StepName.LINT: "lint, where ESLint looks for common mistakes in the code",
    StepName.TESTS: "tests, where the code has to do what the task says",
}
"""The steps of grading, each with its work."""


_SHORT: Final = {DEFAULT: "", NO_GUIDELINES: "no guidelines"}


def category(key: str) -> Category:
    """Return the category of that folder name."""
    return Category(key, _LABELS.get(key, _words(key)))


def eval_label(evaluation: str) -> str:
    """Return the title of an eval without a known title."""
    return _words(evaluation.rpartition("/")[2])


class TitledEvals(Protocol):
    """An object that knows the titles of its evals."""

    @property
    def eval_titles(self) -> Mapping[str, str]:
        """Titles of evals by name."""
        ...


def eval_title(site: TitledEvals, evaluation: str) -> str:
    """Return the title of an eval, or its name in words."""
    return site.eval_titles.get(evaluation) or eval_label(evaluation)


def eval_titles(texts: Mapping[str, EvalTexts], evals: Iterable[str]) -> dict[str, str]:
    """Return the title of each eval; evals with the same title name their categories."""
    names = sorted({*texts, *evals})
    titles = {name: texts[name].title if name in texts else eval_label(name) for name in names}
    number = Counter(titles.values())
    return {
        name: title if number[title] == 1 else f"{title} ({_whose(name, titles).lower()})"
        for name, title in titles.items()
    }


def _whose(name: str, titles: Mapping[str, str]) -> str:
    """Return the difference of an eval from others of its title: its category, else its name."""
    key = name.partition("/")[0]
    alike = [other for other, title in titles.items() if title == titles[name]]
    alone = sum(other.partition("/")[0] == key for other in alike) == 1
    return category(key).label if alone else name


def _words(name: str) -> str:
    return name.partition("-")[2].replace("_", " ").capitalize()


def step_in_words(step: str) -> str:
    """Return the name of a step of grading, with its work."""
    return _STEPS.get(step, f"{step}")


def experiment(name: str) -> str:
    """Return the condition of an experiment, in a reader's words."""
    return EXPERIMENTS.get(name, name)


def experiment_in_short(name: str) -> str:
    """Return the difference of an experiment from the usual experiment; empty for the usual."""
    return _SHORT.get(name, name)


SYMBOLS: Final = {
    "passed": "✓",
    "failed": "✗",
    "partly": "◐",
    "infrastructure": "!",
    "not_run": "·",
}
"""How outcomes show where there is room for one character; never by colour alone."""
