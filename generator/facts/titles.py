"""The names of categories, evals, steps and experiments for readers, and lists in prose."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Final, Protocol

from generator.facts.urls import Category
from generator.read.suite_texts import EvalTexts
from generator.read.summaries import RunSummary
from records.shapes.attempt import StepName
from records.suites.experiments import DEFAULT, NO_GUIDELINES

NAMED: Final = 4
"""The most models that a sentence names."""


def list_in_prose(words: Sequence[str], most: int = NAMED) -> str:
    """Return a list in prose, such as ``a, b and c``.

    Of more than ``most`` words, all but the first ``most - 1`` are only counted.
    """
    if len(words) > most:
        return f"{', '.join(words[: most - 1])} and {len(words) - most + 1} more"
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else words[0]


def format_month(day: date) -> str:
    """Return the month of a day, such as ``February 2026``."""
    return f"{day:%B %Y}"


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

AS_IMPORTED: Final = "as imported"
"""The condition of runs of other tools."""


_STEPS: Final[dict[str, str]] = {
    StepName.FILESYSTEM: "filesystem, where the files are read out of the answer",
    StepName.INSTALL: "install, where the packages that the answer needs are looked up",
    StepName.DEPLOY: "deploy, where a Convex backend takes the code",
    StepName.TYPECHECK: "typecheck, where TypeScript looks for errors of types",
    StepName.LINT: "lint, where ESLint looks for common mistakes in the code",
    StepName.TESTS: "tests, where the code has to do what the task says",
}
"""The steps of grading in words, each with its task."""


_SHORT: Final = {DEFAULT: "", NO_GUIDELINES: "no guidelines"}


def build_category(key: str) -> Category:
    """Return the category with the folder name ``key``."""
    return Category(key, _LABELS.get(key, _format_name(key)))


def format_eval_label(evaluation: str) -> str:
    """Return a title made from an eval's name."""
    return _format_name(evaluation.rpartition("/")[2])


class TitledEvals(Protocol):
    """An object with the titles of evals."""

    @property
    def eval_titles(self) -> Mapping[str, str]:
        """The titles of evals by name."""
        ...


def find_eval_title(site: TitledEvals, evaluation: str) -> str:
    """Return the title of an eval; if it is not known, a title made from the name."""
    return site.eval_titles.get(evaluation) or format_eval_label(evaluation)


def build_eval_titles(
    texts: Mapping[str, EvalTexts], evals: Iterable[str], imported: Mapping[str, str]
) -> dict[str, str]:
    """Return the title of each eval; equal titles are followed by category or name.

    ``imported`` has the titles of evals of benchmarks of other tools.
    """
    names = sorted({*texts, *evals})
    titles = {
        name: texts[name].title if name in texts else imported.get(name) or format_eval_label(name)
        for name in names
    }
    number = Counter(titles.values())
    return {
        name: title
        if number[title] == 1
        else f"{title} ({_distinguish_eval(name, titles).lower()})"
        for name, title in titles.items()
    }


def _distinguish_eval(name: str, titles: Mapping[str, str]) -> str:
    """Return the words that distinguish an eval from others with its title: category or name."""
    key = name.partition("/")[0]
    alike = [other for other, title in titles.items() if title == titles[name]]
    alone = sum(other.partition("/")[0] == key for other in alike) == 1
    return build_category(key).label if alone else name


def _format_name(name: str) -> str:
    return name.partition("-")[2].replace("_", " ").capitalize()


def describe_step(step: str) -> str:
    """Return the name of a step of grading, with its task."""
    return _STEPS.get(step, f"{step}")


def describe_experiment(name: str) -> str:
    """Return the condition of an experiment in words."""
    return EXPERIMENTS.get(name, name)


def describe_run_condition(run: RunSummary) -> str:
    """Return the condition of a run, in a reader's words."""
    return AS_IMPORTED if run.of_other_tool else describe_experiment(run.experiment)


def abbreviate_experiment(name: str) -> str:
    """Return the condition of an experiment in few words; empty for the usual experiment."""
    return _SHORT.get(name, name)


SYMBOLS: Final = {
    "passed": "✓",
    "failed": "✗",
    "partly": "◐",
    "infrastructure": "!",
    "not_run": "·",
}
"""The symbol for each outcome, so that outcomes never differ by colour alone."""
