"""How things are called and where their pages stand."""

from typing import Final

from generator.contexts import Category, Frame

_LABELS: Final = {
    "000-fundamentals": "Fundamentals",
    "001-data_modeling": "Data modeling",
    "002-queries": "Queries",
    "003-mutations": "Mutations",
    "004-actions": "Actions",
    "005-idioms": "Idioms",
    "006-clients": "Clients",
}

EXPERIMENTS: Final = {"default": "with guidelines", "no_guidelines": "without guidelines"}


def category(key: str) -> Category:
    """Return the category of that folder name."""
    return Category(key, _LABELS.get(key, key.partition("-")[2].replace("_", " ").capitalize()))


def experiment(name: str) -> str:
    """Say what an experiment does, in a reader's words."""
    return EXPERIMENTS.get(name, name)


def frame(title: str, path: str) -> Frame:
    """Return the frame of the page at ``path``, which ends in a slash or is empty for `/`."""
    return Frame(title=title, root="../" * path.count("/"), path=path)


def model_path(slug: str) -> str:
    """Return where a model's page stands."""
    return f"models/{slug.replace(':', '-')}/"


def run_path(run_id: str) -> str:
    """Return where a run's page stands."""
    return f"runs/{run_id}/"


def attempt_path(run_id: str, evaluation: str, sample: int) -> str:
    """Return where an attempt's page stands; the first sample has the plain address."""
    return f"runs/{run_id}/{evaluation}/" + (f"{sample}/" if sample > 1 else "")


def eval_path(evaluation: str) -> str:
    """Return where an eval's page stands."""
    return f"evals/{evaluation}/"


def version_path(version: str) -> str:
    """Return where the table of a benchmark version stands."""
    return f"benchmarks/{version}/"
