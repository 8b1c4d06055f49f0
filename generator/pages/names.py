"""How things are called and where their pages stand."""

from functools import lru_cache
from typing import Final

from generator.contexts.shared import Category, Frame, ModelLink
from generator.corpus import RunSummary

_LABELS: Final = {
    "000-fundamentals": "Fundamentals",
    "001-data_modeling": "Data modeling",
    "002-queries": "Queries",
    "003-mutations": "Mutations",
    "004-actions": "Actions",
    "005-idioms": "Idioms",
    "006-clients": "Clients",
}

DEFAULT: Final = "default"
NO_GUIDELINES: Final = "no_guidelines"
EXPERIMENTS: Final = {DEFAULT: "with guidelines", NO_GUIDELINES: "without guidelines"}
_SHORT: Final = {DEFAULT: "", NO_GUIDELINES: "no guidelines"}


def category(key: str) -> Category:
    """Return the category of that folder name."""
    return Category(key, _LABELS.get(key, _words(key)))


@lru_cache(maxsize=1 << 12)
def category_of(evaluation: str) -> str:
    """Return the category's folder name of an eval's name."""
    return evaluation.partition("/")[0]


def eval_label(evaluation: str) -> str:
    """Return what a reader calls an eval whose title is not known."""
    return _words(evaluation.rpartition("/")[2])


def _words(name: str) -> str:
    return name.partition("-")[2].replace("_", " ").capitalize()


def experiment(name: str) -> str:
    """Say what an experiment does, in a reader's words."""
    return EXPERIMENTS.get(name, name)


def experiment_in_short(name: str) -> str:
    """Say what sets an experiment apart from the usual one; empty for that one."""
    return _SHORT.get(name, name)


SITE_CARD: Final = "cards/site.png"
"""Picture for link previews of pages that are about no single model."""


def frame(
    title: str, path: str, description: str, section: str = "", card: str = SITE_CARD
) -> Frame:
    """Return the frame of the page at ``path``, which ends in a slash or is empty for `/`."""
    return Frame(
        title=title,
        description=description,
        root="../" * path.count("/"),
        path=path,
        section=section,
        card=card,
    )


def model_path(slug: str) -> str:
    """Return where a model's page stands; no slug holds a tilde, so no two share a place."""
    return f"models/{slug.replace(':', '~')}/"


def card_path(slug: str) -> str:
    """Return where a model's picture for link previews stands."""
    return f"cards/{slug.replace(':', '~')}.png"


def model_link(slug: str, name: str, provider: str) -> ModelLink:
    """Return a model as other pages name it."""
    return ModelLink(slug=slug, name=name, provider=provider, href=model_path(slug))


SYMBOLS: Final = {
    "passed": "✓",
    "failed": "✗",
    "partly": "◐",
    "infrastructure": "!",
    "not_run": "·",
}
"""How outcomes show where there is room for one character; never by colour alone."""


def run_path(run_id: str) -> str:
    """Return where a run's page stands."""
    return f"runs/{run_id}/"


def attempt_path(run_id: str, evaluation: str, sample: int) -> str:
    """Return where an attempt's page stands; the first sample has the plain address."""
    return f"runs/{run_id}/{evaluation}/" + (f"{sample}/" if sample > 1 else "")


@lru_cache(maxsize=1 << 12)
def attempt_anchor(evaluation: str, sample: int) -> str:
    """Return what an attempt's row is called on its run's page."""
    return evaluation.replace("/", "-") + (f"-{sample}" if sample > 1 else "")


def attempt_href(run: RunSummary, name: str, sample: int = 1) -> str:
    """Return where an attempt is shown: its own page, else its row on the run's page.

    A run that is going has no row of any attempt yet.
    """
    if run.artifact is not None and (name, sample) in run.kept:
        return attempt_path(run.run_id, name, sample)
    if run.status == "running":
        return run_path(run.run_id)
    return f"{run_path(run.run_id)}#{attempt_anchor(name, sample)}"


def eval_path(evaluation: str) -> str:
    """Return where an eval's page stands."""
    return f"evals/{evaluation}/"


def report_path(slug: str, file_name: str) -> str:
    """Return where the page of a model's report stands."""
    return f"reports/{slug.replace(':', '~')}/{file_name.removesuffix('.md')}/"


def version_path(version: str) -> str:
    """Return the permanent place of a benchmark version's table."""
    return f"benchmarks/{version}/"
